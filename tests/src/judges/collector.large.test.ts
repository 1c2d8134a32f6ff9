// OpenTelemetry's own collector receives the spans of calls: it takes all of them, and reads the
// tree that was sent.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ChildProgram, startProgram } from "../harness/child-process.ts";
import { eventually } from "../harness/eventually.ts";
import { freePort } from "../harness/free-port.ts";
import { model, startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { readPrometheusText } from "../support/prometheus-text.ts";
import { buildCollector, goAvailable } from "./judge-programs.ts";
import { type PrintedSpan, printedSpans } from "./printed-spans.ts";

const possible = goAvailable();
const reason = possible.available ? "" : ` (${possible.reason})`;
/** The first build on a machine takes minutes. */
const buildTimeoutMs = 1_800_000;
const clientTrace = "4bf92f3577b34da6a3ce929d0e0e4736";
const clientSpan = "00f067aa0ba902b7";
const canary = "canary-of-a-prompt";
const lanes = 8;
const callsInLane = 10;

describe.skipIf(!possible.available)(`OpenTelemetry's collector${reason}`, () => {
  let folder: string;
  let collector: ChildProgram;
  let url: string;
  let gateway: TestGateway;
  let metrics: string;

  beforeAll(async () => {
    const program = await buildCollector();
    folder = mkdtempSync(join(tmpdir(), "tollgate-collector-"));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const file = join(folder, "collector.yml");
    // JSON is YAML.
    const settings = {
      receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
      exporters: { debug: { verbosity: "detailed" } },
      service: {
        telemetry: { metrics: { level: "none" } },
        pipelines: { traces: { receivers: ["otlp"], exporters: ["debug"] } },
      },
    };
    writeFileSync(file, JSON.stringify(settings));
    collector = startProgram({ file: program, args: [`--config=${file}`] });
    await eventually(async () => expect((await fetch(`${url}/v1/traces`)).status).toBe(405));
    const metricsPort = await freePort();
    metrics = `http://127.0.0.1:${metricsPort}/metrics`;
    gateway = await startTestGateway({
      env: {
        METRICS_PORT: String(metricsPort),
        OTEL_EXPORTER_OTLP_ENDPOINT: url,
        OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
        OTEL_TRACES_SAMPLER: "always_on",
        OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
      },
    });
    await gateway.given.channel({ key: "sim-ok" });
    await gateway.given.channel({ key: "sim-fail-500", models: "broken" });
  }, buildTimeoutMs);
  afterAll(async () => {
    await gateway?.close();
    await collector?.stop();
    if (folder) rmSync(folder, { recursive: true });
  });

  const ends = async (): Promise<Record<string, number>> => {
    const { samples } = readPrometheusText(await (await fetch(metrics)).text());
    const counted = samples.filter(({ name }) => name === "tollgate_spans_total");
    return Object.fromEntries(counted.map(({ labels, value }) => [labels.result ?? "", value]));
  };
  const spansOf = (spans: readonly PrintedSpan[], trace: string) =>
    spans.filter(({ traceId }) => traceId === trace);

  test("is a judge: it refuses a trace id of a wrong length", async () => {
    const span = {
      traceId: "abc",
      spanId: clientSpan,
      name: "x",
      startTimeUnixNano: "1",
      endTimeUnixNano: "2",
    };
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
    const headers = { "content-type": "application/json" };
    expect((await fetch(`${url}/v1/traces`, { method: "POST", body, headers })).status).toBe(400);
  });

  test("takes every span of calls that succeed, stream, fail and are refused, and reads each as it was meant", async () => {
    const { key } = await gateway.given.token();
    const headers = { traceparent: `00-${clientTrace}-${clientSpan}-01`, tracestate: "a=1" };
    const messages = [{ role: "user", content: canary }];
    await (await gateway.send(key, JSON.stringify({ model, messages }), { headers })).text();
    expect((await gateway.chat(key, { model: "broken", messages })).status).toBeGreaterThanOrEqual(
      500,
    );
    expect((await gateway.chat(key, { model: "nobody-offers-this", messages })).status).toBe(404);
    const lane = async () => {
      for (let call = 0; call < callsInLane; call += 1) await gateway.stream(key, { messages });
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    await gateway.settled();

    const sent = await eventually(async () => {
      const { sent = 0, ...others } = await ends();
      expect(others).toEqual({});
      // Each call that reached a provider has at least three.
      expect(sent).toBeGreaterThan(3 * lanes * callsInLane);
      expect(printedSpans(collector.output())).toHaveLength(sent);
      return sent;
    });
    const spans = printedSpans(collector.output());
    expect(new Set(spans.map(({ id }) => id)).size).toBe(sent);

    const [server, inference, attempt, ...more] = spansOf(spans, clientTrace);
    expect(more).toEqual([]);
    expect([server?.kind, inference?.kind, attempt?.kind]).toEqual(["Server", "Client", "Client"]);
    expect([server?.parentId, inference?.parentId, attempt?.parentId]).toEqual([
      clientSpan,
      server?.id,
      inference?.id,
    ]);
    expect(server?.name).toBe("POST /v1/chat/completions");
    expect(inference?.name).toBe(`chat ${model}`);
    expect(inference?.attributes).toMatchObject({
      "gen_ai.operation.name": `Str(chat)`,
      "gen_ai.request.model": `Str(${model})`,
    });
    expect(server?.attributes["http.response.status_code"]).toBe("Int(200)");
    expect(
      spans.filter(({ attributes }) => attributes["error.type"] !== undefined).length,
    ).toBeGreaterThan(0);
    // Every parent is a span of the same trace, or the client's.
    const known = new Set(spans.map(({ traceId, id }) => `${traceId} ${id}`));
    for (const { traceId, parentId } of spans)
      if (parentId !== "" && parentId !== clientSpan)
        expect(known).toContain(`${traceId} ${parentId}`);
    const printed = collector.output();
    expect(printed).toContain("service.name: Str(tollgate)");
    expect(printed).toContain("deployment.environment.name: Str(test)");
    for (const secret of [canary, key, "sim-ok", "sim-fail-500"])
      expect(printed).not.toContain(secret);
  });
});
