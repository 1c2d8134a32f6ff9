/**
 * `/mcp` and `/mcp/:name`: a server of the Model Context Protocol with tools alone, in front of the
 * servers that operators register. Clients of both eras are answered without a session: what
 * belongs to one is between the gateway and a server.
 */

import * as z from "zod/mini";
import packageJson from "../../../package.json" with { type: "json" };
import { mayCallTool, mayUseServer } from "../../catalogue/mcp-servers/mcp-server-rules.ts";
import { buildRpcResult, type RpcRequest, rpcErrors, rpcRequest } from "../../http/json-rpc.ts";
import type {
  CallerFunds,
  CallerIdentity,
  CallerReach,
  KeyRules,
} from "../admission/caller-parts.ts";
import { admitTokenCount } from "../admission/token-limits.ts";
import type { FrameDeps } from "../call-refusals.ts";
import { buildRefusal, readRefusalReason, refuseWhenOverloaded } from "../call-refusals.ts";
import { authenticateExchange, sendJson } from "../endpoints/json-endpoint.ts";
import type { Exchange } from "../exchange.ts";
import type {
  ArrivedRequest,
  ErrorFormatChoice,
  KnownCall,
  ReplyToClient,
  SentAnswer,
  StreamToClient,
} from "../exchange-parts.ts";
import { readBody } from "../read-body.ts";
import { buildChargedTerms, type ReadingDeps } from "../refuse-unpaid.ts";
import { refuseInShadow } from "../shadow/shadow-refusal.ts";
import type { ShadowRuns } from "../shadow/shadow-runs.ts";
import type { ObjectRequestDeps } from "../stored-files/admit-object-request.ts";
import { boundOutline } from "../wire/bounded-json.ts";
import { type JsonRecord, record, text } from "../wire/json-parts.ts";
import { findLeadingText } from "../wire/json-spans.ts";
import { RelayRefused } from "../wire/relay-refusal.ts";
import type { LiveMcpServer, McpServers } from "./live-mcp-servers.ts";
import {
  buildMcpErrors,
  McpFailure,
  refuseFailure,
  refuseMcpRefused,
  refuseUnknownTool,
} from "./mcp-failure.ts";
import {
  buildEra,
  type McpEra,
  metaNames,
  negotiated,
  statelessRevision,
} from "./mcp-revisions.ts";
import { callTool, type ToolCallDeps } from "./tool-call.ts";
import { buildPrefixedTool, formatDividedName } from "./tool-names.ts";

export type McpDeps = ToolCallDeps &
  ObjectRequestDeps &
  ReadingDeps &
  FrameDeps & {
    mcp: McpServers;
    shadow: Pick<ShadowRuns, "current">;
  };

/** Arguments may hold a document. */
const bodyMax = 4 * 1024 * 1024;
const mirroredMax = 50;
const mirroredValueMax = 4_000;
const paths = /^\/mcp(?:\/([a-z][a-z0-9-]{0,30}))?\/?$/;

type McpHandler = (exchange: Exchange, deps: McpDeps) => Promise<void>;

/** Undefined for every other address. */
export function findMcpEndpoint(path: string): McpHandler | undefined {
  const found = paths.exec(path);
  return found ? (exchange, deps) => relayMcp(exchange, found[1], deps) : undefined;
}

interface McpRequest extends RpcRequest {
  era: McpEra;
  bodyBytes: number;
}

async function relayMcp(
  exchange: Exchange,
  name: string | undefined,
  deps: McpDeps,
): Promise<void> {
  exchange.speak(buildMcpErrors(null));
  deps.callMetrics.began("mcp");
  try {
    refuseWhenOverloaded(deps);
    refuseInShadow(deps.shadow);
    if (exchange.request.method !== "POST") throw onlyPost();
    const caller = await authenticateExchange(exchange, deps);
    const servers = listServers(caller, name, deps);
    const request = await readMessage(exchange, { name, servers }, deps);
    if (request.id === undefined) return exchange.answer(202, "application/json", Buffer.alloc(0));
    await answerRequest(exchange, caller, { name, servers }, request, deps);
  } catch (error) {
    refuse(exchange, error, deps);
  } finally {
    deps.callMetrics.ended("mcp");
    exchange.facts.admission?.finish(0);
  }
}

