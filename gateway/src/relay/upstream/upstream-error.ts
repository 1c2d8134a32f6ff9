/** An upstream's failure as a value: whether another channel may help, and what the client receives. */

import type { ErrorInBody } from "../formats/api-format.ts";
import { isRecord, type JsonRecord } from "../wire/json-parts.ts";
import type { RelayRefusal } from "../wire/relay-refusal.ts";

export interface UpstreamError {
  /** The upstream's HTTP status, 0 without a response. */
  status: number;
  isRetryable: boolean;
  /** The upstream's message or the kind of failure, for traces and logs. */
  reason: string;
  /** Type and code of the upstream's error body, if it sent one. */
  reported?: Pick<UpstreamErrorBody, "type" | "code">;
  retryAfterMs?: number;
  /** For the client, if this is the last attempt. */
  refusal: RelayRefusal;
}

/** The connection failed or timed out, or the response is unusable. */
export function connectionFailed(reason: string): UpstreamError {
  const message = "The upstream gave no usable answer";
  return {
    status: 0,
    isRetryable: true,
    reason,
    refusal: { status: 502, type: "upstream_error", code: "do_request_failed", message },
  };
}

/** Amazon answers 424 when the model itself fails, DeepL 456 when the quota of a key is used up. */
const retriedStatuses = new Set([401, 403, 408, 413, 424, 429, 456]);
const messageMax = 2_000;
const nameMax = 100;

export const credentialsRejected: RelayRefusal = {
  status: 502,
  type: "upstream_error",
  code: "upstream_credentials",
  message: "The upstream rejected the gateway's credentials",
};

/** OpenAI's code for an unknown key. */
const rejectedKey = "invalid_api_key";

/**
 * Parses an upstream's error response. Its text is only shown: the status decides, and the code where a provider
 * answers 400 to an unknown key.
 */
export const errorFromResponse = (
  status: number,
  body: Buffer,
  retryAfter: string | undefined,
  now: number,
  amazonName?: string,
): UpstreamError =>
  status < 400
    ? { ...connectionFailed(`status ${status}: redirects are not followed`), status }
    : upstreamError(status, parseErrorBody(body, amazonName), retryAfterOf(retryAfter, now));

/** An error in the body of a response whose status is good. */
export const errorInBody = ({ status, message, code = null }: ErrorInBody): UpstreamError =>
  upstreamError(status, { ...defaultReport, message, code }, undefined);

function upstreamError(status: number, reported: UpstreamErrorBody, retryAfterMs: number | undefined): UpstreamError {
  // A rejected provider key is the operator's problem: the client's own key was fine.
  const isOurs = status === 401 || status === 403 || reported.code === rejectedKey;
  return {
    status,
    isRetryable: status >= 500 || retriedStatuses.has(status) || isOurs,
    reason: `status ${status}: ${reported.message}`,
    reported: { type: reported.type, code: reported.code },
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    refusal: {
      ...(isOurs
        ? credentialsRejected
        : { status, type: reported.type, code: reported.code, message: reported.message.slice(0, messageMax) }),
      param: reported.param,
      ...(retryAfterMs === undefined ? {} : { retryAfter: Math.ceil(retryAfterMs / 1000) }),
    },
  };
}

interface UpstreamErrorBody {
  message: string;
  type: string;
  code: string | number | null;
  param: string;
}

const defaultReport = { type: "upstream_error", code: "bad_response_status_code", param: "" } as const;
/** Fields in which providers with other APIs state their reason. */
const reasons = ["message", "Message", "detail", "error_msg", "msg", "title"];
/** Amazon's names for an unknown key, or for a signature with another key. */
const rejectedByAmazon = new Set([
  "UnrecognizedClientException",
  "InvalidSignatureException",
  "IncompleteSignatureException",
  "MissingAuthenticationTokenException",
]);

function parseErrorBody(body: Buffer, amazonName?: string): UpstreamErrorBody {
  try {
    const json = JSON.parse(body.toString("utf8")) as JsonRecord;
    const { error } = json;
    if (typeof error === "string") return { ...defaultReport, message: error };
    if (!isRecord(error)) {
      const reason = reasons
        .map((name) => json[name])
        .find((reported) => typeof reported === "string" && reported !== "");
      return {
        ...defaultReport,
        ...amazonCode(amazonName),
        message: typeof reason === "string" ? reason : "no reason given",
      };
    }
    const { message, type, param, details, ...rest } = error;
    const code = isKeyUnknownToGoogle(details) ? rejectedKey : rest.code;
    return {
      message: typeof message === "string" ? message : "no reason given",
      type: typeof type === "string" ? type : defaultReport.type,
      code: typeof code === "string" || typeof code === "number" ? code : null,
      param: typeof param === "string" ? param : "",
    };
  } catch {
    return { ...defaultReport, message: "the answer was not JSON" };
  }
}

/** Amazon names the error in a header; a URL may follow behind a colon. */
function amazonCode(amazonName: string | undefined): Pick<UpstreamErrorBody, "code"> | undefined {
  const [name] = amazonName?.split(":") ?? [];
  if (!name) return undefined;
  return { code: rejectedByAmazon.has(name) ? rejectedKey : name.slice(0, nameMax) };
}

/** Google's code repeats the status; its details name the error. */
const isKeyUnknownToGoogle = (details: unknown): boolean =>
  Array.isArray(details) && details.some((detail: { reason?: unknown } | null) => detail?.reason === "API_KEY_INVALID");

const retryAfterMaxMs = 60_000;

/** `Retry-After` in seconds or as a date. Negative and unreadable values count as absent, long ones are capped. */
export function retryAfterOf(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isFinite(ms) && ms >= 0 ? Math.min(ms, retryAfterMaxMs) : undefined;
}
