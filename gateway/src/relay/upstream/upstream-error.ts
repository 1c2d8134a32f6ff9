/**
 * An upstream's failure as a value: whether another channel may help, and what the client receives.
 */

import { hasStatus, type StatusRange } from "../../http/status-ranges.ts";
import type { ErrorInBody } from "../formats/api-format.ts";
import { noRetryHeaders, type RelayRefusal } from "../wire/relay-refusal.ts";
import { type ReplyHeaders, readRetryAfter } from "../wire/retry-after.ts";
import {
  defaultReport,
  noReason,
  parseErrorBody,
  parseErrorValue,
  type UpstreamErrorBody,
} from "./error-body.ts";
import {
  buildFailureKind,
  findNeutralRefusal,
  findRequestFault,
  mayHelp,
  type RequestFault,
  streamErrorStatus,
} from "./upstream-failure-kinds.ts";

export interface UpstreamError {
  /** The upstream's HTTP status, 0 without a response. */
  status: number;
  /** `isRetryable` says whether another channel, or another key, may help. */
  isRetryable: boolean;
  /** `reason` is what happened, with the upstream's words: for administrators. */
  reason: string;
  /**
   * `publicReason` is the same for the user who made the call, without words that tell of the
   * operator's account.
   */
  publicReason: string;
  /** Type and code of the upstream's error body, if it sent one. */
  reported?: Pick<UpstreamErrorBody, "type" | "code">;
  retryAfterMs?: number;
  /** `refusal` is for the client, if this is the last attempt. */
  refusal: RelayRefusal;
  /** The refusal has the upstream's words. */
  isVerbatim?: true;
  /** `requestFault` is what of the request this model cannot take; another model may. */
  requestFault?: RequestFault;
  /** The account behind the key cannot pay: another key of the channel may. */
  isCreditLow?: true;
  /**
   * `missingStateRefusal` is what the client receives instead if its request names state of the
   * provider: the state, not the model, may be missing.
   */
  missingStateRefusal?: RelayRefusal;
  /**
   * The upstream took the whole request and may have done the work, but its answer cannot be used.
   */
  lost?: LostAnswer;
}

export interface LostAnswer {
  /**
   * `silent`: nothing came for too long. `too_large`: the answer exceeds what the gateway holds in
   * memory.
   */
  cause: "silent" | "too_large";
  /** Bytes of the answer that arrived. */
  bytes: number;
}

/**
 * `inUpstreamWords` gives what the upstream itself said, status and words: for a client whose
 * gateway it was until now.
 */
export function inUpstreamWords({
  status,
  reported,
  reason,
  refusal,
}: UpstreamError): RelayRefusal {
  if (reported === undefined) return refusal;
  return {
    ...refusal,
    ...reported,
    status,
    message: reason.slice(`status ${status}: `.length, messageMax),
  };
}

/**
 * The connection failed, or the response is unusable. `publicReason` where the reason is for
 * operators only.
 */
export function buildConnectionFailed(reason: string, publicReason = reason): UpstreamError {
  const message = "The upstream gave no usable answer";
  return {
    status: 0,
    isRetryable: true,
    reason,
    publicReason,
    refusal: { status: 502, type: "upstream_error", code: "do_request_failed", message },
  };
}

/** The request left no trace at the provider. */
const unsentReasons: ReadonlySet<string> = new Set([
  ...[
    "ECONNREFUSED",
    "ENOTFOUND",
    "EAI_AGAIN",
    "EHOSTUNREACH",
    "ENETUNREACH",
    "UND_ERR_CONNECT_TIMEOUT",
  ],
]);

/** Not implemented, unavailable, overloaded: the request was not looked at. */
const untakenStatuses: ReadonlySet<number> = new Set([501, 503, 529]);

/**
 * `mayBeTaken` says whether the provider may have begun what was asked, although its answer is of
 * no use.
 */
export const mayBeTaken = ({
  status,
  reason,
}: Pick<UpstreamError, "status" | "reason">): boolean =>
  status === 0 ? !unsentReasons.has(reason) : status >= 500 && !untakenStatuses.has(status);

const lostRefusals: Readonly<Record<LostAnswer["cause"], RelayRefusal>> = {
  silent: {
    status: 504,
    type: "upstream_error",
    code: "upstream_silent",
    message:
      "The provider took the request and sent nothing for too long; the prompt is charged. Ask for a stream",
    headers: noRetryHeaders,
  },
  too_large: {
    status: 502,
    type: "upstream_error",
    code: "upstream_answer_too_large",
    message:
      "The provider's answer is too large; the prompt and what arrived are charged. Ask for less, or for a stream",
    headers: noRetryHeaders,
  },
};

