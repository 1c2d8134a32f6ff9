/**
 * The main thread's side of tracing: gives each call its ids, decides at its end whether it is
 * sent, and hands it over. Exists only while a collector is named.
 */
import { randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { Worker } from "node:worker_threads";
import { readHostAndPort } from "../egress/address-policy.ts";
import type { GatewayMetrics } from "./gateway-metrics.ts";
import type { OtelSettings } from "./otel-settings.ts";
import type { SpanThreadMessage, SpanThreadReply } from "./span-thread.ts";
import { isTraceInRatio, parseTraceParent, traceParentText } from "./trace-context.ts";
import type { CallTrace, TracedCall } from "./traced-call.ts";

export interface CallTracing {
  /** The ids of a call that begins, within the client's trace if it told one. */
  begin(headers: IncomingHttpHeaders): CallTrace;
  /**
   * Notes an attempt. Answers the headers, names and values in turn, that tell its provider of the
   * trace: none by default.
   */
  startAttempt(trace: CallTrace, attempt: StartedAttempt): string[];
  /** The call is settled. */
  ended(call: TracedCall, elapsedMs: number): void;
  /** `lastFailure` says why spans could not be sent the last time, since the start. */
  lastFailure(): { at: number; reason: string } | undefined;
  /** Sends what waits, for a few seconds at most. */
  close(): Promise<void>;
}

export interface StartedAttempt {
  url: URL;
  channelType: number;
  /**
   * The channel's member `send_trace_context`: whether its provider learns the ids of the trace.
   */
  sendsContext: unknown;
}

export interface CallTracingOptions {
  settings: OtelSettings;
  version: string;
  /** Providers of the operator's own learn the trace unless their channel says otherwise. */
  privateHosts: ReadonlySet<string>;
  metrics: Pick<GatewayMetrics, "spans" | "traceParentsInvalid">;
  /** `onFailure` is called at most once a minute. */
  onFailure(reason: string): void;
  now(): number;
}

/** An operator looks for calls that took longer. */
const slowMs = 30_000;
/**
 * `failuresPerSecondMax` is that of failed and slow calls beyond the share: when everything fails,
 * some are enough.
 */
const failuresPerSecondMax = 50;
/** Calls that are handed over together, and how long the first of them waits. */
const handOverCalls = 128;
const handOverWithinMs = 250;
/** Calls that the thread has not taken: it is far behind, or gone. */
const waitingCallsMax = 4_096;
const failureEveryMs = 60_000;
const closeWithinMs = 5_000;
/** The queue and a batch in the making. */
const heapMaxMegabytes = 128;
/** A call has one span of its own and one of the model beside those of its attempts. */
const spansBesideAttempts = 2;

const hexOf = createRandomHex();

export function createCallTracing(options: CallTracingOptions): CallTracing {
  const { settings, metrics, privateHosts, now } = options;
  const { ratio, keepsFailures, trustsClient } = settings.sampler;
  const invalid = metrics.traceParentsInvalid.child();
  const takeFailure = createPerSecond(failuresPerSecondMax, now);
  let buffered: { call: TracedCall; isKept: boolean }[] = [];
  let untaken = 0;
  let timer: NodeJS.Timeout | undefined;
  let lastReportAt = 0;
  let lastFailure: { at: number; reason: string } | undefined;
  let closed: (() => void) | undefined;
  let worker: Worker | undefined;

  function reportFailure(reason: string): void {
    const at = now();
    lastFailure = { at, reason };
    if (at - lastReportAt < failureEveryMs) return;
    lastReportAt = at;
    options.onFailure(reason);
  }

  function onReply(message: SpanThreadReply): void {
    if ("taken" in message) untaken -= message.taken;
    else if ("end" in message) metrics.spans.child(message.end).add(message.spans);
    else if ("failure" in message) reportFailure(message.failure);
    else closed?.();
  }

  function startThread(): Worker {
    const workerData = { settings, version: options.version };
    const started = new Worker(new URL("./span-thread.ts", import.meta.url), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: heapMaxMegabytes },
    });
    started.unref();
    started.on("message", onReply);
    started.on("error", (error: Error) =>
      reportFailure(`the thread that sends spans ended: ${error.message}`),
    );
    started.on("exit", () => {
      // What it had is gone; the next call that is sent starts another one.
      if (worker === started) worker = undefined;
      untaken = buffered.length;
      closed?.();
    });
    return started;
  }

  function handOver(): void {
    clearTimeout(timer);
    timer = undefined;
    if (buffered.length === 0) return;
    worker ??= startThread();
    worker.postMessage({ calls: buffered } satisfies SpanThreadMessage);
    buffered = [];
  }

  return {
    begin(headers) {
      const { traceparent, tracestate } = headers;
      const state = typeof tracestate === "string" ? tracestate : tracestate?.join(",");
      const parent =
        traceparent === undefined ? undefined : parseTraceParent(String(traceparent), state);
      if (traceparent !== undefined && !parent) invalid.add(1);
      const traceId = parent?.traceId ?? hexOf(16);
      return {
        traceId,
        spanId: hexOf(8),
        parentSpanId: parent?.spanId,
        state: parent?.state ?? "",
        isSampled: parent && trustsClient ? parent.isSampled : isTraceInRatio(traceId, ratio),
        heldAt: 0,
        attempts: [],
      };
    },
    startAttempt(trace, { url, channelType, sendsContext }) {
      const spanId = hexOf(8);
      trace.attempts.push({ spanId, host: url.hostname, port: computePort(url), channelType });
      const sends =
        typeof sendsContext === "boolean" ? sendsContext : privateHosts.has(readHostAndPort(url));
      if (!sends) return [];
      const parent = traceParentText(trace.traceId, spanId, trace.isSampled);
      return ["traceparent", parent, ...(trace.state === "" ? [] : ["tracestate", trace.state])];
    },
    ended(call, elapsedMs) {
      const isKept = call.outcome !== "success" || elapsedMs > slowMs;
      if (!call.trace.isSampled && !(isKept && keepsFailures && takeFailure())) return;
      if (untaken >= waitingCallsMax) {
        metrics.spans.child("dropped").add(spansBesideAttempts + call.trace.attempts.length);
        return;
      }
      untaken += 1;
      buffered.push({ call, isKept });
      if (buffered.length >= handOverCalls) handOver();
      else timer ??= setTimeout(handOver, handOverWithinMs).unref();
    },
    lastFailure: () => lastFailure,
    async close() {
      handOver();
      const thread = worker;
      if (!thread) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      closed = resolve;
      const deadline = setTimeout(resolve, closeWithinMs);
      thread.postMessage({ close: true } satisfies SpanThreadMessage);
      await promise;
      clearTimeout(deadline);
      await thread.terminate();
    },
  };
}

/** The headers that answer a client which told a trace: the span that its call became. */
export const traceResponseHeaders = ({
  traceId,
  spanId,
  parentSpanId,
  isSampled,
}: CallTrace): string[] =>
  parentSpanId === undefined ? [] : ["traceparent", traceParentText(traceId, spanId, isSampled)];

const computePort = ({ port, protocol }: URL): number =>
  Number(port) || (/^(https|wss):$/.test(protocol) ? 443 : 80);

/** Answers true for so many of a second. */
function createPerSecond(max: number, now: () => number): () => boolean {
  let second = 0;
  let taken = 0;
  return () => {
    const current = Math.floor(now() / 1_000);
    if (current !== second) [second, taken] = [current, 0];
    taken += 1;
    return taken <= max;
  };
}

/**
 * Random hexadecimal digits, from a pool: each call of the system's source of randomness costs a
 * microsecond.
 */
function createRandomHex(): (bytes: number) => string {
  let pool = Buffer.alloc(0);
  let at = 0;
  return (bytes) => {
    if (at + bytes > pool.length) [pool, at] = [randomBytes(4_096), 0];
    at += bytes;
    return pool.toString("hex", at - bytes, at);
  };
}
