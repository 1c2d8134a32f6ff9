// The providers of what is no plain call: videos, batches and tools, with what they cost in units.
import { chatBody } from "@tollgate/tests/harness/test-gateway.ts";
import { startScriptedMcpServer } from "@tollgate/tests/support/mcp-test-servers.ts";
import type { RunGateway } from "./run-gateway.ts";

/**
 * The simulator's keys behind the models of the same names: a run scripts how its next task ends.
 */
export const taskKeys = { filmed: "sim-as-films", batched: "sim-as-batches" } as const;
/** A second of video. */
export const secondUnits = 5;
/** A tool's result, which no group's ratio multiplies. */
export const toolUnits = 7;
/** A prompt token of a batch, and the multiple for a completion token. */
export const batchPrice = { ratio: 1, completionRatio: 4 } as const;

/** `toolEnds` says how a tool ends, by its name; `broken` is a server that fails. */
export const toolEnds = ["result", "error", "broken"] as const;
export type ToolEnd = (typeof toolEnds)[number];

const unitsPerDollar = 500_000;

/** `toolServer` is the address of an MCP server that the gateway may call. */
export async function addTaskProviders(runGateway: RunGateway, toolServer: string): Promise<void> {
  const { root, world } = runGateway;
  const common = { type: 1, base_url: world.simulator.url, group: "default" };
  // What the provider says that it made is charged, also where it is more than was held.
  const config = JSON.stringify({ may_report_false_usage: false });
  const filmed = { prices: { seconds: secondUnits / unitsPerDollar } };
  const batched = { ratio: batchPrice.ratio, completion_ratio: batchPrice.completionRatio };
  await root("POST", "/api/channel/", {
    ...common,
    ...{
      name: "films",
      key: taskKeys.filmed,
      models: "filmed",
      config,
      model_configs: JSON.stringify({ filmed }),
    },
  });
  // Files are kept by the channel of the highest priority, and a batch runs where its file is.
  await root("POST", "/api/channel/", {
    ...common,
    ...{
      name: "batches",
      key: taskKeys.batched,
      models: "batched",
      config,
      model_configs: JSON.stringify({ batched }),
    },
    priority: 99,
  });
  await root("POST", "/api/mcp_server/", {
    ...{ name: "tools", url: toolServer, named_only: false, call_price: toolUnits },
  });
}

/** A server whose tools are named after how they end. */
export async function startToolServer() {
  const server = await startScriptedMcpServer(toolEnds);
  server.script.answer = (_request, response, body) => {
    const { id, params } = JSON.parse(body) as { id: unknown; params: { name: ToolEnd } };
    if (params.name === "broken") return void response.writeHead(503).end("busy");
    const result = { content: [{ type: "text", text: "done" }], isError: params.name === "error" };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  };
  return server;
}

/** Asks with a key, as JSON or with a form; without a body it reads. */
export function sendTask(
  { world }: Pick<RunGateway, "world">,
  key: string,
  path: string,
  body?: Record<string, unknown> | FormData,
): Promise<Response> {
  const isForm = body instanceof FormData;
  return fetch(`${world.url}/${path}`, {
    method: body ? "POST" : "GET",
    headers: {
      authorization: `Bearer ${key}`,
      accept: "application/json, text/event-stream",
      ...(!isForm && { "content-type": "application/json" }),
    },
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
  });
}

export const toolCall = (name: ToolEnd) => ({
  ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
  params: { name, arguments: {} },
});

const endpoint = "/v1/chat/completions";

/** The file of a batch of equal lines. */
export function batchFile(lines: number, max_tokens: number): FormData {
  const line = (n: number) => ({
    ...{ custom_id: `line-${n}`, method: "POST", url: endpoint },
    body: chatBody({ model: "batched", max_tokens }),
  });
  const text = Array.from({ length: lines }, (_, n) => JSON.stringify(line(n))).join("\n");
  const form = new FormData();
  form.append("purpose", "batch");
  form.append("file", new File([text], "in.jsonl"));
  return form;
}

export const batchOf = (input_file_id: string) => ({
  input_file_id,
  endpoint,
  completion_window: "24h",
});
