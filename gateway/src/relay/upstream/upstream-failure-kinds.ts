/**
 * The meaning of an upstream's failure for the next attempt and for the client: tables of statuses,
 * codes and words. Pure. Types and codes are decided by the provider alone. Words are matched only
 * where a message begins, because a provider may quote the client's own text further on.
 */
import { contentNames, findNamedStatus } from "../wire/named-errors.ts";
import type { RelayRefusal } from "../wire/relay-refusal.ts";

/**
 * `credentials`: the provider rejects the operator's key. `credit`: the operator's account cannot
 * pay. `rate_limit`: it has reached a limit. `model_missing`: the provider does not serve the
 * model. `provider`: the provider failed. `request`: the request itself is refused, and another
 * channel would refuse it too.
 */
export type UpstreamFailureKind =
  | "credentials"
  | "credit"
  | "rate_limit"
  | "model_missing"
  | "provider"
  | "request";

/** `ReportedFailure` is what an error body reports. */
export interface ReportedFailure {
  status: number;
  message: string;
  type: string;
  code: string | number | null;
  /** Google's name for the error; its code only repeats the status. */
  name?: string;
  /** `isJson` says whether the body is an error in JSON; a proxy's page is none. */
  isJson: boolean;
}

/** OpenAI's code for an unknown key. */
export const rejectedKeyCode = "invalid_api_key";

const creditNames = new Set([
  "insufficient_quota",
  "billing_not_active",
  "billing_hard_limit_reached",
  "billing_error",
  "insufficient_balance",
  "insufficient_credits",
  "credit_balance_too_low",
  "Arrearage",
  // Moonshot's, and Zhipu's number.
  "exceeded_current_quota_error",
  "1113",
]);
/** DeepL answers 456 when the quota of a key is used up. */
const creditStatuses = new Set([402, 456]);
/**
 * The beginnings of messages for accounts that cannot pay, from providers that have no code for it.
 */
const creditWords = [
  /^your credit balance is too low/i,
  /^(?:error: )?insufficient (?:account )?(?:balance|credits?|funds|quota)/i,
  /^you (?:have )?exceeded your current quota/i,
  /^you(?:r account)? (?:have|has) (?:run out of|insufficient) (?:credits?|balance|funds)/i,
  /^(?:your )?account (?:is )?(?:in arrears|overdue|not active)/i,
  /^billing hard limit/i,
  /^you have reached your specified api usage limits/i,
  /^(?:账户)?余额不足/,
];

const missingModelNames = new Set([
  "model_not_found",
  "model_not_available",
  "DeploymentNotFound",
  "ModelNotFoundException",
  "ResourceNotFoundException",
  "not_found_error",
  "resource_not_found_error",
  "NOT_FOUND",
]);
/** Amazon's and DeepSeek's words for a model that they do not have, with status 400. */
const missingModelWords = /^(?:The provided model identifier is invalid|Model Not Exist)\b/i;

/** Groq's codes for an answer that its model wrote wrong. */
const wrongAnswerNames = new Set(["tool_use_failed", "json_validate_failed"]);
/** A server of open models that was started without what a call asks for. */
const unpreparedWords = /^"auto" tool choice requires --enable-auto-tool-choice\b/;

/** The context window is too small. */
const contextNames = new Set([
  "context_length_exceeded",
  // Llama.cpp's and Copilot's.
  "exceed_context_size_error",
  "model_max_prompt_tokens_exceeded",
  "string_above_max_length",
  "request_too_large",
]);
/**
 * Messages about it, from providers that have no code for it, near their beginning: Anthropic,
 * Google, Amazon, OpenAI, xAI, Groq, Moonshot, MiniMax, Alibaba, Cohere, Zhipu, and servers of open
 * models.
 */
const contextWords = [
  /^.{0,20}\bprompt is too long\b/i,
  /^input length and `max_tokens` exceed context limit/i,
  /^.{0,20}\binput token count\b.{0,40}\bexceeds the maximum/i,
  /^.{0,20}\binput is too long\b/i,
  /^.{0,20}\btoo many input tokens\b/i,
  /^.{0,120}\bmaximum context length\b/i,
  /^.{0,40}\binput exceeds the context window\b/i,
  /^.{0,60}\bmaximum prompt length is \d/i,
  /^.{0,40}\breduce the length of the messages\b/i,
  /^.{0,40}\bexceeded model token limit\b/i,
  /^.{0,40}\bcontext window exceeds limit\b/i,
  /^.{0,60}\bexceeds the available context size\b/i,
  /^.{0,40}\brange of input length should be\b/i,
  /^.{0,20}\btoo many tokens\b.{0,60}\bprompt cannot exceed\b/i,
  /^.{0,20}\bprompt exceeds max length\b/i,
  /^.{0,20}\binput tokens exceeded\b/i,
  /^.{0,80}\binput token count is \d+ but the model only supports\b/i,
  /^.{0,20}\bprompt token count of \d+ exceeds the limit\b/i,
  /^.{0,80}\bfrom the initial prompt is greater than the context length\b/i,
  /^.{0,60}\bmust be less than max_seq_len\b/i,
  /^.{0,80}\blonger than the maximum model length\b/i,
  /^.{0,40}`inputs` tokens \+ `max_new_tokens` must be\b/i,
  /^.{0,60}\blonger than the model's context length\b/i,
  /^Request payload size exceeds the limit\b/i,
];
/** A recording or a picture that is too large is no conversation. */
const fileWords = /\b(?:content size|file|audio|recording|image|picture|upload)/i;
const tellsOfContext = ({ message }: Pick<ReportedFailure, "message">): boolean =>
  contextWords.some((words) => words.test(readOwnWords(message)));
/**
 * What gateways write in front of the words of a model: Amazon, Alibaba, and OpenRouter, which
 * quotes the whole body.
 */
