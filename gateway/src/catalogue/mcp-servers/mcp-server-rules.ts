/**
 * Rules for registering, changing and showing MCP servers, and for who may use which of their
 * tools. Pure.
 */
import {
  type McpServer,
  type McpServerChange,
  type McpServerInput,
  type McpToolShown,
  mcpToolPattern,
  type TokenMcpServer,
} from "@tollgate/contract/catalogue/mcp-servers.ts";
import { checkFileAllows } from "../../http/managed-by-file.ts";
import { refuse } from "../../http/refusal.ts";
import type { McpServerRow } from "./mcp-server-store.ts";

type McpServerSettings = Omit<McpServerInput, "headers">;

/** `McpServerAccess` is what a server is to the relay, without what leads to it. */
export interface McpServerAccess {
  name: string;
  /** Only callers that name it, or one of its tools. */
  namedOnly: boolean;
  /** Null for every group. */
  groups: ReadonlySet<string> | null;
  /** Null for every tool. */
  tools: ReadonlySet<string> | null;
  /** Units for each call. */
  priceOf(tool: string): number;
}

/** `McpCaller` is what of an API key decides about tools. */
export interface McpCaller {
  /** The groups of the key, or of its owner. */
  groups: readonly string[];
  /** Names of servers, and tools as `server/tool`; null for all that need not be named. */
  mcpTools: ReadonlySet<string> | null;
}

export const buildSettings = (row: McpServerRow): McpServerSettings => ({
  name: row.name,
  description: row.description,
  url: row.url,
  enabled: row.enabled === 1,
  named_only: row.named_only === 1,
  groups: JSON.parse(row.groups) as string[],
  tools: JSON.parse(row.tools) as string[],
  call_price: row.call_price,
  tool_prices: JSON.parse(row.tool_prices) as Record<string, number>,
  timeout_ms: row.timeout_ms,
});

export const buildMcpServerColumns = ({
  enabled,
  named_only,
  groups,
  tools,
  tool_prices,
  ...same
}: McpServerSettings) => ({
  ...same,
  enabled: enabled ? (1 as const) : (0 as const),
  named_only: named_only ? (1 as const) : (0 as const),
  groups: JSON.stringify(listUnique(groups)),
  tools: JSON.stringify(listUnique(tools)),
  tool_prices: JSON.stringify(tool_prices),
});

const listUnique = (names: readonly string[]): string[] => [...new Set(names)];

/**
 * Throws where the form is out of date, and where credentials would reach another host than the one
 * they were entered for.
 */
export function changeMcpServer(row: McpServerRow, change: McpServerChange): McpServerSettings {
  if (change.updated_at !== undefined && change.updated_at !== row.updated_at)
    throw refuse("changed_meanwhile");
  checkFileAllows(row, change);
  const before = buildSettings(row);
  if (change.url !== undefined && change.headers === undefined) checkHeadersMayGo(row, change.url);
  return {
    name: change.name ?? before.name,
    description: change.description ?? before.description,
    url: change.url ?? before.url,
    enabled: change.enabled ?? before.enabled,
    named_only: change.named_only ?? before.named_only,
    groups: change.groups ?? before.groups,
    tools: change.tools ?? before.tools,
    call_price: change.call_price ?? before.call_price,
    tool_prices: change.tool_prices ?? before.tool_prices,
    timeout_ms: change.timeout_ms ?? before.timeout_ms,
  };
}

/** `addressIssue`: why an address must not be called. */
export function checkMcpAddress(
  url: string,
  addressIssue: (url: string) => string | undefined,
): void {
  const violation = addressIssue(url);
  if (violation === undefined) return;
  const message = `url ${violation}`;
  throw refuse("invalid_request", { message, fields: { url: message } });
}

/** Stored headers were entered for the host of the row, and no other host gets them. */
export function checkHeadersMayGo({ url, headers_sealed }: McpServerRow, wantedUrl: string): void {
  if (headers_sealed !== "" && new URL(wantedUrl).origin !== new URL(url).origin)
    throw refuse("mcp_headers_required");
}

export const viewMcpServer = (row: McpServerRow): McpServer => ({
  id: row.id,
  uuid: row.uuid,
  ...buildSettings(row),
  header_names: JSON.parse(row.header_names) as string[],
  managed_by: row.managed_by,
  created_at: row.created_at,
  updated_at: row.updated_at,
});

export function readAccess(row: McpServerRow): McpServerAccess {
  const { name, named_only, groups, tools, call_price, tool_prices } = buildSettings(row);
  const prices = new Map(Object.entries(tool_prices));
  return {
    name,
    namedOnly: named_only,
    groups: groups.length === 0 ? null : new Set(groups),
    tools: tools.length === 0 ? null : new Set(tools),
    priceOf: (tool) => prices.get(tool) ?? call_price,
  };
}

/** `mayUseServer` says whether any tool of the server may be offered to the caller. */
export const mayUseServer = (
  { name, namedOnly, groups }: McpServerAccess,
  { groups: own, mcpTools }: McpCaller,
): boolean =>
  (groups === null || own.some((group) => groups.has(group))) &&
  (mcpTools === null
    ? !namedOnly
    : mcpTools.has(name) || [...mcpTools].some((one) => one.startsWith(`${name}/`)));

/**
 * `showToTokens` gives what the owner of a key in one of the groups sees of a server that the key
 * may name.
 */
export function showToTokens(
  row: McpServerRow,
  groups: readonly string[],
): TokenMcpServer | undefined {
  const { name, description, enabled, named_only, tools, call_price, tool_prices, ...rest } =
    buildSettings(row);
  if (!enabled || (rest.groups.length > 0 && !groups.some((group) => rest.groups.includes(group))))
    return undefined;
  return { name, description, named_only, tools, call_price, tool_prices };
}

/** `isOffered` says whether a server offers a tool by this name at all. */
export const isOffered = ({ tools }: Pick<McpServerAccess, "tools">, tool: string): boolean =>
  mcpToolPattern.test(tool) && (tools === null || tools.has(tool));

/** The one rule by which lists are filtered and calls are admitted. */
export const mayCallTool = (server: McpServerAccess, caller: McpCaller, tool: string): boolean =>
  isOffered(server, tool) &&
  mayUseServer(server, caller) &&
  (caller.mcpTools === null ||
    caller.mcpTools.has(server.name) ||
    caller.mcpTools.has(`${server.name}/${tool}`));

/**
 * `McpServerAnswer` is what a server says of itself. `issue` says in words why it could not be
 * asked.
 */
export type McpServerAnswer =
  | { protocol: string; tools: readonly { name: string; description: string }[] }
  | { issue: string };

const descriptionMax = 500;

export const showTool = (
  server: McpServerAccess,
  name: string,
  description: string,
): McpToolShown => ({
  name: name.slice(0, 128),
  description: description.slice(0, descriptionMax),
  offered: isOffered(server, name),
  price: server.priceOf(name),
});
