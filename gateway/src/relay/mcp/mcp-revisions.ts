/**
 * The revisions of the Model Context Protocol that clients and servers speak. Up to 2025-11-25 a
 * connection begins with `initialize`; from 2026-07-28 on every request says its revision itself,
 * in `_meta` and in headers that must agree with the body
 * (modelcontextprotocol.io/specification/2026-07-28, "Streamable HTTP"). Pure.
 */
import type { IncomingHttpHeaders } from "node:http";
import { type RpcError, rpcErrors } from "../../http/json-rpc.ts";
import { type JsonRecord, record, text } from "../wire/json-parts.ts";

export const statelessRevision = "2026-07-28";
/** Revisions with a handshake in which these messages have the same form, the newest first. */
export const handshakeRevisions: readonly string[] = [
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
];

export const metaNames = {
  version: "io.modelcontextprotocol/protocolVersion",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  serverInfo: "io.modelcontextprotocol/serverInfo",
} as const;

/** `McpEra` says how a client speaks: with every request whole, or after a handshake. */
export type McpEra = "stateless" | "handshake";

export interface McpRequestHead {
  method: string;
  params: JsonRecord;
}

/**
 * `buildEra` gives what is wrong with a request's revision, and the HTTP status for it; otherwise
 * the era.
 */
export function buildEra(
  { method, params }: McpRequestHead,
  headers: IncomingHttpHeaders,
): { era: McpEra } | { error: RpcError } {
  const sent = findHeaderText(headers["mcp-protocol-version"]);
  const version = record(params._meta)[metaNames.version];
  if (version === undefined) {
    // Without a header it is the oldest revision with this transport.
    if (sent === undefined || method === "initialize" || handshakeRevisions.includes(sent))
      return { era: "handshake" };
    if (sent === statelessRevision) return listMismatches(`the body has no ${metaNames.version}`);
    return unsupported(sent);
  }
  if (typeof version !== "string" || version !== sent)
    return listMismatches("MCP-Protocol-Version does not name the revision of the body");
  if (version !== statelessRevision) return unsupported(version);
  if (findHeaderText(headers["mcp-method"]) !== method)
    return listMismatches("Mcp-Method does not name the method of the body");
  if (method === "tools/call" && decodeHeader(headers["mcp-name"]) !== params.name)
    return listMismatches("Mcp-Name does not name the tool of the body");
  return { era: "stateless" };
}

const listMismatches = (message: string) => ({
  error: { code: rpcErrors.headerMismatch, message },
});

const unsupported = (requested: string) => ({
  error: {
    code: rpcErrors.unsupportedVersion,
    message: "Unsupported protocol version",
    data: {
      supported: [statelessRevision, ...handshakeRevisions],
      requested: requested.slice(0, 40),
    },
  },
});

const findHeaderText = (value: string | string[] | undefined): string | undefined =>
  typeof value === "string" ? value.trim() : undefined;

const encodedHeader = /^=\?base64\?(.*)\?=$/;

/** Names beyond visible ASCII travel in base64. */
function decodeHeader(value: string | string[] | undefined): string | undefined {
  const sent = findHeaderText(value);
  const encoded = sent === undefined ? undefined : encodedHeader.exec(sent)?.[1];
  return encoded === undefined ? sent : Buffer.from(encoded, "base64").toString("utf8");
}

/** The revision of the answer to `initialize`: the client's, where it is known. */
export const negotiated = (params: JsonRecord): string =>
  handshakeRevisions.find((one) => one === params.protocolVersion) ?? handshakeRevisions[0] ?? "";

export const hasStateless = (versions: unknown): boolean =>
  Array.isArray(versions) && versions.includes(statelessRevision);

/** The revision that a server chose; undefined for one that the gateway does not speak. */
export const findKnownHandshake = (result: JsonRecord): string | undefined =>
  handshakeRevisions.find((one) => one === text(result.protocolVersion));
