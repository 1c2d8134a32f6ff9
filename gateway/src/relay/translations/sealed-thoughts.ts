/**
 * Signed thoughts of Anthropic's models inside a reasoning item of Responses. A model that thinks wants them back with
 * its tool calls; callers send back what `encrypted_content` holds and never look into it.
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
