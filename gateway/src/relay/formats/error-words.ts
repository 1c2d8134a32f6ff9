/**
 * The words by which each dialect names an error. Client libraries and agents decide by them
 * whether to try again, so an error of the gateway or of another provider takes those of the
 * dialect's own provider. Pure.
 */
import type { RelayRefusal } from "../wire/relay-refusal.ts";

interface ErrorWords {
  /** `error.type` of OpenAI's APIs: https://developers.openai.com/api/docs/guides/error-codes */
  openai: string;
  /** `error.type` of Messages: https://platform.claude.com/docs/en/api/errors */
  anthropic: string;
  /** `error.status` of Gemini: https://ai.google.dev/gemini-api/docs/troubleshooting */
  google: string;
}

const wordsByStatus: Readonly<Record<number, ErrorWords>> = {
  401: {
    openai: "authentication_error",
    anthropic: "authentication_error",
    google: "UNAUTHENTICATED",
  },
  402: { openai: "insufficient_quota", anthropic: "billing_error", google: "FAILED_PRECONDITION" },
  403: { openai: "permission_error", anthropic: "permission_error", google: "PERMISSION_DENIED" },
  404: { openai: "invalid_request_error", anthropic: "not_found_error", google: "NOT_FOUND" },
  413: {
    openai: "invalid_request_error",
    anthropic: "request_too_large",
    google: "INVALID_ARGUMENT",
  },
  429: { openai: "rate_limit_error", anthropic: "rate_limit_error", google: "RESOURCE_EXHAUSTED" },
  501: { openai: "server_error", anthropic: "api_error", google: "UNIMPLEMENTED" },
  503: { openai: "server_error", anthropic: "overloaded_error", google: "UNAVAILABLE" },
  504: { openai: "server_error", anthropic: "api_error", google: "DEADLINE_EXCEEDED" },
  529: { openai: "server_error", anthropic: "overloaded_error", google: "UNAVAILABLE" },
};
const ofRequest: ErrorWords = {
  openai: "invalid_request_error",
  anthropic: "invalid_request_error",
  google: "INVALID_ARGUMENT",
};
/** A conflict, or a precondition that is not met. */
const otherGoogleWord = "FAILED_PRECONDITION";
const malformedStatuses = new Set([400, 422]);
const ofServer: ErrorWords = { openai: "server_error", anthropic: "api_error", google: "INTERNAL" };

function buildWordsOfStatus(status: number): ErrorWords {
  const own = wordsByStatus[status];
  if (own) return own;
  if (status >= 500) return ofServer;
  return malformedStatuses.has(status) ? ofRequest : { ...ofRequest, google: otherGoogleWord };
}

/**
 * Types of ours, which no client of a provider knows: the first is one-api's for authentication,
 * restriction and rate.
 */
const compatibleType = "one_api_error";
const ownTypes = new Set([compatibleType, "upstream_error"]);

/**
 * `error.type` for clients of OpenAI's APIs. Programs written for one-api know its type of refusals
 * below 500.
 */
export function nameOpenAiType(
  { status, type, isContextTooLong }: RelayRefusal,
  isInStream: boolean,
): string {
  if (isContextTooLong) return ofRequest.openai;
  if (status >= 500) return buildWordsOfStatus(status).openai;
  if (!ownTypes.has(type) || (type === compatibleType && !isInStream)) return type;
  return buildWordsOfStatus(status).openai;
}

/** Types of Messages that say more than their status does. */
const anthropicTypes = new Set([
  ...Object.values(wordsByStatus).map(({ anthropic }) => anthropic),
  ...["api_error", "timeout_error"],
]);

/** `error.type` for clients of Messages. */
export const nameAnthropicType = ({ status, type, isOfMoney }: RelayRefusal): string =>
  isOfMoney
    ? "billing_error"
    : anthropicTypes.has(type)
      ? type
      : buildWordsOfStatus(status).anthropic;

/** `error.status` for clients of Gemini. */
export const nameGoogleStatus = ({ status }: RelayRefusal): string =>
  buildWordsOfStatus(status).google;

type ErrorDialect = "chat" | "responses" | "anthropic" | "google";

/**
 * The words of each provider for a conversation that is too long. Agents shorten theirs at these
 * and at no others: Claude Code at Anthropic's, Continue, pi and LiteLLM at those of their channel.
 */
const contextWords: Readonly<Record<ErrorDialect, { known: RegExp; words: string }>> = {
  chat: {
    known: /maximum context length|reduce the length of the messages/i,
    words:
      "This model's maximum context length is exceeded, please reduce the length of the messages",
  },
  responses: {
    known: /exceeds the context window|maximum context length/i,
    words: "Your input exceeds the context window of this model",
  },
  anthropic: { known: /prompt is too long|exceed context limit/i, words: "prompt is too long" },
  google: {
    known: /input token count.*exceeds/i,
    words: "The input token count exceeds the maximum number of tokens allowed",
  },
};

/** The message of a refusal, behind the dialect's own words where the conversation is too long. */
export function writeContextWords(
  { message, isContextTooLong }: RelayRefusal,
  dialect: ErrorDialect,
): string {
  const { known, words } = contextWords[dialect];
  return isContextTooLong && !known.test(message) ? `${words}: ${message}` : message;
}
