import type { TraceRecord } from "@tollgate/contract/figures/traces.ts";
import { describe, expect, test } from "vitest";
import { noUsage } from "../money/prices/price.ts";
import { listSpans, spanKinds } from "./call-spans.ts";
import type { OtlpSpan } from "./otlp-span.ts";
import type { TracedCall } from "./traced-call.ts";

const at = 1_700_000_000_000;
const attempt = (
  more: Partial<TraceRecord["attempts"][number]> = {},
): TraceRecord["attempts"][number] => ({
  channel_id: 7,
  channel_uuid: "uuid",
  channel_name: "a name of a channel",
  started_at: at + 20,
  ended_at: at + 900,
  status: 200,
  outcome: "success",
  error: null,
  ...more,
});
const record = (more: Partial<TraceRecord> = {}): TraceRecord => ({
  url: "/v1/chat/completions?key=***",
  method: "POST",
  body_size: 100,
  status: 200,
  timestamps: { request_received: at, request_completed: at + 1_000 },
  attempts: [attempt()],
  candidates: [],
  ...more,
});
const traced = { spanId: "a".repeat(16), host: "api.example.com", port: 443, channelType: 14 };
const call = (more: Partial<TracedCall> = {}): TracedCall => ({
  trace: {
    traceId: "1".repeat(32),
    spanId: "2".repeat(16),
    parentSpanId: "3".repeat(16),
    state: "a=1",
    isSampled: true,
    heldAt: at + 10,
    attempts: [traced],
  },
  record: JSON.stringify(record()),
  entry: "claude_messages",
  requestId: "request",
  address: "203.0.113.77",
  userId: 4,
  tokenId: 5,
  requestedModel: "claude",
  model: "claude-9",
  isStream: true,
  outcome: "success",
  charge: 12,
  ttftMs: 250,
  usage: { ...noUsage, input: 10, cache_read: 5, cache_write_5m: 2, cache_write_1h: 1, output: 7 },
  usageDetails: JSON.stringify({ reported: { "output_tokens_details.reasoning_tokens": 3 } }),
  results: ["ok"],
  settledAt: at + 1_010,
  ...more,
});

const released = { column: "released", namesAccounts: true } as const;
function made(given: TracedCall, naming: Parameters<typeof listSpans>[1] = released) {
  const ids = Array.from({ length: 9 }, (_, at) => String(at + 1).padStart(16, "0"));
  return listSpans(given, naming, () => ids.pop() ?? "");
}
const attributesOf = (span: OtlpSpan | undefined): Record<string, unknown> =>
  Object.fromEntries(
    (span?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]),
  );

test("a call is a span of the server, one of the model below it, and one for each attempt below that", () => {
  const [server, model, first, ...more] = made(call());
  expect(more).toEqual([]);
  expect(server).toMatchObject({
    traceId: "1".repeat(32),
    spanId: "2".repeat(16),
    parentSpanId: "3".repeat(16),
    traceState: "a=1",
    name: "POST /v1/chat/completions",
    kind: spanKinds.server,
    startTimeUnixNano: `${at}000000`,
    endTimeUnixNano: `${at + 1_000}000000`,
    events: [
      { name: "tollgate.hold", timeUnixNano: `${at + 10}000000` },
      { name: "tollgate.settle", timeUnixNano: `${at + 1_010}000000` },
    ],
  });
  expect(server).not.toHaveProperty("status");
  expect(attributesOf(server)).toEqual({
    "http.request.method": "POST",
    "http.route": "/v1/chat/completions",
    "http.response.status_code": "200",
    "client.address": "203.0.113.0",
    "tollgate.call.id": "request",
    "tollgate.user.id": "4",
    "tollgate.token.id": "5",
    "tollgate.outcome": "success",
    "tollgate.charge.units": "12",
  });
  expect(model).toMatchObject({
    name: "chat claude",
    kind: spanKinds.client,
    parentSpanId: server?.spanId,
  });
  expect(attributesOf(model)).toEqual({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "anthropic",
    "gen_ai.request.model": "claude",
    "gen_ai.request.stream": true,
    "gen_ai.response.model": "claude-9",
    "gen_ai.response.time_to_first_chunk": 0.25,
    "gen_ai.usage.input_tokens": "18",
    "gen_ai.usage.output_tokens": "7",
    "gen_ai.usage.cache_read.input_tokens": "5",
    "gen_ai.usage.cache_creation.input_tokens": "3",
    "gen_ai.usage.reasoning.output_tokens": "3",
  });
  expect(first).toMatchObject({
    spanId: traced.spanId,
    kind: spanKinds.client,
    parentSpanId: model?.spanId,
  });
  expect(attributesOf(first)).toEqual({
    "http.request.method": "POST",
    "tollgate.channel.id": "7",
    "server.address": "api.example.com",
    "server.port": "443",
    "http.response.status_code": "200",
  });
});