/** The work may have been done and billed: another attempt would be billed again. */
export const answerLost = (reason: string, lost: LostAnswer): UpstreamError => ({
  ...buildConnectionFailed(reason),
  isRetryable: false,
  lost,
  refusal: lostRefusals[lost.cause],
});

const messageMax = 2_000;

/**
 * Parses an upstream's error response. Status and code decide, and the beginning of the message
 * where a provider has no code for an account that cannot pay.
 */
export function buildErrorFromResponse(
  status: number,
  body: Buffer,
  headers: ReplyHeaders,
  now: number,
): UpstreamError {
  if (status < 400)
    return { ...buildConnectionFailed(`status ${status}: redirects are not followed`), status };
  const { "x-amzn-errortype": amazonName } = headers;
  const reported = parseErrorBody(body, typeof amazonName === "string" ? amazonName : undefined);
  const { retryDelay, message } = reported;
  const words = status === 429 ? message : "";
  return buildUpstreamError(status, reported, readRetryAfter(headers, retryDelay, now, words));
}

/** An error in the body of a response whose status is good. */
export const buildErrorInBody = ({ status, message, code = null }: ErrorInBody): UpstreamError =>
  buildUpstreamError(status, { ...defaultReport, message, code, isJson: true });

/**
 * The error in an answer with a good status that is no reply of its API; undefined where it names
 * none.
 */
export function findErrorInAnswer(body: Buffer): UpstreamError | undefined {
  const reported = parseErrorBody(body);
  if (!reported.isJson || reported.message === noReason) return undefined;
  return buildUpstreamError(streamErrorStatus(reported.type, reported.code), reported);
}

/** The error that an event of a stream reports: the object itself, or a text. */
export function buildErrorInStream(error: unknown): UpstreamError {
  const reported = parseErrorValue(error);
  return buildUpstreamError(streamErrorStatus(reported.type, reported.code), reported);
}

/** `buildUpstreamError` finds a wait that an error asks for in its body alone, without headers. */
function buildUpstreamError(
  status: number,
  reported: UpstreamErrorBody,
  retryAfterMs = readRetryAfter({}, reported.retryDelay, 0, status === 429 ? reported.message : ""),
): UpstreamError {
  const failure = { ...reported, status };
  const kind = buildFailureKind(failure);
  const neutral = findNeutralRefusal(kind, failure);
  const fault = kind === "request" ? findRequestFault(failure) : undefined;
  const { message, type, code, param } = reported;
  const own = {
    param,
    ...(retryAfterMs === undefined ? {} : { retryAfter: Math.ceil(retryAfterMs / 1000) }),
  };
  const verbatim: RelayRefusal = {
    // A client would send the same again, where the provider's status were its own fault.
    status: fault === "context" && status >= 500 ? 400 : status,
    type,
    code,
    message: message.slice(0, messageMax),
    ...own,
    ...(fault === "context" && { isContextTooLong: true }),
  };
  return {
    status,
    isRetryable: mayHelp(kind, status),
    reason: `status ${status}: ${message}`,
    publicReason: `status ${status}: ${neutral?.message ?? message}`,
    reported: { type, code },
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(kind === "credit" && { isCreditLow: true as const }),
    ...(fault && { requestFault: fault }),
    ...(kind === "model_missing" && { missingStateRefusal: verbatim }),
    ...(neutral
      ? { refusal: { ...neutral, ...own, param: "" } }
      : { refusal: verbatim, isVerbatim: true as const }),
  };
}

/**
 * A request that names state of the provider is not sent elsewhere because something was not found.
 */
export function addStateNamed(error: UpstreamError, namesState: boolean): UpstreamError {
  const { missingStateRefusal, ...rest } = error;
  if (!namesState || missingStateRefusal === undefined) return error;
  return {
    ...rest,
    isRetryable: false,
    isVerbatim: true,
    publicReason: error.reason,
    refusal: missingStateRefusal,
  };
}

/** Statuses that an operator names, whatever they mean elsewhere. */
export interface RetryStatuses {
  /** The call goes to the next channel. */
  retried: readonly StatusRange[];
  /** The call ends; this counts before the other list. */
  final: readonly StatusRange[];
}

/**
 * `isSentOn` says whether the call goes to the next channel. A request that names state of one
 * provider is sent nowhere else because an operator named a status.
 */
export function isSentOn(
  { status, isRetryable }: Pick<UpstreamError, "status" | "isRetryable">,
  { retried, final }: RetryStatuses,
  namesState: boolean,
): boolean {
  if (hasStatus(final, status)) return false;
  return isRetryable || (!namesState && hasStatus(retried, status));
}
