/**
 * Thoughts in the other interface's clothes: signed ones of Anthropic's models inside a reasoning item of Responses, and
 * sealed ones of Responses in a block as Anthropic has it. A model that thinks wants them back with its tool calls;
 * callers send back what `encrypted_content` or `signature` holds and never look into it.
 */
import type { Json } from "../json-parts.ts";
import { records, text } from "../json-parts.ts";

export const sealedThoughts = (blocks: readonly Json[]): string =>
  Buffer.from(JSON.stringify(blocks)).toString("base64");

/** What another provider sealed is not readable, and of no use to this one. */
export function thoughtsIn(sealed: unknown): Json[] {
  try {
    const blocks: unknown = JSON.parse(Buffer.from(text(sealed), "base64").toString("utf8"));
    return records(blocks).filter(({ type }) => type === "thinking" || type === "redacted_thinking");
  } catch {
    return [];
  }
}

/** Begins the signature of a block that a provider of Responses sealed: to no other provider it means anything. */
const sealedThere = "responses:";

export const isSealedThere = ({ signature }: Json): boolean => text(signature).startsWith(sealedThere);

/** A reasoning item as a block; none where nothing is sealed, because it could not be sent back. */
export const blockOf = (thinking: string, { encrypted_content: sealed }: Json): Json[] =>
  text(sealed) === "" ? [] : [{ type: "thinking", thinking, signature: sealedThere + text(sealed) }];

export function reasoningOf(block: Json): Json[] {
  if (!isSealedThere(block)) return [];
  const summary = text(block.thinking) === "" ? [] : [{ type: "summary_text", text: block.thinking }];
  return [{ type: "reasoning", summary, encrypted_content: text(block.signature).slice(sealedThere.length) }];
}
