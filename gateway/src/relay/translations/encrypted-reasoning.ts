import { type JsonRecord, records, text } from "../wire/json-parts.ts";
/**
 * Reasoning carried through another format: signed blocks of Anthropic's models inside a reasoning item of Responses,
 * and encrypted items of Responses inside a block of Messages. Reasoning models require it back with their tool calls;
 * clients send `encrypted_content` or `signature` back unread.
 */

export const encodeReasoning = (blocks: readonly JsonRecord[]): string =>
  Buffer.from(JSON.stringify(blocks)).toString("base64");

/** Empty for content that another provider encrypted: it is unreadable, and useless to this one. */
export function decodeReasoning(encrypted: unknown): JsonRecord[] {
  try {
    const blocks: unknown = JSON.parse(Buffer.from(text(encrypted), "base64").toString("utf8"));
    return records(blocks).filter(({ type }) => type === "thinking" || type === "redacted_thinking");
  } catch {
    return [];
  }
}

/** Prefix of the signature of a block from a provider of Responses: no other provider can use it. */
const responsesPrefix = "responses:";

export const isResponsesReasoning = ({ signature }: JsonRecord): boolean => text(signature).startsWith(responsesPrefix);

/** A reasoning item as a block; none without encrypted content, because it could not be sent back. */
export const reasoningBlockFrom = (thinking: string, { encrypted_content: encrypted }: JsonRecord): JsonRecord[] =>
  text(encrypted) === "" ? [] : [{ type: "thinking", thinking, signature: responsesPrefix + text(encrypted) }];

export function reasoningItemFrom(block: JsonRecord): JsonRecord[] {
  if (!isResponsesReasoning(block)) return [];
  const summary = text(block.thinking) === "" ? [] : [{ type: "summary_text", text: block.thinking }];
  return [{ type: "reasoning", summary, encrypted_content: text(block.signature).slice(responsesPrefix.length) }];
}
