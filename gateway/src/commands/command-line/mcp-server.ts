/**
 * A server of the Model Context Protocol, revision 2025-06-18, with tools and nothing else:
 * JSON-RPC 2.0, one message a line (modelcontextprotocol.io/specification, "Base protocol" and
 * "Tools"). It knows neither what the tools do nor where lines come from.
 */
import * as z from "zod/mini";
import {
  buildRpcFailure,
  buildRpcResult,
  type RpcReply,
  rpcErrors,
  rpcRequest,
} from "../../http/json-rpc.ts";

/** `McpToolDescription` is what `tools/list` shows of a tool. */
export interface McpToolDescription {
  name: string;
  title: string;
  description: string;
  inputSchema: Readonly<Record<string, unknown>>;
  annotations: { readOnlyHint: boolean; destructiveHint: boolean };
}

export interface McpTools {
  /** `instructions` are for the agent, before its first call. */
  instructions: string;
  list: readonly McpToolDescription[];
  /**
   * Undefined for a tool that does not exist. What a tool refuses is a reply too, for the agent to
   * read.
   */
  call(name: string, input: unknown): Promise<McpToolReply | undefined>;
}

export interface McpToolReply {
  text: string;
  isError: boolean;
}

/**
 * Revisions in which these messages have the same form; the first is offered to a client that asks
 * for another.
 */
const protocolVersions = ["2025-06-18", "2025-11-25", "2025-03-26", "2024-11-05"] as const;

const toolCall = z.object({ name: z.string(), arguments: z._default(z.unknown(), {}) });

/** Answers one line; undefined for a notification and for a reply, which nothing here asks for. */
export async function answerMcpLine(
  line: string,
  tools: McpTools,
  version: string,
): Promise<string | undefined> {
  const reply = await answerLine(line, tools, version);
  return reply && JSON.stringify(reply);
}

const failed = (id: RpcReply["id"], code: number, message: string): RpcReply =>
  buildRpcFailure(id, { code, message });

async function answerLine(
  line: string,
  tools: McpTools,
  version: string,
): Promise<RpcReply | undefined> {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return failed(null, rpcErrors.parse, "The line holds no JSON");
  }
  const parsed = z.safeParse(rpcRequest, message);
  if (!parsed.success)
    return failed(null, rpcErrors.request, "The message is no request of JSON-RPC 2.0");
  const { id, method, params } = parsed.data;
  if (id === undefined) return undefined;
  const succeeded = (result: unknown): RpcReply => buildRpcResult(id, result);
  switch (method) {
    case "initialize":
      return succeeded({
        protocolVersion:
          protocolVersions.find((one) => one === params.protocolVersion) ?? protocolVersions[0],
        capabilities: { tools: {} },
        serverInfo: { name: "tollgate", version },
        instructions: tools.instructions,
      });
    case "ping":
      return succeeded({});
    case "tools/list":
      return succeeded({ tools: tools.list });
    case "tools/call": {
      const call = z.safeParse(toolCall, params);
      if (!call.success) return failed(id, rpcErrors.params, "The call names no tool");
      const reply = await tools.call(call.data.name, call.data.arguments);
      if (!reply) return failed(id, rpcErrors.params, "There is no such tool");
      return succeeded({ content: [{ type: "text", text: reply.text }], isError: reply.isError });
    }
    default:
      return failed(id, rpcErrors.method, "This server has tools alone");
  }
}

/** A request of an agent fits; without a bound, a line without an end would fill the memory. */
const lineBytesMax = 4 * 1_024 * 1_024;

/**
 * Answers line by line, in order, until the client ends its side. Rejects for a line that is too
 * long.
 */
export async function serveMcpLines(
  input: AsyncIterable<string | Buffer>,
  answer: (line: string) => Promise<string | undefined>,
  print: (line: string) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of input) {
    rest += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > lineBytesMax)
      throw new RangeError(`a message is longer than ${lineBytesMax >> 20} MiB`);
    for (const line of lines) {
      if (line.trim() === "") continue;
      const reply = await answer(line);
      if (reply !== undefined) print(reply);
    }
  }
}
