/** What went wrong with one upstream, as a value: whether another channel may help, and what the caller is told. */

import type { ErrorInBody } from "../formats/api-format.ts";
import { isRecord, type JsonRecord } from "../wire/json-parts.ts";
import type { RelayRefusal } from "../wire/relay-refusal.ts";

export interface UpstreamError {
  /** The upstream's HTTP status, 0 when none came. */
  status: number;
  isRetryable: boolean;
  /** What the upstream said or how it failed, for traces and logs. */
  reason: string;
  /** Type and code of the upstream's error body, where it sent one. */
  reported?: Pick<UpstreamErrorBody, "type" | "code">;
  retryAfterMs?: number;
  /** For the caller, should this be the last attempt. */
  refusal: RelayRefusal;
}

/** The connection failed, timed out or gave an answer that is none. */
export function connectionFailed(reason: string): UpstreamError {
  const message = "The upstream gave no usable answer";
  return {
    status: 0,
    isRetryable: true,
    reason,
    refusal: { status: 502, type: "upstream_error", code: "do_request_failed", message },
  };
}

/** Amazon answers 424 where the model itself failed, DeepL 456 where the quota of a key is used up. */
const retriedStatuses = new Set([401, 403, 408, 413, 424, 429, 456]);
const messageMax = 2_000;
const nameMax = 100;

export const credentialsRejected: RelayRefusal = {
  status: 502,
  type: "upstream_error",
  code: "upstream_credentials",
  message: "The upstream rejected the gateway's credentials",
};

/** What OpenAI calls a key that it does not know. */
const rejectedKey = "invalid_api_key";

/**
 * Reads an upstream's error answer. Its text is shown, never acted upon: the status decides, and where a provider answers
 * 400 to a key that it does not know, the code.
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

/** An error inside an answer whose own status was good. */
export const errorInBody = ({ status, message, code = null }: ErrorInBody): UpstreamError =>
  upstreamError(status, { ...defaultReport, message, code }, undefined);

function upstreamError(status: number, reported: UpstreamErrorBody, retryAfterMs: number | undefined): UpstreamError {
  // A rejected provider key is our operator's trouble: the caller's own key was fine.
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
/** Where providers that do not speak OpenAI's interface put their reason. */
const reasons = ["message", "Message", "detail", "error_msg", "msg", "title"];
/** What Amazon calls a key that it does not know, or a signature that is not of that key. */
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

/** Amazon names an error in a header, an address behind a colon may follow. */
function amazonCode(amazonName: string | undefined): Pick<UpstreamErrorBody, "code"> | undefined {
  const [name] = amazonName?.split(":") ?? [];
  if (!name) return undefined;
  return { code: rejectedByAmazon.has(name) ? rejectedKey : name.slice(0, nameMax) };
}

/** Google's code is the status again; what it means stands in its details. */
const isKeyUnknownToGoogle = (details: unknown): boolean =>
  Array.isArray(details) && details.some((detail: { reason?: unknown } | null) => detail?.reason === "API_KEY_INVALID");

const retryAfterMaxMs = 60_000;

/** `Retry-After` in seconds or as a date; what is negative or unreadable counts as absent, what is absurd is capped. */
export function retryAfterOf(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isFinite(ms) && ms >= 0 ? Math.min(ms, retryAfterMaxMs) : undefined;
}
