import { type JsonRecord, record, records, text } from "../wire/json-parts.ts";
import { isOpenRouters } from "./returned-thoughts.ts";

/**
 * Reasoning carried through another format: signed blocks of Anthropic's models inside a reasoning
 * item of Responses, and encrypted items of Responses, or Google's signatures, inside a block of
 * Messages. Reasoning models require it back with their tool calls; clients send
 * `encrypted_content` or `signature` back unread.
 */

/** The provider does not accept reasoning back without its signature. */
export const isSigned = ({ type, signature, data }: JsonRecord): boolean =>
  (type === "thinking" && text(signature) !== "") ||
  (type === "redacted_thinking" && text(data) !== "");

export const encodeReasoning = (blocks: readonly JsonRecord[]): string =>
  Buffer.from(JSON.stringify(blocks)).toString("base64");

/** Empty for content that another provider encrypted: it is unreadable, and useless to this one. */
export function decodeReasoning(encrypted: unknown): JsonRecord[] {
  try {
    const blocks: unknown = JSON.parse(Buffer.from(text(encrypted), "base64").toString("utf8"));
    return records(blocks).filter(
      ({ type }) => type === "thinking" || type === "redacted_thinking",
    );
  } catch {
    return [];
  }
}

/**
 * Prefix of the signature of a block from a provider of Responses: no other provider can use it.
 */
const responsesPrefix = "responses:";

export const isResponsesReasoning = ({ signature }: JsonRecord): boolean =>
  text(signature).startsWith(responsesPrefix);

/**
 * `isForeignReasoning` says whether a block was sealed by a provider other than Anthropic, which
 * refuses it.
 */
export const isForeignReasoning = (block: JsonRecord): boolean =>
  isResponsesReasoning(block) || isOpenRouters(block);

/**
 * Prefix of Google's signature of a tool call. Only chat completions has a member for it, which
 * Google's own endpoint uses.
 */
const geminiPrefix = "gemini:";

/**
 * The signature of a call of chat completions as a block in front of the call, for formats that
 * keep such blocks.
 */
export function callSignatureBlock({ extra_content }: JsonRecord): JsonRecord | undefined {
  const signature = text(record(record(extra_content).google).thought_signature);
  return signature === ""
    ? undefined
    : { type: "thinking", thinking: "", signature: geminiPrefix + signature };
}

/** The reverse: the member of the call that follows the block; undefined for any other block. */
export function findCallSignature({ signature }: JsonRecord): JsonRecord | undefined {
  if (!text(signature).startsWith(geminiPrefix)) return undefined;
  return { google: { thought_signature: text(signature).slice(geminiPrefix.length) } };
}

/**
 * `KeptReasoning` is what of earlier reasoning the provider accepts back. Where another translation
 * follows, it learns which results of tools are failures, too: chat completions has no word for it.
 */
export interface KeptReasoning {
  reasoning: boolean;
  failures: boolean;
  /** Google's signatures of tool calls. */
  callSignatures: boolean;
}

const isGoogleModel = /(?:^|\/)gemini-/;

/**
 * Providers of chat completions refuse reasoning in messages; Google's own endpoint accepts the
 * signatures of its calls.
 */
export const findKeptReasoning = (isOnward: boolean, model: string): KeptReasoning => ({
  reasoning: isOnward,
  failures: isOnward,
  callSignatures: isOnward || isGoogleModel.test(model),
});

/**
 * The index of an entry in a streamed list is no member of the block itself, and providers refuse
 * it.
 */
export const stripIndex = ({ index: _, ...block }: JsonRecord): JsonRecord => block;

/**
 * A reasoning item as a block; none without encrypted content, because it could not be sent back.
 */
export const listReasoningBlock = (
  thinking: string,
  { encrypted_content: encrypted }: JsonRecord,
): JsonRecord[] =>
  text(encrypted) === ""
    ? []
    : [{ type: "thinking", thinking, signature: responsesPrefix + text(encrypted) }];

export function listReasoningItem(block: JsonRecord): JsonRecord[] {
  if (!isResponsesReasoning(block)) return [];
  const summary =
    text(block.thinking) === "" ? [] : [{ type: "summary_text", text: block.thinking }];
  return [
    {
      type: "reasoning",
      summary,
      encrypted_content: text(block.signature).slice(responsesPrefix.length),
    },
  ];
}
