/** Anthropic's models at Bedrock and Vertex: their own interface, with the model in the address. */
import { topLevelSpans } from "../wire/json-spans.ts";
import { headerIn } from "./header-list.ts";
import type { UpstreamRequest } from "./provider.ts";

/** Where a call that only counts goes says so at its end, as the shape writes it. */
const counting = "/count_tokens";
export const isTokenCount = ({ url }: UpstreamRequest): boolean => url.pathname.endsWith(counting);

export const isClaude = (model: string): boolean => model.startsWith("claude") || /(^|[./])anthropic\./.test(model);

/**
 * Flags for what only Anthropic itself runs, and for who calls it. Elsewhere a flag that is not known there has the whole
 * call refused, and agents send every one they have; what else they send is for the provider to judge.
 */
const anthropicOnly =
  /^(oauth|claude-code|prompt-caching-scope|fast-mode|files-api|skills|mcp-client|mcp-servers|code-execution|web-fetch|advisor-tool)-/;

/** What of the caller's `anthropic-beta` goes on. */
export const hostedBetas = (headers: readonly string[]): string[] =>
  (headerIn(headers, "anthropic-beta") ?? "")
    .split(",")
    .map((flag) => flag.trim())
    .filter((flag) => flag !== "" && !anthropicOnly.test(flag));

/**
 * The bytes of a JSON object without some of its members, and with others, which are JSON, where it has none of that
 * name.
 */
export function withoutMembers(
  bytes: Buffer,
  without: readonly string[],
  added: Readonly<Record<string, string>> = {},
): Buffer {
  const remaining = topLevelSpans(bytes).filter(({ key }) => !without.includes(key));
  const has = new Set(remaining.map(({ key }) => key));
  const written = remaining.map(({ key, start, end }) => [key, bytes.toString("utf8", start, end)]);
  const all = [...Object.entries(added).filter(([key]) => !has.has(key)), ...written];
  return Buffer.from(`{${all.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(",")}}`);
}
