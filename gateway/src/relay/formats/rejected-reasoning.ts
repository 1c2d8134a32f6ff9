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
/** Only the beginning of a message is the provider's own: further on it may quote the client. */
const rejectedWords = [
  /^(?:messages\.\d+\.content\.\d+: )?Invalid `(?:signature|data)` in `(?:thinking|redacted_thinking)` block/,
  /^The encrypted content (?:for item )?\S{0,200} ?could not be (?:verified|decrypted)/,
  /^(?:Corrupted thought signature|Thought signature is not valid|Invalid thought signature)/i,
];

export const isReasoningRejected = ({ status, message, code }: RefusedRequest): boolean =>
  status === 400 && (rejectedCodes.has(code) || rejectedWords.some((words) => words.test(message)));

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
 * it has none.
 */
export function stripEarlierReasoning<Call extends SentBody & CallFormats>(
  call: Call,
): Call | undefined {
  const strip = strippers[call.upstream.endpoint];
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
};

const isThinking = ({ type }: JsonRecord): boolean =>
  type === "thinking" || type === "redacted_thinking";
const holds = (message: JsonRecord, is: (block: JsonRecord) => boolean): boolean =>
  records(message.content).some(is);

function stripMessages(body: JsonRecord): JsonRecord | undefined {
  const earlier = records(body.messages);
  if (!earlier.some((message) => holds(message, isThinking))) return undefined;
  const messages = earlier
    .map((message) => stripThinking(message))
    .filter(({ content }) => !Array.isArray(content) || content.length > 0);
  const last = earlier.findLast(({ role }) => role === "assistant") ?? {};
  // A model that reasons requires the reasoning before its latest calls.
  const cannotReason = holds(last, ({ type }) => type === "tool_use");
  const { thinking, context_management, ...rest } = body;
  if (!cannotReason) return { ...body, messages };
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
  const isEncrypted = ({ type, encrypted_content }: JsonRecord): boolean =>
    type === "reasoning" && text(encrypted_content) !== "";
  const items = records(body.input);
  if (!items.some(isEncrypted)) return undefined;
  // An item with its id would be refused without the reasoning that it belongs to.
  const input = items
    .filter((item) => !isEncrypted(item))
    .map(({ id, ...item }) => (item.type === "item_reference" ? { id, ...item } : item));
  return { ...body, input };
}

/** Google's text for a call that carries no signature of its own. */
const unsignedCall = "skip_thought_signature_validator";

function stripGemini(body: JsonRecord): JsonRecord | undefined {
  const isSigned = (part: JsonRecord): boolean =>
    part.thoughtSignature !== undefined || part.thought_signature !== undefined;
  const turns = records(body.contents);
  if (
    !turns.some(({ parts }) => records(parts).some((part) => isSigned(part) && !isUnsigned(part)))
  )
    return undefined;
  const contents = turns.map((turn) =>
    Array.isArray(turn.parts)
      ? {
          ...turn,
          parts: records(turn.parts).map((part) => (isSigned(part) ? unsigned(part) : part)),
        }
      : turn,
  );
  return { ...body, contents };
}

const isUnsigned = ({ thoughtSignature, thought_signature }: JsonRecord): boolean =>
  (thoughtSignature ?? thought_signature) === unsignedCall;

function unsigned({ thoughtSignature: _, thought_signature: __, ...part }: JsonRecord): JsonRecord {
  const isCall = Object.keys(record(part.functionCall ?? part.function_call)).length > 0;
  return isCall ? { ...part, thoughtSignature: unsignedCall } : part;
}
