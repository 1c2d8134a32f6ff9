/** An MCP server as a configuration document writes it, and the settings that it asks for. Pure. */
import { isHeaderMask } from "@tollgate/contract/catalogue/channel-overrides.ts";
import type { McpServerInput } from "@tollgate/contract/catalogue/mcp-servers.ts";
import type { ConfiguredMcpServer } from "@tollgate/contract/commands/configuration.ts";
import type { McpHeaders } from "../../catalogue/mcp-servers/mcp-headers.ts";
import { buildSettings } from "../../catalogue/mcp-servers/mcp-server-rules.ts";
import type { McpServerRow } from "../../catalogue/mcp-servers/mcp-server-store.ts";
import { refuse } from "../../http/refusal.ts";
import { readSecretReference } from "./secret-reference.ts";

/** `isEnabled`: of the stored server, for a document that does not say. */
export const listMcpServerSettings = (
  wanted: ConfiguredMcpServer,
  isEnabled: boolean,
): Omit<McpServerInput, "headers"> => ({
  name: wanted.name,
  description: wanted.description,
  url: wanted.url,
  enabled: wanted.enabled ?? isEnabled,
  named_only: wanted.namedOnly,
  groups: wanted.groups,
  tools: wanted.tools,
  call_price: wanted.callPrice,
  tool_prices: wanted.toolPrices,
  timeout_ms: wanted.timeoutMs,
});

/**
 * `readWantedMcpHeaders` gives names in lower case, with the stored value where the document has a
 * mask: its variable is not set.
 */
export function readWantedMcpHeaders(wanted: McpHeaders, stored: McpHeaders): McpHeaders {
  const values = Object.entries(wanted).map(([name, value]): [string, string] => {
    const lowered = name.toLowerCase();
    if (!isHeaderMask(value)) return [lowered, value];
    const kept = stored[lowered];
    if (kept !== undefined) return [lowered, kept];
    const message = `headers: the gateway has no value of ${name} yet. Set the variable that the file names for it`;
    throw refuse("invalid_request", { message, fields: { headers: message } });
  });
  return Object.fromEntries(values);
}

export function buildConfiguredMcpServer(row: McpServerRow): ConfiguredMcpServer {
  const {
    name,
    description,
    url,
    enabled,
    named_only,
    groups,
    tools,
    call_price,
    tool_prices,
    timeout_ms,
  } = buildSettings(row);
  const headerNames = JSON.parse(row.header_names) as string[];
  return {
    name,
    description,
    url,
    headers: Object.fromEntries(
      headerNames.map((header) => [
        header,
        readSecretReference("TOLLGATE_MCP_SERVER", name, header),
      ]),
    ),
    ...(!enabled && { enabled }),
    namedOnly: named_only,
    groups,
    tools,
    callPrice: call_price,
    toolPrices: tool_prices,
    timeoutMs: timeout_ms,
  };
}
