import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { noUsage } from "../money/prices/price.ts";
import { type CallTracing, createCallTracing, traceResponseHeaders } from "./call-tracing.ts";
import { createGatewayMetrics } from "./gateway-metrics.ts";
import type { OtelSettings } from "./otel-settings.ts";
import type { CallTrace, TracedCall } from "./traced-call.ts";

const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const opened: CallTracing[] = [];
const collector = createServer((request, response) =>
  request.resume().on("end", () => response.end("{}")),
);
beforeAll(() => new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve)));
afterAll(() => void collector.close());
afterEach(() => Promise.all(opened.splice(0).map((tracing) => tracing.close())));

function given(sampler: Partial<OtelSettings["sampler"]> = {}) {
  const metrics = createGatewayMetrics();
  const tracing = createCallTracing({
    settings: {
      endpoint: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`,
      headers: {},
      timeoutMs: 10_000,
      isCompressed: false,
      resource: {},
      sampler: { ratio: 0, keepsFailures: true, trustsClient: false, ...sampler },
      naming: "released",
      namesAccounts: true,
    },
    version: "1",
    privateHosts: new Set(["inside:80"]),
    metrics,
    onFailure: () => undefined,
    now: () => 1_700_000_000_000,
  });
  opened.push(tracing);
  return { tracing, metrics };
}

test("a client's sampled flag decides only where the operator trusts clients", () => {
  const sampledBy = (sampler: Partial<OtelSettings["sampler"]>, flag: string) =>
    given(sampler).tracing.begin({ traceparent: parent.replace(/01$/, flag) }).isSampled;
  expect(sampledBy({ ratio: 0 }, "01")).toBe(false);
  expect(sampledBy({ ratio: 0, trustsClient: true }, "01")).toBe(true);
  expect(sampledBy({ ratio: 1, trustsClient: true }, "00")).toBe(false);
  expect(sampledBy({ ratio: 1 }, "00")).toBe(true);
});

test("a trace goes on with the client's id, and one that is not valid begins anew and is counted", async () => {
  const { tracing, metrics } = given();
  const within = tracing.begin({ traceparent: parent, tracestate: "a=1" });
  expect(within).toMatchObject({
    traceId: parent.slice(3, 35),
    parentSpanId: parent.slice(36, 52),
    state: "a=1",
  });
  expect(traceResponseHeaders(within)).toEqual([
    "traceparent",
    `00-${within.traceId}-${within.spanId}-00`,
  ]);
  const anew = tracing.begin({ traceparent: parent.toUpperCase(), tracestate: "a=1" });
  expect(anew).toMatchObject({ parentSpanId: undefined, state: "" });
  expect(anew.traceId).toMatch(/^[0-9a-f]{32}$/);
  expect(traceResponseHeaders(anew)).toEqual([]);
  tracing.begin({});
  expect(metrics.traceParentsInvalid.child().value).toBe(1);
});

test("a provider learns of the trace where its channel says so, and an own one unless it says otherwise", () => {
  const { tracing } = given();
  const trace = tracing.begin({ traceparent: parent, tracestate: "a=1" });
  const headersTo = (url: string, sendsContext: unknown) =>
    tracing.startAttempt(trace, { url: new URL(url), channelType: 1, sendsContext });
  expect(headersTo("https://api.example.com/v1", undefined)).toEqual([]);
  expect(headersTo("https://api.example.com/v1", "true")).toEqual([]);
  expect(headersTo("http://inside/v1", false)).toEqual([]);
  const told = [
    headersTo("https://api.example.com/v1", true),
    headersTo("http://inside/v1", undefined),
  ];
  expect(told).toEqual(
    [3, 4].map((at) => [
      "traceparent",
      `00-${trace.traceId}-${trace.attempts[at]?.spanId}-00`,
      "tracestate",
      "a=1",
    ]),
  );
  expect(trace.attempts.map(({ host, port }) => `${host}:${port}`).slice(2, 4)).toEqual([
    "inside:80",
    "api.example.com:443",
  ]);
});

test("of calls beyond the share, those that failed or were slow are sent, fifty a second", async () => {
  const { tracing, metrics } = given();
  const ended = (outcome: string, elapsedMs: number) =>
    tracing.ended(call(tracing.begin({}), outcome), elapsedMs);
  ended("success", 100);
  ended("success", 31_000);
  for (let n = 0; n < 80; n += 1) ended("failed", 100);
  await tracing.close();
  // Each has a span of the server and one of the model.
  expect(metrics.spans.child("sent").value).toBe(50 * 2);
});

const call = (trace: CallTrace, outcome: string): TracedCall => ({
  trace,
  record: JSON.stringify({
    url: "/v1/x",
    method: "POST",
    status: 200,
    timestamps: {},
    attempts: [],
    candidates: [],
  }),
  entry: "x",
  requestId: "r",
  address: "",
  userId: 1,
  tokenId: 1,
  requestedModel: "m",
  model: "m",
  isStream: false,
  outcome,
  charge: 0,
  ttftMs: 0,
  usage: noUsage,
  usageDetails: null,
  results: [],
  settledAt: 1,
});
