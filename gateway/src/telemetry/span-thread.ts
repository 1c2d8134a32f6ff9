/**
 * The thread that makes spans of ended calls and sends them. Calls of models wait for nothing in
 * it.
 */
import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { gzipSync } from "node:zlib";
import { readHostAndPort } from "../egress/address-policy.ts";
import { createEgress } from "../egress/egress.ts";
import { requestText } from "../egress/request-text.ts";
import { listSpans } from "./call-spans.ts";
import { schemaUrls } from "./gen-ai-names.ts";
import type { OtelSettings } from "./otel-settings.ts";
import { buildOtlpValue } from "./otlp-span.ts";
import { createSpanExporter, type SpanEnd } from "./span-exporter.ts";
import type { TracedCall } from "./traced-call.ts";

export interface SpanThreadData {
  settings: OtelSettings;
  version: string;
}

/** `isKept` where the call failed or was slow. */
export type SpanThreadMessage =
  | { calls: { call: TracedCall; isKept: boolean }[] }
  | { close: true };

export type SpanThreadReply =
  /** Calls that have become spans. */
  { taken: number } | { end: SpanEnd; spans: number } | { failure: string } | { closed: true };

const { settings, version } = workerData as SpanThreadData;
const reply = (message: SpanThreadReply): void => parentPort?.postMessage(message);

const url = new URL(settings.endpoint);
// The environment names the collector, so it may be at a private address; no other address may be
// reached from here.
const egress = createEgress(new Set([readHostAndPort(url)]), {
  idleTimeoutMs: settings.timeoutMs,
  connectTimeoutMs: settings.timeoutMs,
});
const headers = {
  ...settings.headers,
  "content-type": "application/json",
  ...(settings.isCompressed && { "content-encoding": "gzip" }),
};

const exporter = createSpanExporter({
  async post(text) {
    const body = settings.isCompressed ? gzipSync(text) : text;
    const signal = AbortSignal.timeout(settings.timeoutMs);
    const answer = await requestText(
      egress,
      { method: "POST", url: url.href, headers, body },
      signal,
    );
    const retryAfter = answer.headers["retry-after"];
    return {
      status: answer.status,
      retryAfter: typeof retryAfter === "string" ? retryAfter : undefined,
      text: answer.text,
    };
  },
  resource: Object.entries({
    ...settings.resource,
    "service.version": version,
    "service.instance.id": randomBytes(8).toString("hex"),
  }).map(([key, value]) => ({ key, value: buildOtlpValue(value) })),
  version,
  schemaUrl: schemaUrls[settings.naming],
  onEnd: (end, spans) => reply({ end, spans }),
  onFailure: (failure) => reply({ failure }),
  wait: (ms) => wait(ms),
  now: Date.now,
});

const naming = { column: settings.naming, namesAccounts: settings.namesAccounts };
const composeSpanId = (): string => randomBytes(8).toString("hex");

parentPort?.on("message", (message: SpanThreadMessage) => {
  if ("close" in message) {
    void exporter.drain().then(() => reply({ closed: true }));
    return;
  }
  for (const { call, isKept } of message.calls) {
    try {
      exporter.add({ spans: listSpans(call, naming, composeSpanId), isKept });
    } catch (error) {
      // One call that cannot be read must not cost the spans of all others.
      reply({ failure: `a call could not be made into spans: ${(error as Error).message}` });
    }
  }
  reply({ taken: message.calls.length });
});