test("attempts after the first are counted, and failed ones say of what kind the failure was", () => {
  const attempts = [attempt({ status: 429 }), attempt({ status: 0 }), attempt()];
  const spans = made(
    call({ record: JSON.stringify(record({ attempts })), results: ["429", "connect", "ok"] }),
  ).slice(2);
  expect(spans.map(attributesOf)).toMatchObject([
    { "error.type": "429", "http.response.status_code": "429" },
    { "error.type": "connect", "http.request.resend_count": "1" },
    { "http.request.resend_count": "2" },
  ]);
  expect(spans.map(({ status }) => status?.code)).toEqual([2, 2, undefined]);
  expect(attributesOf(spans[1])).not.toHaveProperty("http.response.status_code");
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(3);
});

test("a call without an answer has its outcome as the error, and no counts of tokens", () => {
  const failed = record({ status: 502, attempts: [attempt({ status: 0, ended_at: null })] });
  const given = call({
    record: JSON.stringify(failed),
    outcome: "failed",
    usage: noUsage,
    results: [],
    ttftMs: 0,
  });
  const [server, model] = made(given);
  expect([server?.status, model?.status]).toEqual([{ code: 2 }, { code: 2 }]);
  expect(attributesOf(server)).toMatchObject({
    "error.type": "failed",
    "tollgate.outcome": "failed",
  });
  const names = Object.keys(attributesOf(model));
  expect(names).toContain("error.type");
  expect(names.filter((name) => /usage|first_chunk/.test(name))).toEqual([]);
});

test("texts of errors, names of channels, queries and whole addresses of clients are in no span", () => {
  const words = "the prompt that a provider repeats";
  const attempts = [attempt({ status: 400, outcome: "failed", error: words, key_hint: "hint" })];
  const candidates = [
    {
      channel_id: 7,
      channel_uuid: "uuid",
      channel_name: "a name of a channel",
      taken: true,
      reason: words,
    },
  ];
  const spans = made(
    call({ record: JSON.stringify(record({ attempts, candidates })), results: ["4xx"] }),
  );
  const text = JSON.stringify(spans);
  for (const secret of [words, "hint", "a name of a channel", "key=", "203.0.113.77"])
    expect(text).not.toContain(secret);
});

test("numbers of users and keys are left out where the operator wants it", () => {
  const [server] = made(call(), { ...released, namesAccounts: false });
  expect(Object.keys(attributesOf(server)).filter((name) => /user|token/.test(name))).toEqual([]);
});

test("the newest names replace those that have moved", () => {
  const [, model] = made(call(), { column: "latest", namesAccounts: true });
  const names = Object.keys(attributesOf(model));
  expect(names).toContain("gen_ai.usage.cache_write.input_tokens");
  expect(names).not.toContain("gen_ai.usage.cache_creation.input_tokens");
});

describe("the route", () => {
  test.each([
    ["/v1beta/models/gemini-9:generateContent?alt=sse", "/v1beta/models/{model}:generateContent"],
    ["/upload/v1beta/models/x:embedContent", "/upload/v1beta/models/{model}:embedContent"],
    ["/v1/messages", "/v1/messages"],
  ])("of %s is %s", (url, route) => {
    const [server] = made(call({ record: JSON.stringify(record({ url })) }));
    expect(server?.name).toBe(`POST ${route}`);
  });
});

test.each([
  ["2001:db8:1:2::3", "2001:db8:1::"],
  ["198.51.100.4", "198.51.100.0"],
])("of the client's address %s the network %s is told", (address, network) => {
  expect(attributesOf(made(call({ address }))[0])["client.address"]).toBe(network);
});

test("a clock that was set back makes no span that ends before it begins", () => {
  const back = record({ timestamps: { request_received: at, request_completed: at - 5_000 } });
  for (const span of made(call({ record: JSON.stringify(back) })))
    expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
});

test("a call of a tool is a span of the server and one of the tool below it, without what it was given", () => {
  const asked = record({
    url: "/mcp/pages",
    attempts: [attempt({ channel_id: 0, channel_uuid: "" })],
  });
  const more = {
    entry: "mcp",
    requestedModel: "mcp/pages/find/all",
    results: [],
    usage: noUsage,
    usageDetails: null,
  };
  const spans = made(call({ ...more, model: more.requestedModel, record: JSON.stringify(asked) }));
  const [server, tool] = spans;
  expect(spans.map(({ name, kind }) => [name, kind])).toEqual([
    ["POST /mcp/pages", spanKinds.server],
    ["tools/call find/all", spanKinds.client],
  ]);
  expect(tool).toMatchObject({ parentSpanId: server?.spanId, spanId: traced.spanId });
  expect(tool?.status).toBeUndefined();
  expect(attributesOf(tool)).toEqual({
    "mcp.method.name": "tools/call",
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "find/all",
    "tollgate.mcp.server": "pages",
    "server.address": "api.example.com",
    "server.port": "443",
  });
  const [, failed] = made(call({ ...more, outcome: "failed", record: JSON.stringify(asked) }));
  expect(failed?.status).toEqual({ code: 2 });
  expect(attributesOf(failed)).toMatchObject({ "error.type": "failed" });
});
