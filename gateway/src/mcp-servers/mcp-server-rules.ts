/** Rules for registering, changing and showing MCP servers, and for who may use which of their tools. Pure. */
import {
  type McpServer,
  type McpServerChange,
  type McpServerInput,
  type McpToolShown,
  mcpToolPattern,
} from "@tollgate/contract/mcp-servers.ts";
import { refuse } from "../http/refusal.ts";
import type { McpServerRow } from "./mcp-server-store.ts";

type McpServerSettings = Omit<McpServerInput, "headers">;

/** What a server is to the relay, without what leads to it. */
export interface McpServerAccess {
  name: string;
  /** Null for every group. */
  groups: ReadonlySet<string> | null;
  /** Null for every tool. */
  tools: ReadonlySet<string> | null;
  /** Units for each call. */
  priceOf(tool: string): number;
}

/** What of an API key decides about tools. */
export interface McpCaller {
  /** Of the key, or of its owner. */
  groups: readonly string[];
  /** Names of servers, and tools as `server/tool`; null for all. */
  mcpTools: ReadonlySet<string> | null;
}

export const settingsOf = (row: McpServerRow): McpServerSettings => ({
  name: row.name,
  description: row.description,
  url: row.url,
  enabled: row.enabled === 1,
  groups: JSON.parse(row.groups) as string[],
  tools: JSON.parse(row.tools) as string[],
  call_price: row.call_price,
  tool_prices: JSON.parse(row.tool_prices) as Record<string, number>,
  timeout_ms: row.timeout_ms,
});

export const mcpServerColumns = ({ enabled, groups, tools, tool_prices, ...same }: McpServerSettings) => ({
  ...same,
  enabled: enabled ? (1 as const) : (0 as const),
  groups: JSON.stringify(unique(groups)),
  tools: JSON.stringify(unique(tools)),
  tool_prices: JSON.stringify(tool_prices),
});

const unique = (names: readonly string[]): string[] => [...new Set(names)];

/** Throws where the form is out of date, and where credentials would reach another host than the one they were entered for. */
export function changedMcpServer(row: McpServerRow, change: McpServerChange): McpServerSettings {
  if (change.updated_at !== undefined && change.updated_at !== row.updated_at) throw refuse("changed_meanwhile");
  const { name, description, url, enabled, groups, tools, call_price, tool_prices, timeout_ms } = settingsOf(row);
  const isElsewhere = change.url !== undefined && new URL(change.url).origin !== new URL(url).origin;
  if (isElsewhere && change.headers === undefined && row.headers_sealed !== "") throw refuse("mcp_headers_required");
  return {
    name: change.name ?? name,
    description: change.description ?? description,
    url: change.url ?? url,
    enabled: change.enabled ?? enabled,
    groups: change.groups ?? groups,
    tools: change.tools ?? tools,
    call_price: change.call_price ?? call_price,
    tool_prices: change.tool_prices ?? tool_prices,
    timeout_ms: change.timeout_ms ?? timeout_ms,
  };
}

export const viewMcpServer = (row: McpServerRow): McpServer => ({
  id: row.id,
  uuid: row.uuid,
  ...settingsOf(row),
  header_names: JSON.parse(row.header_names) as string[],
  created_at: row.created_at,
  updated_at: row.updated_at,
});

export function accessOf(row: McpServerRow): McpServerAccess {
  const { name, groups, tools, call_price, tool_prices } = settingsOf(row);
  const prices = new Map(Object.entries(tool_prices));
  return {
    name,
    groups: groups.length === 0 ? null : new Set(groups),
    tools: tools.length === 0 ? null : new Set(tools),
    priceOf: (tool) => prices.get(tool) ?? call_price,
  };
}

/** Whether any tool of the server may be offered to the caller. */
export const mayUseServer = ({ name, groups }: McpServerAccess, { groups: own, mcpTools }: McpCaller): boolean =>
  (groups === null || own.some((group) => groups.has(group))) &&
  (mcpTools === null || mcpTools.has(name) || [...mcpTools].some((one) => one.startsWith(`${name}/`)));

/** Whether a server offers a tool by this name at all. */
export const isOffered = ({ tools }: Pick<McpServerAccess, "tools">, tool: string): boolean =>
  mcpToolPattern.test(tool) && (tools === null || tools.has(tool));

/** The one rule by which lists are filtered and calls are admitted. */
export const mayCallTool = (server: McpServerAccess, caller: McpCaller, tool: string): boolean =>
  isOffered(server, tool) &&
  mayUseServer(server, caller) &&
  (caller.mcpTools === null || caller.mcpTools.has(server.name) || caller.mcpTools.has(`${server.name}/${tool}`));

/** What a server says of itself. `issue` says in words why it could not be asked. */
export type McpServerAnswer =
  | { protocol: string; tools: readonly { name: string; description: string }[] }
  | { issue: string };

const descriptionMax = 500;

export const shownTool = (server: McpServerAccess, name: string, description: string): McpToolShown => ({
  name: name.slice(0, 128),
  description: description.slice(0, descriptionMax),
  offered: isOffered(server, name),
  price: server.priceOf(name),
});