function refuse(exchange: KnownCall & ReplyToClient, error: unknown, deps: McpDeps): void {
  const refusal = buildRefusal(error, deps.onError);
  exchange.refuse(refusal);
  if (exchange.facts.model !== "") deps.refusedCalls.record(exchange, error);
  deps.callMetrics.refused("mcp", readRefusalReason(refusal), refusal.budget);
}

const onlyPost = (): RelayRefused =>
  new RelayRefused({
    status: 405,
    type: "invalid_request_error",
    code: "method_not_allowed",
    message: "The gateway keeps no streams and sessions: send each message with POST",
    headers: ["allow", "POST"],
  });

/**
 * `listServers` does the same for a server that does not exist as for one that the caller may not
 * use.
 */
function listServers(
  caller: CallerReach,
  name: string | undefined,
  { mcp }: Pick<McpDeps, "mcp">,
): LiveMcpServer[] {
  const all = name === undefined ? mcp.all() : [mcp.find(name) ?? []].flat();
  const usable = all.filter(({ access }) => mayUseServer(access, caller));
  if (name === undefined || usable.length > 0) return usable;
  const message = `There is no MCP server ${name} for this API key`;
  throw new RelayRefused({
    status: 404,
    type: "invalid_request_error",
    code: "mcp_server_not_found",
    message,
  });
}

async function readMessage(
  exchange: KnownCall & ErrorFormatChoice & SentAnswer,
  scope: McpScope,
  deps: McpDeps,
): Promise<McpRequest> {
  const terms = buildChargedTerms(exchange, deps, (beginning) =>
    isFreeAtBeginning(beginning, scope),
  );
  const body = await readBody(exchange.request, bodyMax, terms);
  const json = body.toString("utf8");
  boundOutline(json);
  let message: unknown;
  try {
    message = JSON.parse(json);
  } catch {
    throw refuseProtocol(400, rpcErrors.parse, "The body is not valid JSON");
  }
  const parsed = z.safeParse(rpcRequest, message);
  if (!parsed.success)
    throw refuseProtocol(400, rpcErrors.request, "The body is no request of JSON-RPC 2.0");
  const { id } = parsed.data;
  if (id !== undefined) exchange.speak(buildMcpErrors(id));
  const checked = buildEra(parsed.data, exchange.request.headers);
  if ("error" in checked) throw refuseMcpRefused(400, checked.error, "protocol_mismatch");
  return { ...parsed.data, era: checked.era, bodyBytes: body.length };
}

/** Tools alone have prices, and their parameters alone are long. */
function isFreeAtBeginning(beginning: Buffer, scope: McpScope): boolean {
  if (findLeadingText(beginning, "method") !== "tools/call") return false;
  const name = findLeadingText(
    beginning.subarray(Math.max(0, beginning.indexOf('"params"'))),
    "name",
  );
  if (name === undefined) return false;
  const { server, tool } = readCalledTool(scope, { name });
  return server.access.priceOf(tool) === 0;
}

const refuseProtocol = (status: number, code: number, message: string): RelayRefused =>
  refuseMcpRefused(status, { code, message }, "invalid_message");

interface McpScope {
  /** Undefined at the address of all servers. */
  name: string | undefined;
  servers: readonly LiveMcpServer[];
}

