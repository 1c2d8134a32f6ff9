import { type JsonRecord, records, text } from "../wire/json-parts.ts";
/**
 * Thoughts in the other interface's clothes: signed ones of Anthropic's models inside a reasoning item of Responses, and
 * sealed ones of Responses in a block as Anthropic has it. A model that thinks wants them back with its tool calls;
 * callers send back what `encrypted_content` or `signature` holds and never look into it.
 */

export const encodeReasoning = (blocks: readonly JsonRecord[]): string =>
  Buffer.from(JSON.stringify(blocks)).toString("base64");

/** What another provider sealed is not readable, and of no use to this one. */
export function decodeReasoning(encrypted: unknown): JsonRecord[] {
  try {
    const blocks: unknown = JSON.parse(Buffer.from(text(encrypted), "base64").toString("utf8"));
    return records(blocks).filter(({ type }) => type === "thinking" || type === "redacted_thinking");
  } catch {
    return [];
  }
}

/** Begins the signature of a block that a provider of Responses sealed: to no other provider it means anything. */
const responsesPrefix = "responses:";

export const isResponsesReasoning = ({ signature }: JsonRecord): boolean => text(signature).startsWith(responsesPrefix);

/** A reasoning item as a block; none where nothing is sealed, because it could not be sent back. */
export const reasoningBlockFrom = (thinking: string, { encrypted_content: encrypted }: JsonRecord): JsonRecord[] =>
  text(encrypted) === "" ? [] : [{ type: "thinking", thinking, signature: responsesPrefix + text(encrypted) }];

export function reasoningItemFrom(block: JsonRecord): JsonRecord[] {
  if (!isResponsesReasoning(block)) return [];
  const summary = text(block.thinking) === "" ? [] : [{ type: "summary_text", text: block.thinking }];
  return [{ type: "reasoning", summary, encrypted_content: text(block.signature).slice(responsesPrefix.length) }];
}