const quotingWords = [
  /^The model returned the following errors: /i,
  /^<\d+> (?:\w+\.)*\w+: /,
  /^Provider returned error \((?:\{[^{}]{0,60}\{)?[^{}]{0,120}?"?message"?:\s*"/i,
];
const readOwnWords = (message: string): string =>
  quotingWords.reduce((words, quoting) => words.replace(quoting, ""), message.trim());

const isIn = (names: ReadonlySet<string>, { type, code, name = "" }: ReportedFailure): boolean =>
  names.has(type) || names.has(name) || (typeof code === "string" && names.has(code));

export function buildFailureKind(failure: ReportedFailure): UpstreamFailureKind {
  const { status, message, code } = failure;
  if (status === 401 || code === rejectedKeyCode) return "credentials";
  if (creditStatuses.has(status) || isIn(creditNames, failure)) return "credit";
  // Google words its rate limits like a used-up account, and a 429 goes to the next channel in any
  // case.
  if (status !== 429 && creditWords.some((words) => words.test(message.trim()))) return "credit";
  // Some servers of open models blame themselves for it.
  if (isIn(contentNames, failure) || (status >= 500 && tellsOfContext(failure))) return "request";
  if (status === 403) return "credentials";
  if (status === 429) return "rate_limit";
  if (status === 404 || status === 410)
    return !failure.isJson || isIn(missingModelNames, failure) ? "model_missing" : "request";
  if (status === 400 && missingModelWords.test(message.trim())) return "model_missing";
  if (isIn(wrongAnswerNames, failure) || unpreparedWords.test(message)) return "provider";
  // Amazon answers 424 when the model itself fails.
  return status >= 500 || status === 408 || status === 424 ? "provider" : "request";
}

/** Members that hold what a conversation says; the limits of all others are a few words long. */
const spokenMembers = new Set([
  ...["content", "text", "input", "instructions", "prompt", "arguments", "output"],
]);

/**
 * OpenAI has one code for every text that is too long: an id or a user of 65 characters says
 * nothing of the context, and a client that shortens its conversation for it never ends.
 */
function isShortMemberTooLong({ code, message }: ReportedFailure): boolean {
  if (code !== "string_above_max_length") return false;
  const [, member] = /^Invalid '(?:[\w.[\]]{0,200}\.)?(\w+)(?:\[\d+\])*'/.exec(message) ?? [];
  return member !== undefined && !spokenMembers.has(member);
}

/**
 * `RequestFault` is what of a refused request another model may take: a longer prompt, or what this
 * one does not want to answer.
 */
export type RequestFault = "context" | "content";

export function findRequestFault(failure: ReportedFailure): RequestFault | undefined {
  if (isShortMemberTooLong(failure)) return undefined;
  const isTooLarge = failure.status === 413 && !fileWords.test(failure.message);
  if (isTooLarge || isIn(contextNames, failure) || tellsOfContext(failure)) return "context";
  return isIn(contentNames, failure) ? "content" : undefined;
}

/** Another channel may accept a larger body; any other refused request is refused everywhere. */
export const mayHelp = (kind: UpstreamFailureKind, status: number): boolean =>
  kind !== "request" || status === 413;

export const credentialsRejected: RelayRefusal = {
  status: 502,
  type: "upstream_error",
  code: "upstream_credentials",
  message: "The upstream rejected the gateway's credentials",
};

/**
 * Words of providers that say nothing of the operator's account, and that client libraries act on.
 */
const harmlessNames = new Set<string | number | null>([
  "rate_limit_error",
  "rate_limit_exceeded",
  "overloaded_error",
  "server_error",
  "api_error",
  "timeout_error",
  "internal_server_error",
  "service_unavailable",
  "RESOURCE_EXHAUSTED",
  "UNAVAILABLE",
  "INTERNAL",
  "DEADLINE_EXCEEDED",
  "ThrottlingException",
  "throttlingException",
  "ModelErrorException",
  "ServiceUnavailableException",
  "InternalServerException",
]);

/**
 * `findNeutralRefusal` gives what clients, and users in their own log, read instead of the
 * provider's words; undefined where they read those.
 */
export function findNeutralRefusal(
  kind: UpstreamFailureKind,
  { status, type, code }: ReportedFailure,
): RelayRefusal | undefined {
  switch (kind) {
    case "credentials":
      return credentialsRejected;
    case "credit":
      return {
        status: 503,
        type: "upstream_error",
        code: "upstream_unavailable",
        message: "The provider cannot serve this call at the moment",
      };
    case "rate_limit":
      return {
        status: 429,
        type: harmlessNames.has(type) ? type : "rate_limit_error",
        code: harmlessNames.has(code) ? code : "rate_limit_exceeded",
        message: "The provider's rate limit is reached; try again in a while",
      };
    case "model_missing":
      return {
        status: 404,
        type: "invalid_request_error",
        code: "model_not_found",
        message: "The provider does not serve this model",
      };
    case "provider":
      return {
        // With 400, the client would take the provider's failure for a fault of its own request.
        status: status === 400 ? 502 : status,
        type: harmlessNames.has(type) ? type : "upstream_error",
        code: harmlessNames.has(code) ? code : "bad_response_status_code",
        message: `The provider failed with status ${status}`,
      };
    case "request":
      return undefined;
  }
}

/**
 * The status that an error inside a stream would have had as a response; 502 where nothing says it.
 */
export function streamErrorStatus(type: string, code: string | number | null): number {
  if (typeof code === "number" && code >= 400 && code < 600) return code;
  const numeric = typeof code === "string" && /^[45]\d\d$/.test(code) ? Number(code) : undefined;
  return findNamedStatus(code) ?? numeric ?? findNamedStatus(type) ?? 502;
}
