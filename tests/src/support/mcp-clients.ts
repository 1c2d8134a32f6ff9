/**
 * Clients of MCP servers by the protocol's own libraries, one for each revision that the gateway
 * speaks.
 */
import {
  Client as StatelessClient,
  StreamableHTTPClientTransport as StatelessTransport,
} from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const authorized = (apiKey: string) => ({
  requestInit: { headers: { authorization: `Bearer ${apiKey}` } },
});

/** `statelessMcpClient` is about revision 2026-07-28: each request is whole. */
export async function statelessMcpClient(url: URL, apiKey: string) {
  const client = new StatelessClient(
    { name: "agent", version: "1" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  await client.connect(new StatelessTransport(url, authorized(apiKey)));
  return client;
}

/** `sessionMcpClient` is about revision 2025-11-25: it begins with a handshake. */
export async function sessionMcpClient(url: URL, apiKey: string) {
  const client = new Client({ name: "agent", version: "1" });
  const transport = new StreamableHTTPClientTransport(url, authorized(apiKey));
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return client;
}

export const toolNames = ({ tools }: { tools: { name: string }[] }): string[] =>
  tools.map(({ name }) => name).sort();

/** The text that a tool answers with. */
export const toolText = (result: object): string | undefined =>
  "content" in result ? (result.content as { text: string }[])[0]?.text : undefined;
