/**
 * The reasons for which an MCP server gave no usable reply, and the words for a client of the
 * gateway.
 */
import { buildRpcFailure, type RpcError, type RpcId, rpcErrors } from "../../http/json-rpc.ts";
import type { ErrorFormat } from "../formats/api-format.ts";
import { type RelayRefusal, RelayRefused } from "../wire/relay-refusal.ts";

/**
 * `blocked`: the operator's rules forbid the address. `refused`: an HTTP error. `bad_answer`: no
 * message of the protocol.
 */
export type McpFailureKind =
  | "blocked"
  | "unreachable"
  | "silent"
  | "refused"
  | "bad_answer"
  | "too_large";

export class McpFailure extends Error {
  readonly kind: McpFailureKind;
  /** The server's HTTP status; 0 without one. */
  readonly status: number;
  /** The message that the server sent with its HTTP error. */
  readonly rpcError: RpcError | undefined;

  constructor(kind: McpFailureKind, detail: string, status = 0, rpcError?: RpcError) {
    super(detail);
    this.kind = kind;
    this.status = status;
    this.rpcError = rpcError;
  }
}

/**
 * `publicSentences` are for clients: neutral, because the detail names the operator's hosts and
 * accounts.
 */
const publicSentences: Readonly<Record<McpFailureKind, string>> = {
  blocked: "The MCP server cannot be reached",
  unreachable: "The MCP server cannot be reached",
  silent: "The MCP server did not answer in time",
  refused: "The MCP server refused the request",
  bad_answer: "The MCP server gave no usable answer",
  too_large: "The MCP server's answer is too large",
};

export const formatPublicSentence = ({ kind }: McpFailure): string => publicSentences[kind];

export const refuseFailure = (failure: McpFailure): RelayRefusal => ({
  status: failure.kind === "silent" ? 504 : 502,
  type: "upstream_error",
  code: `mcp_${failure.kind}`,
  message: formatPublicSentence(failure),
});

interface McpRefusal extends RelayRefusal {
  rpcError: RpcError;
}

/** A refusal with an error of the protocol's own, whatever its HTTP status. */
export function refuseMcpRefused(status: number, rpcError: RpcError, code: string): RelayRefused {
  const refusal: McpRefusal = {
    status,
    type: "invalid_request_error",
    code,
    message: rpcError.message,
    rpcError,
  };
  return new RelayRefused(refusal);
}

export const refuseUnknownTool = (tool: string): RelayRefused =>
  refuseMcpRefused(
    200,
    { code: rpcErrors.params, message: `There is no tool ${tool.slice(0, 200)}` },
    "unknown_tool",
  );

/** Errors as clients of the protocol read them; `id` is that of their request. */
export const buildMcpErrors = (id: RpcId | null): ErrorFormat => ({
  errorBody: (refusal, requestId) =>
    JSON.stringify(buildRpcFailure(id, buildRpcError(refusal, requestId))),
  streamError: (refusal, requestId) =>
    readMessageEvent(buildRpcFailure(id, buildRpcError(refusal, requestId))),
});

export const readMessageEvent = (message: unknown): string =>
  `event: message\ndata: ${JSON.stringify(message)}\n\n`;

function buildRpcError(refusal: RelayRefusal | McpRefusal, requestId: string): RpcError {
  if ("rpcError" in refusal) return refusal.rpcError;
  const { message, type, code, budget } = refusal;
  return {
    code: rpcErrors.refused,
    message: `${message} (request id: ${requestId})`,
    data: { type, code: code ?? null, ...(budget && { budget }) },
  };
}
