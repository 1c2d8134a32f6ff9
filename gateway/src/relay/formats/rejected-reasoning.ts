/**
 * Reasoning that a provider signed or encrypted is useful to that account alone. When a
 * conversation reaches another one, the provider refuses the request; without the reasoning it is
 * an ordinary conversation. Pure.
 */
import {
  isRecord,
  type JsonRecord,
  parseObject,
  record,
  records,
  text,
} from "../wire/json-parts.ts";
import type { ApiEndpoint, CallFormats } from "./api-format.ts";
import type { SentBody } from "./call-parts.ts";

/** `RefusedRequest` is what a provider reports of a request that it refused. */
export interface RefusedRequest {
  status: number;
  message: string;
  code: string | number | null;
}

/** OpenAI's code for encrypted content of another account. */
const rejectedCodes = new Set<unknown>(["invalid_encrypted_content", "thinking_signature_invalid"]);
/** OpenAI's words for reasoning of which it keeps nothing. */
const missingItemWords = /^Item with id 'rs_\w{1,100}' not found/;
/** DeepSeek's and Moonshot's words for calls without the thoughts before them. */
const missingThoughtWords =
  /^.{0,40}\breasoning_content\b`? (?:in the thinking mode must be passed back|is missing in assistant)/i;
/** Groq's words for thoughts in a conversation. */
const unknownThoughtWords = /^.{0,120}\bproperty 'reasoning(?:_content)?' is unsupported/;

/** Only the beginning of a message is the provider's own: further on it may quote the client. */
const rejectedWords = [
  /^(?:messages\.\d+\.content\.\d+: )?Invalid `(?:signature|data)` in `(?:thinking|redacted_thinking)` block/,
  /^The encrypted content (?:for item )?\S{0,200} ?could not be (?:verified|decrypted)/,
  /^(?:Corrupted thought signature|Thought signature is not valid|Invalid thought signature)/i,
  /^(?:messages\.\d+\.content\.\d+: )?`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified/,
  /^messages\.\d+\.content\.\d+\.(?:thinking|redacted_thinking)\.(?:signature|data)\b/,
  /^(?:messages\.\d+\.content\.\d+(?:\.thinking)?: )?each `?thinking`? block must contain `?thinking`?/,
  /^(?:messages\.\d+(?:\.content\.\d+)?: )?The block is bound to a different conversation/,
  /^messages\.\d+\.content\.\d+(?:\.type)?: Expected `thinking` or `redacted_thinking`, but found/,
  /^(?:Unable to submit request because )?function call is missing a thought_signature/i,
  /^Item '\w{1,100}' of type '\w{1,40}' was provided without its required/,
  missingItemWords,
  missingThoughtWords,
  unknownThoughtWords,
];

export const isReasoningRejected = ({ status, message, code }: RefusedRequest): boolean =>
  (status === 400 &&
    (rejectedCodes.has(code) || rejectedWords.some((words) => words.test(message)))) ||
  (status === 404 && missingItemWords.test(message));

/**
 * The ends of the members that hold it, in every format and spelling: `thoughtSignature`,
 * `thought_signature`, `signature`.
 */
const sealedMembers = ['ignature"', 'encrypted_content"', '"redacted_thinking"'];

/**
 * `holdsSignedReasoning` says whether a request or an answer holds reasoning that one account alone
 * can read; of other texts it may be said too.
 */
export const holdsSignedReasoning = (text: Buffer | string): boolean =>
  sealedMembers.some((member) => text.includes(member));

/**
 * The call without the reasoning of earlier turns, in the format of the upstream; undefined where
 * it has none. A provider that misses thoughts gets blank ones.
 */
export function stripEarlierReasoning<Call extends SentBody & CallFormats>(
  call: Call,
  message = "",
): Call | undefined {
  const strip = missingThoughtWords.test(message)
    ? addBlankThoughts
    : strippers[call.upstream.endpoint];
  if (!strip || call.form) return undefined;
  const before = parseObject(call.body.toString("utf8"));
  const body = strip(before);
  return body && { ...call, body: Buffer.from(JSON.stringify(body)) };
}

/** The body without earlier reasoning; undefined where it has none. */
type ReasoningStripper = (body: JsonRecord) => JsonRecord | undefined;

const strippers: Readonly<Partial<Record<ApiEndpoint, ReasoningStripper>>> = {
  claude_messages: stripMessages,
  response_api: stripResponses,
  gemini: stripGemini,
  chat_completions: stripChat,
};

