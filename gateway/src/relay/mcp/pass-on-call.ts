/**
 * A call of a tool on its way to the server and back: what the client is told meanwhile, what it
 * gets, and what it costs.
 */
import { buildRpcFailure, buildRpcResult, type RpcError, type RpcId } from "../../http/json-rpc.ts";
import type {
  ArrivedRequest,
  ClientPresence,
  ReplyToClient,
  StreamToClient,
} from "../exchange-parts.ts";
import { type JsonRecord, record, text } from "../wire/json-parts.ts";
import type { LiveMcpServer } from "./live-mcp-servers.ts";
import { McpFailure, readMessageEvent, refuseFailure } from "./mcp-failure.ts";
import { type McpEra, metaNames } from "./mcp-revisions.ts";
import { stripSecrets } from "./mcp-secrets.ts";
import { type EndedToolCall, resultTypes } from "./tool-call-end.ts";

/** A tool may work for minutes; proxies end connections that are silent for less. */
const heartbeatAfterMs = 15_000;
/** `notificationsMax` is that of one call: what a client is told while the tool works. */
const notificationsMax = 10_000;
/** Others are of sessions, or ask the client for something that the gateway has not offered. */
const passedNotifications: ReadonlySet<string> = new Set([
  "notifications/progress",
  "notifications/message",
]);

export interface McpToolCall {
  id: RpcId;
  era: McpEra;
  server: LiveMcpServer;
  tool: string;
  /** `params` are those that the client sent, with the server's name of the tool. */
  params: JsonRecord;
  /** `headers` are what the client mirrors from its arguments into headers. */
  headers: Readonly<Record<string, string>>;
  /** `capabilities` says how the client can be asked for input, in the stateless revision alone. */
  capabilities: JsonRecord;
  bodyBytes: number;
}

/** Never rejects: a hold is open. */
export async function passToolCall(
  exchange: ArrivedRequest & StreamToClient & ClientPresence,
  call: McpToolCall,
  tokenId: number,
): Promise<EndedToolCall> {
  const { server, tool, headers, capabilities } = call;
  const { name, arguments: input, inputResponses, requestState, _meta } = call.params;
  const params = {
    name,
    ...(input !== undefined && { arguments: input }),
    ...(inputResponses !== undefined && { inputResponses }),
    ...(requestState !== undefined && { requestState }),
    ...(_meta !== undefined && { _meta: stripRevision(record(_meta)) }),
  };
  exchange.keepAlive(heartbeatAfterMs);
  let sent = 0;
  try {
    const reply = await server.link.ask(
      { method: "tools/call", params, name: tool, headers, capabilities },
      {
        id: exchange.requestId,
        holder: tokenId,
        signal: AbortSignal.timeout(server.timeoutMs),
        async onNotification(method, told) {
          sent += 1;
          if (!passedNotifications.has(method) || sent > notificationsMax) return;
          await tell(exchange, {
            jsonrpc: "2.0",
            method,
            params: stripSecrets(told, server.secrets),
          });
        },
      },
    );
    if ("error" in reply) return { error: cleanError(reply.error, server.secrets) };
    const { resultType = resultTypes.complete } = reply.result;
    if (resultType !== resultTypes.complete && resultType !== resultTypes.inputRequired)
      throw new McpFailure(
        "bad_answer",
        "the result is of a kind that the gateway did not ask for",
      );
    return { result: stripSecrets(reply.result, server.secrets) };
  } catch (error) {
    return {
      failure: error instanceof McpFailure ? error : new McpFailure("bad_answer", String(error)),
    };
  }
}

function cleanError({ code, message, data }: RpcError, secrets: readonly string[]): RpcError {
  const clean = stripSecrets({ message, data }, secrets);
  return {
    code,
    message: text(clean.message),
    ...(clean.data !== undefined && { data: clean.data }),
  };
}

/**
 * `stripRevision` gives what the client says of itself to the gateway; towards the server the
 * gateway is the client.
 */
const stripRevision = (meta: JsonRecord): JsonRecord =>
  Object.fromEntries(Object.entries(meta).filter(([name]) => !ofRevision.has(name)));
const ofRevision: ReadonlySet<string> = new Set(Object.values(metaNames));

/** `tell` writes at the pace of the client, until it leaves. */
async function tell(exchange: StreamToClient & ClientPresence, message: unknown): Promise<void> {
  if (exchange.hasClientLeft) return;
  await new Promise<void>((resolve) => {
    exchange.onClientLeave(resolve);
    if (exchange.write(Buffer.from(readMessageEvent(message)), resolve)) resolve();
  });
  exchange.onClientLeave(undefined);
}

export function answerToolCall(
  exchange: ReplyToClient & StreamToClient,
  { id, era }: McpToolCall,
  ended: EndedToolCall,
): void {
  if (exchange.hasClientLeft) return;
  if ("failure" in ended) {
    exchange.refuse(refuseFailure(ended.failure));
    return;
  }
  const reply =
    "error" in ended
      ? buildRpcFailure(id, ended.error)
      : buildRpcResult(
          id,
          era === "stateless"
            ? { resultType: resultTypes.complete, ...ended.result }
            : ended.result,
        );
  if (exchange.hasAnswered) exchange.endStream(Buffer.from(readMessageEvent(reply)));
  else exchange.answer(200, "application/json; charset=utf-8", Buffer.from(JSON.stringify(reply)));
}
