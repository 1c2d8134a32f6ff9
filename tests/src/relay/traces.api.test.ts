// What a collector of OpenTelemetry receives of calls, and what calls notice of it: nothing.
import { createMcpServer } from "@tollgate/contract/catalogue/mcp-servers.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { type ReceivedSpan, startSpanCollector } from "../harness/span-collector.ts";
import { model, startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { type McpTestServer, startStatelessMcpServer } from "../support/mcp-test-servers.ts";
import { startRecordingProvider } from "./recording-provider.ts";

const clientTrace = "4bf92f3577b34da6a3ce929d0e0e4736";
const clientSpan = "00f067aa0ba902b7";
const traceparent = `00-${clientTrace}-${clientSpan}-00`;
const canary = "canary-of-a-prompt";

let collector: Awaited<ReturnType<typeof startSpanCollector>>;
let provider: Awaited<ReturnType<typeof startRecordingProvider>>;
let pages: McpTestServer;
let gateway: TestGateway;

beforeAll(async () => {
  collector = await startSpanCollector();
  provider = await startRecordingProvider();
  pages = await startStatelessMcpServer();
  gateway = await startTestGateway({
    upstreams: [provider.url],
    env: {
      MCP_PRIVATE_HOSTS: new URL(pages.url).host,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20of-the-collector",
      OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
      OTEL_EXPORTER_OTLP_TIMEOUT: "1000",
      OTEL_TRACES_SAMPLER: "always_on",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
      LOG_CALLS: "true",
      LOG_LEVEL: "info",
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await Promise.all([collector.close(), provider.close(), pages.close()]);
});
beforeEach(() => {
  collector.spans.length = 0;
});

/** The spans of the only call, in the order of server, model and attempts. */
const received = (count: number): Promise<ReceivedSpan[]> =>
  eventually(() => {
    if (collector.spans.length < count)
      throw new Error(`${collector.spans.length} of ${count} spans are here`);
    expect(collector.spans).toHaveLength(count);
    return [...collector.spans];
  });

describe("a collector", () => {
  test("gets the client's trace, the call, the model and both attempts as one tree, without any text", async () => {
    await gateway.given.channel({ key: "sim-fail-500", priority: 9 });
    const good = await gateway.given.channel({ key: "sim-ok" });
    const { key, id } = await gateway.given.token();
    const body = JSON.stringify({ model, messages: [{ role: "user", content: canary }] });
    const response = await gateway.send(key, body, {
      headers: { traceparent, tracestate: "a=1", baggage: canary },
    });
    await response.text();
    const spans = await received(4);
    const [server, inference, first, second] = spans;

    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([clientTrace]));
    expect(server?.parentSpanId).toBe(clientSpan);
    expect(inference?.parentSpanId).toBe(server?.spanId);
    expect([first?.parentSpanId, second?.parentSpanId]).toEqual([
      inference?.spanId,
      inference?.spanId,
    ]);
    expect(spans.map(({ kind }) => kind)).toEqual([2, 3, 3, 3]);
    expect(spans.map(({ name }) => name)).toEqual([
      "POST /v1/chat/completions",
      `chat ${model}`,
      "POST",
      "POST",
    ]);
    expect(response.headers.get("traceparent")).toBe(`00-${clientTrace}-${server?.spanId}-01`);

    const log = await gateway.lastLog();
    expect(server?.values).toMatchObject({
      "http.response.status_code": "200",
      "tollgate.token.id": String(id),
      "tollgate.charge.units": String(log.quota),
      "tollgate.call.id": response.headers.get("x-request-id"),
    });
    expect(inference?.values).toMatchObject({
      "gen_ai.provider.name": "openai",
      "gen_ai.usage.input_tokens": String(log.prompt_tokens),
      "gen_ai.usage.output_tokens": String(log.completion_tokens),
    });
    expect(first?.values).toMatchObject({ "error.type": "500" });
    expect(second?.values).toMatchObject({
      "tollgate.channel.id": String(good.id),
      "http.request.resend_count": "1",
      "server.port": new URL(gateway.simulator.url).port,
    });
    expect(collector.complaints).toEqual([]);
    expect(collector.resource()).toMatchObject({
      "service.name": "tollgate",
      "deployment.environment.name": "test",
    });
    const [request] = collector.requests;
    expect(request?.path).toBe("/v1/traces");
    expect(request?.headers.authorization).toBe("Bearer of-the-collector");
    const everything = JSON.stringify(collector.requests);
    for (const secret of [canary, key, "sim-ok", "sim-fail-500", good.name])
      expect(everything).not.toContain(secret);

    const line = await eventually(() => {
      const found = gateway.process
        .output()
        .split("\n")
        .find((text) => text.includes('"event":"call"'));
      if (found === undefined) throw new Error("the line of the call is not printed yet");
      return JSON.parse(found) as Record<string, unknown>;
    });
    expect(line).toMatchObject({ trace_id: clientTrace, span_id: server?.spanId });
  });

  test("finds the attempt's span as the parent that the provider gets, and the channel can keep it from the provider", {
    tags: ["large"],
  }, async () => {
    const told = { key: "sk-1", base_url: provider.url };
    await gateway.given.channel({ ...told, models: "told" });
    await gateway.given.channel({
      ...told,
      models: "untold",
      config: '{"send_trace_context":false}',
    });
    const { key } = await gateway.given.token();
    const headers = { traceparent, tracestate: "a=1", baggage: "b=1" };
    const ask = async (name: string) => {
      const body = JSON.stringify({ model: name, messages: [{ role: "user", content: "x" }] });
      await (await gateway.send(key, body, { headers })).text();
      return provider.calls.at(-1)?.headers;
    };
    const got = await ask("told");
    const [, , attempt] = await received(3);
    expect(got).toMatchObject({
      traceparent: `00-${clientTrace}-${attempt?.spanId}-01`,
      tracestate: "a=1",
    });
    expect(got).not.toHaveProperty("baggage");
    const kept = await ask("untold");
    expect(Object.keys(kept ?? {}).filter((name) => /^(trace|bagg)/.test(name))).toEqual([]);
    await received(6);
  });

  test("that is silent delays no call, and gets the spans when it answers again", {
    tags: ["large"],
  }, async () => {
    await gateway.given.channel({ key: "sim-ok", models: "steady" });
    const { key } = await gateway.given.token();
    collector.answer.isSilent = true;
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => gateway.chat(key, { model: "steady" })),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const asked = collector.requests.length;
    await eventually(() => {
      if (collector.requests.length === asked) throw new Error("no batch has been tried yet");
    });
    collector.answer.isSilent = false;
    await received(15);
    expect(collector.complaints).toEqual([]);
  });

  test("gets a call of a tool as part of the client's trace, without what the tool was given", async () => {
    const toolTrace = "a".repeat(32);
    const root = await gateway.root();
    await root.call(createMcpServer, {
      body: { name: "pages", url: pages.url, named_only: false },
    });
    const { key } = await gateway.given.token();
    const response = await fetch(`${gateway.url}/mcp/pages`, {
      method: "POST",
      headers: {
        ...{ authorization: `Bearer ${key}`, "content-type": "application/json" },
        traceparent: traceparent.replace(clientTrace, toolTrace),
        "mcp-protocol-version": "2025-11-25",
      },
      body: JSON.stringify({
        ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
        params: { name: "find", arguments: { title: canary } },
      }),
    });
    await response.text();
    const spans = await received(2);
    expect(spans.map(({ name, kind }) => [name, kind])).toEqual([
      ["POST /mcp/pages", 2],
      ["tools/call find", 3],
    ]);
    const [server, tool] = spans;
    expect([server?.traceId, server?.parentSpanId, tool?.parentSpanId]).toEqual([
      toolTrace,
      clientSpan,
      server?.spanId,
    ]);
    expect(tool?.values).toMatchObject({
      "gen_ai.tool.name": "find",
      "server.address": new URL(pages.url).hostname,
    });
    expect(JSON.stringify(spans)).not.toContain(canary);
    expect(response.headers.get("traceparent")).toBe(`00-${toolTrace}-${server?.spanId}-01`);
  });
});
