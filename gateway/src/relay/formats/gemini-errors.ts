/** Errors in Google's format. */
import { type RelayRefusal, writeWordsWithId } from "../wire/relay-refusal.ts";
import type { ErrorFormat } from "./api-format.ts";
import { nameGoogleStatus, writeContextWords } from "./error-words.ts";

function readErrorBody(refusal: RelayRefusal, requestId: string): string {
  const { status, code, budget } = refusal;
  // Google's field for a machine-readable reason.
  const reason = {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    reason: budget ? String(code).toUpperCase() : code,
  };
  const details = typeof code === "string" && code !== "" ? { details: [reason] } : {};
  const error = {
    code: status,
    message: writeWordsWithId(
      { ...refusal, message: writeContextWords(refusal, "google") },
      requestId,
    ),
    status: nameGoogleStatus(refusal),
    ...details,
  };
  return JSON.stringify({ error });
}

export const geminiErrors: ErrorFormat = {
  errorBody: readErrorBody,
  streamError: (refusal, requestId) => `data: ${readErrorBody(refusal, requestId)}\n\n`,
};

/** A stream that is a JSON list has its errors in a list as well. */
export const geminiListErrors: ErrorFormat = {
  ...geminiErrors,
  errorBody: (...refusalArgs) => `[${readErrorBody(...refusalArgs)}]`,
};
