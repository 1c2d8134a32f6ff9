/** Turns an error of a route into the envelope. Nothing else under `/api` builds an error body. */
import { buildMeaning, type ErrorCode } from "@tollgate/contract/api/errors.ts";
import { StorageUnavailable } from "../storage/database.ts";
import { Refusal, refuse } from "./refusal.ts";
import { buildRefusal } from "./rejected-writes.ts";

export interface ApiLog {
  /** `info` gives one wide event per call. */
  info?(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

interface ErrorReply {
  status: ReturnType<typeof buildMeaning>["status"];
  code: ErrorCode;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

export function buildErrorReply(error: unknown, requestId: string, log: ApiLog): ErrorReply {
  return buildRefusalReply(refuseRefusal(buildRefusal(error), requestId, log));
}

export function buildRefusalReply(refusal: Refusal): ErrorReply {
  const { code, details } = refusal;
  const { status } = buildMeaning(code);
  const headers = { ...details.headers };
  if (details.retryAfter !== undefined) {
    headers["Retry-After"] = String(details.retryAfter);
    if (status === 429)
      Object.assign(headers, {
        "RateLimit-Remaining": "0",
        "RateLimit-Reset": String(details.retryAfter),
      });
  }
  const body = {
    success: false,
    message: refusal.message,
    code,
    ...(details.fields && { fields: details.fields }),
    ...(details.retryAfter !== undefined && { retry_after: details.retryAfter }),
    ...(details.data !== undefined && { data: details.data }),
    ...details.extras,
  };
  return { status, code, headers, body };
}

function refuseRefusal(error: unknown, requestId: string, log: ApiLog): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof StorageUnavailable) {
    log.error({ err: error, request_id: requestId }, "storage unavailable");
    return refuse("storage_unavailable", { retryAfter: 2 });
  }
  // A bug: the cause goes to the log, the client gets only the id that finds it there.
  log.error({ err: error, request_id: requestId }, "a management call failed");
  return refuse("internal_error", {
    message: `Something went wrong on the server (request id: ${requestId})`,
  });
}
