/** Anthropic's models on Bedrock and Vertex: Anthropic's API, with the model in the URL. */
import { isExactNumber, parseExactJson } from "../wire/exact-json.ts";
import { isRecord } from "../wire/json-parts.ts";
import { listTopLevelSpans } from "../wire/json-spans.ts";
import { findHeader } from "./header-list.ts";
import type { UpstreamRequest } from "./provider.ts";

/** The format marks a token count by this suffix of the path. */
const counting = "/count_tokens";
export const isTokenCount = ({ url }: UpstreamRequest): boolean => url.pathname.endsWith(counting);

export const isClaude = (model: string): boolean =>
  model.startsWith("claude") || /(^|[./])anthropic\./.test(model);

/**
 * Beta flags of services that only Anthropic runs, and of client identity. Other hosts refuse a
 * request with an unknown flag, and agents send all they have; any other flag is for the host to
 * judge.
 */
const anthropicOnly =
  /^(oauth|claude-code|prompt-caching|structured-outputs?|fast-mode|files-api|skills|mcp-client|mcp-servers|code-execution|web-fetch|advisor-tool|message-batches)-/;
/** `hostedNames` are what Anthropic's flags are called at other hosts, as far as they have them. */
const hostedNames: Readonly<Record<string, string>> = {
  "advanced-tool-use-2025-11-20": "tool-search-tool-2025-10-19",
};

/** `listBetas` are the flags of `anthropic-beta`. */
export const listBetas = (headers: readonly string[]): string[] =>
  (findHeader(headers, "anthropic-beta") ?? "")
    .split(",")
    .map((flag) => flag.trim())
    .filter((flag) => flag !== "");

/** `listHostedBetas` are those that are passed on to another host. */
export const listHostedBetas = (headers: readonly string[]): string[] =>
  listBetas(headers)
    .filter((flag) => !anthropicOnly.test(flag))
    .map((flag) => hostedNames[flag] ?? flag);

/** A mark for the cache with a scope, which goes with a flag that only Anthropic knows. */
const scopedMark = /"cache_control"\s*:\s*\{[^{}]{0,200}"scope"/;
/** What tools receive is the model's, and a schema is text to the provider. */
const keptMembers = new Set(["input", "input_schema"]);
const depthMax = 12;

function removeScopes(value: unknown, depth = 0): unknown {
  if (depth > depthMax || isExactNumber(value)) return value;
  if (Array.isArray(value)) return (value as unknown[]).map((one) => removeScopes(one, depth + 1));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      if (name !== "cache_control" || !isRecord(one))
        return [name, keptMembers.has(name) ? one : removeScopes(one, depth + 1)];
      const { scope: _, ...mark } = one;
      return [name, mark];
    }),
  );
}

const withoutScopes = (written: string): string =>
  scopedMark.test(written) ? JSON.stringify(removeScopes(parseExactJson(written))) : written;

/**
 * Tools that wait for a search of Anthropic's are there from the start where no such search is
 * asked for: the clouds know the member beside one alone.
 */
function withoutWaiting(key: string, written: string): string {
  if (key !== "tools" || !written.includes('"defer_loading"') || /"tool_search_tool/.test(written))
    return written;
  const tools = parseExactJson(written);
  if (!Array.isArray(tools)) return written;
  return JSON.stringify(
    (tools as unknown[]).map((tool) => {
      if (!isRecord(tool)) return tool;
      const { defer_loading: _, ...rest } = tool;
      return rest;
    }),
  );
}

/**
 * The bytes of a JSON object without some fields and scopes of cache marks, and with `added`
 * fields, which are JSON, unless it has them.
 */
export function stripMembers(
  bytes: Buffer,
  without: readonly string[],
  added: Readonly<Record<string, string>> = {},
): Buffer {
  const remaining = listTopLevelSpans(bytes).filter(({ key }) => !without.includes(key));
  const has = new Set(remaining.map(({ key }) => key));
  const written = remaining.map(({ key, start, end }) => [
    key,
    withoutWaiting(key, withoutScopes(bytes.toString("utf8", start, end))),
  ]);
  const all = [...Object.entries(added).filter(([key]) => !has.has(key)), ...written];
  return Buffer.from(`{${all.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(",")}}`);
}
