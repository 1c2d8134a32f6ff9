/** The headers that reach one MCP server, with its credentials: sealed for their row. */
import { isDeepStrictEqual } from "node:util";
import type { Sealer } from "../secrets/seal.ts";
import type { McpServerRow } from "./mcp-server-store.ts";

const purpose = "mcp-headers";
const contextOf = (uuid: string) => `mcp_servers/headers_sealed/${uuid}` as const;

export type McpHeaders = Readonly<Record<string, string>>;

export const sealMcpHeaders = (seal: Sealer, uuid: string, headers: McpHeaders): string =>
  Object.keys(headers).length === 0 ? "" : seal.seal(purpose, contextOf(uuid), JSON.stringify(headers));

const withLowerNames = (headers: McpHeaders): McpHeaders =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** Sealed values, and the names that may be shown. */
export function mcpHeaderColumns(seal: Sealer, uuid: string, headers: McpHeaders) {
  const lowered = withLowerNames(headers);
  return {
    headers_sealed: sealMcpHeaders(seal, uuid, lowered),
    header_names: JSON.stringify(Object.keys(lowered).sort()),
  };
}

export const openMcpHeaders = (
  seal: Sealer,
  { uuid, headers_sealed }: Pick<McpServerRow, "uuid" | "headers_sealed">,
): McpHeaders =>
  headers_sealed === "" ? {} : (JSON.parse(seal.open(purpose, contextOf(uuid), headers_sealed)) as McpHeaders);

/** Whether a server sends exactly these; undefined for whatever it sends. */
export const hasMcpHeaders = (
  seal: Sealer,
  row: Pick<McpServerRow, "uuid" | "headers_sealed">,
  headers: McpHeaders | undefined,
): boolean => headers === undefined || isDeepStrictEqual(openMcpHeaders(seal, row), withLowerNames(headers));
