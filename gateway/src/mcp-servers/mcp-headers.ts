/** The headers that reach one MCP server, with its credentials: sealed for their row. */
import type { Sealer } from "../secrets/seal.ts";
import type { McpServerRow } from "./mcp-server-store.ts";

const purpose = "mcp-headers";
const contextOf = (uuid: string) => `mcp_servers/headers_sealed/${uuid}` as const;

export type McpHeaders = Readonly<Record<string, string>>;

export const sealMcpHeaders = (seal: Sealer, uuid: string, headers: McpHeaders): string =>
  Object.keys(headers).length === 0 ? "" : seal.seal(purpose, contextOf(uuid), JSON.stringify(headers));

export const openMcpHeaders = (
  seal: Sealer,
  { uuid, headers_sealed }: Pick<McpServerRow, "uuid" | "headers_sealed">,
): McpHeaders =>
  headers_sealed === "" ? {} : (JSON.parse(seal.open(purpose, contextOf(uuid), headers_sealed)) as McpHeaders);
