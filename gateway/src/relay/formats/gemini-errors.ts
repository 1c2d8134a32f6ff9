/** Errors in Google's format. */
import type { RelayRefusal } from "../wire/relay-refusal.ts";
import type { ErrorFormat } from "./api-format.ts";

const statusNames: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  413: "INVALID_ARGUMENT",
  422: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  501: "UNIMPLEMENTED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

function errorBody({ status, message, code, budget }: RelayRefusal, requestId: string): string {
  const statusName = statusNames[status] ?? (status < 500 ? "FAILED_PRECONDITION" : "INTERNAL");
  // Google's field for a machine-readable reason.
  const reason = {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    reason: budget ? String(code).toUpperCase() : code,
  };
  const details = typeof code === "string" && code !== "" ? { details: [reason] } : {};
  const error = { code: status, message: `${message} (request id: ${requestId})`, status: statusName, ...details };
  return JSON.stringify({ error });
}

export const geminiErrors: ErrorFormat = {
  errorBody,
  streamError: (refusal, requestId) => `data: ${errorBody(refusal, requestId)}\n\n`,
};

/** A stream that is a JSON list has its errors in a list as well. */
export const geminiListErrors: ErrorFormat = {
  ...geminiErrors,
  errorBody: (...refusalArgs) => `[${errorBody(...refusalArgs)}]`,
};