/** The thoughts themselves are lost, and the provider accepts a space in their place. */
function addBlankThoughts(body: JsonRecord): JsonRecord | undefined {
  const lacksThought = ({ role, tool_calls, reasoning_content }: JsonRecord): boolean =>
    role === "assistant" && records(tool_calls).length > 0 && text(reasoning_content) === "";
  const messages = records(body.messages);
  if (!messages.some(lacksThought)) return undefined;
  return {
    ...body,
    messages: messages.map((one) => (lacksThought(one) ? { ...one, reasoning_content: " " } : one)),
  };
}

function stripChat(body: JsonRecord): JsonRecord | undefined {
  const messages = records(body.messages);
  const hasThought = ({ reasoning_content, reasoning }: JsonRecord): boolean =>
    reasoning_content !== undefined || reasoning !== undefined;
  if (!messages.some(hasThought)) return undefined;
  return {
    ...body,
    messages: messages.map(({ reasoning_content: _, reasoning: __, ...message }) => message),
  };
}

const isThinking = ({ type }: JsonRecord): boolean =>
  type === "thinking" || type === "redacted_thinking";
const holds = (message: JsonRecord, is: (block: JsonRecord) => boolean): boolean =>
  records(message.content).some(is);

function stripMessages(body: JsonRecord): JsonRecord | undefined {
  const earlier = records(body.messages);
  const hasThought = earlier.some((message) => holds(message, isThinking));
  const messages = earlier
    .map((message) => stripThinking(message))
    .filter(({ content }) => !Array.isArray(content) || content.length > 0);
  const last = earlier.findLast(({ role }) => role === "assistant") ?? {};
  // A model that reasons requires the reasoning before its latest calls.
  const cannotReason = holds(last, ({ type }) => type === "tool_use");
  const { thinking, context_management, ...rest } = body;
  if (!cannotReason) return hasThought ? { ...body, messages } : undefined;
  // Without thoughts, there is nothing to leave out but the wish to think.
  if (!hasThought && thinking === undefined) return undefined;
  const managed = isRecord(context_management)
    ? { context_management: stripClearing(context_management) }
    : {};
  return { ...rest, ...managed, messages };
}

const stripThinking = (message: JsonRecord): JsonRecord =>
  Array.isArray(message.content)
    ? { ...message, content: records(message.content).filter((block) => !isThinking(block)) }
    : message;

/** Clearing of thinking is refused where the model does not think. */
const stripClearing = (management: JsonRecord): JsonRecord => ({
  ...management,
  edits: records(management.edits).filter(({ type }) => !text(type).startsWith("clear_thinking")),
});

function stripResponses(body: JsonRecord): JsonRecord | undefined {
  const isReasoning = ({ type }: JsonRecord): boolean => type === "reasoning";
  const items = records(body.input);
  if (!items.some(isReasoning)) return undefined;
  // An item with its id would be refused without the reasoning that it belongs to.
  const input = items
    .filter((item) => !isReasoning(item))
    .map(({ id, ...item }) => (item.type === "item_reference" ? { id, ...item } : item));
  return { ...body, input };
}

/** Google's text for a call that carries no signature of its own. */
const unsignedCall = "skip_thought_signature_validator";

function stripGemini(body: JsonRecord): JsonRecord | undefined {
  const isSigned = (part: JsonRecord): boolean =>
    part.thoughtSignature !== undefined || part.thought_signature !== undefined;
  const turns = records(body.contents);
  const mustChange = (parts: readonly JsonRecord[]): boolean =>
    parts.some((part) => isSigned(part) && !isUnsigned(part)) ||
    parts.find(isCallPart) !== parts.find((part) => isCallPart(part) && isSigned(part));
  if (!turns.some(({ parts }) => mustChange(records(parts)))) return undefined;
  const contents = turns.map((turn) => {
    if (!Array.isArray(turn.parts)) return turn;
    const parts = records(turn.parts);
    // Of calls that were made together only the first is signed.
    const first = parts.find(isCallPart);
    return {
      ...turn,
      parts: parts.map((part) => (isSigned(part) || part === first ? unsigned(part) : part)),
    };
  });
  return { ...body, contents };
}

const isCallPart = (part: JsonRecord): boolean =>
  Object.keys(record(part.functionCall ?? part.function_call)).length > 0;

const isUnsigned = ({ thoughtSignature, thought_signature }: JsonRecord): boolean =>
  (thoughtSignature ?? thought_signature) === unsignedCall;

function unsigned({ thoughtSignature: _, thought_signature: __, ...part }: JsonRecord): JsonRecord {
  return isCallPart(part) ? { ...part, thoughtSignature: unsignedCall } : part;
}
