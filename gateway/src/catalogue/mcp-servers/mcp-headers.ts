/** The headers that reach one MCP server, with its credentials: sealed for their row. */
import { isDeepStrictEqual } from "node:util";
import type { Sealer } from "../../secrets/seal.ts";
import type { McpServerRow } from "./mcp-server-store.ts";

const purpose = "mcp-headers";
const composeContext = (uuid: string) => `mcp_servers/headers_sealed/${uuid}` as const;

export type McpHeaders = Readonly<Record<string, string>>;

export const sealMcpHeaders = (seal: Sealer, uuid: string, headers: McpHeaders): string =>
  Object.keys(headers).length === 0
    ? ""
    : seal.seal(purpose, composeContext(uuid), JSON.stringify(headers));

const lowerNames = (headers: McpHeaders): McpHeaders =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** Sealed values, and the names that may be shown. */
export function buildMcpHeaderColumns(seal: Sealer, uuid: string, headers: McpHeaders) {
  const lowered = lowerNames(headers);
  return {
    headers_sealed: sealMcpHeaders(seal, uuid, lowered),
    header_names: JSON.stringify(Object.keys(lowered).sort()),
  };
}

export const openMcpHeaders = (
  seal: Sealer,
  { uuid, headers_sealed }: Pick<McpServerRow, "uuid" | "headers_sealed">,
): McpHeaders =>
  headers_sealed === ""
    ? {}
    : (JSON.parse(seal.open(purpose, composeContext(uuid), headers_sealed)) as McpHeaders);

/** `hasMcpHeaders` says whether a server sends exactly these; undefined for whatever it sends. */
export const hasMcpHeaders = (
  seal: Sealer,
  row: Pick<McpServerRow, "uuid" | "headers_sealed">,
  headers: McpHeaders | undefined,
): boolean =>
  headers === undefined || isDeepStrictEqual(openMcpHeaders(seal, row), lowerNames(headers));
