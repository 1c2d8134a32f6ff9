/** JSON-RPC 2.0 (jsonrpc.org/specification) as far as the Model Context Protocol uses it. */
import * as z from "zod/mini";

/** Section 5.1, and codes that the protocol's revision 2026-07-28 reserves. */
export const rpcErrors = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  /** Free for servers. */
  refused: -32000,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;

export type RpcId = string | number;

export const rpcRequest = z.object({
  jsonrpc: z.literal("2.0"),
  /** A notification has none, and gets no reply. */
  id: z.optional(z.union([z.string(), z.number()])),
  method: z.string(),
  params: z._default(z.record(z.string(), z.unknown()), {}),
});
export type RpcRequest = z.output<typeof rpcRequest>;

export interface RpcError {
  code: number;
  message: string;
  data?: unknown;
}

export interface RpcReply {
  jsonrpc: "2.0";
  id: RpcId | null;
  result?: unknown;
  error?: RpcError;
}

export const buildRpcResult = (id: RpcId | null, result: unknown): RpcReply => ({
  jsonrpc: "2.0",
  id,
  result,
});
export const buildRpcFailure = (id: RpcId | null, error: RpcError): RpcReply => ({
  jsonrpc: "2.0",
  id,
  error,
});