async function answerRequest(
  exchange: KnownCall & ReplyToClient & StreamToClient & SentAnswer,
  caller: CallerIdentity & CallerReach & CallerFunds & KeyRules,
  scope: McpScope,
  { id = 0, method, params, era, bodyBytes }: McpRequest,
  deps: McpDeps,
): Promise<void> {
  const serverInfo = { name: scope.name ?? "tollgate", version: packageJson.version };
  const reply = (result: JsonRecord): void =>
    sendJson(
      exchange,
      buildRpcResult(id, era === "handshake" ? result : stateless(result, serverInfo)),
    );
  if (method === "tools/call") {
    const named = readCalledTool(scope, params);
    const headers = era === "stateless" ? buildMirroredHeaders(exchange) : {};
    const capabilities = era === "stateless" ? buildInputCapabilities(params) : {};
    return callTool(
      exchange,
      caller,
      { id, era, ...named, headers, capabilities, bodyBytes },
      deps,
    );
  }
  if (method === "tools/list") {
    await admitTokenCount(caller, deps.settings.tokenCountsPerMinute(), deps.counters);
    return reply(addCacheHints(era, { tools: await listTools(scope, caller, deps) }));
  }
  if (method === "server/discover" && era === "stateless")
    return reply(
      addCacheHints(era, { supportedVersions: [statelessRevision], capabilities: { tools: {} } }),
    );
  if (method === "initialize" && era === "handshake")
    return reply({ protocolVersion: negotiated(params), capabilities: { tools: {} }, serverInfo });
  if (method === "ping" && era === "handshake") return reply({});
  const status = era === "stateless" ? 404 : 200;
  throw refuseMcpRefused(
    status,
    { code: rpcErrors.method, message: "The gateway has tools alone" },
    "unknown_method",
  );
}

const stateless = (result: JsonRecord, serverInfo: JsonRecord): JsonRecord => ({
  resultType: "complete",
  ...result,
  _meta: { [metaNames.serverInfo]: serverInfo },
});

/** Lists differ by the key, and operators change them at any time. */
const addCacheHints = (era: McpEra, result: JsonRecord): JsonRecord =>
  era === "handshake" ? result : { ...result, ttlMs: 0, cacheScope: "private" };

function readCalledTool({ name, servers }: McpScope, params: JsonRecord) {
  const called = text(params.name);
  const divided = name === undefined ? formatDividedName(called) : { server: name, tool: called };
  const server = divided && servers.find(({ access }) => access.name === divided.server);
  if (!server) throw refuseUnknownTool(called);
  return { server, tool: divided.tool, params: { ...params, name: divided.tool } };
}

/**
 * A server that gives no list leaves those of the others; alone, it is told as the failure that it
 * is.
 */
async function listTools(
  { name, servers }: McpScope,
  caller: CallerReach,
  deps: McpDeps,
): Promise<JsonRecord[]> {
  const lists = await Promise.all(
    servers.map(async ({ access, tools }) => {
      try {
        const allowed = (await tools()).filter((tool) => mayCallTool(access, caller, tool.name));
        return allowed.map((tool) =>
          name === undefined
            ? buildPrefixedTool(access.name, tool.name, tool.described)
            : tool.described,
        );
      } catch (error) {
        if (!(error instanceof McpFailure)) throw error;
        if (name !== undefined) throw new RelayRefused(refuseFailure(error));
        deps.onError(error);
        return [];
      }
    }),
  );
  return lists.flat();
}

/** Parameters that a tool's description asks clients to mirror into headers. */
function buildMirroredHeaders({ request: { headers } }: ArrivedRequest): Record<string, string> {
  const mirrored = Object.entries(headers).filter(
    (header): header is [string, string] =>
      header[0].startsWith("mcp-param-") &&
      typeof header[1] === "string" &&
      header[1].length <= mirroredValueMax,
  );
  return Object.fromEntries(mirrored.slice(0, mirroredMax));
}

/** Extensions are left out: the gateway answers none. */
function buildInputCapabilities({ _meta }: JsonRecord): JsonRecord {
  const { elicitation, sampling, roots } = record(record(_meta)[metaNames.clientCapabilities]);
  return {
    ...(elicitation !== undefined && { elicitation }),
    ...(sampling !== undefined && { sampling }),
    ...(roots !== undefined && { roots }),
  };
}
