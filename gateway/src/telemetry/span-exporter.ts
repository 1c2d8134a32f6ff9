/**
 * Sends spans to a collector with OTLP over HTTP, in JSON: in batches, one request at a time, with
 * a bounded queue behind it. Knows neither sockets nor threads.
 */
import type { OtlpAttribute, OtlpSpan } from "./otlp-span.ts";
import { createSpanQueue, type QueuedCall } from "./span-queue.ts";

/** `spanEnds` are what became of spans, for `tollgate_spans_total`. */
export const spanEnds = ["sent", "rejected", "lost", "dropped"] as const;
export type SpanEnd = (typeof spanEnds)[number];

export interface CollectorReply {
  status: number;
  /** The header `retry-after`, if there is one. */
  retryAfter: string | undefined;
  text: string;
}

export interface SpanExporterOptions {
  /** Rejects where no whole reply arrived. */
  post(body: string): Promise<CollectorReply>;
  resource: readonly OtlpAttribute[];
  version: string;
  schemaUrl: string;
  onEnd(end: SpanEnd, spans: number): void;
  /** A sentence for the operator, without what was sent. */
  onFailure(reason: string): void;
  wait(ms: number): Promise<void>;
  now(): number;
}

export interface SpanExporter {
  add(call: QueuedCall<OtlpSpan>): void;
  /** Resolves when the queue is empty. */
  drain(): Promise<void>;
}

/** The usual size of OpenTelemetry's own exporters. */
const batchSpans = 512;
const batchWithinMs = 2_000;
/** About 8 MB of JSON. */
export const queueSpansMax = 8_192;
const triesMax = 3;
const firstBackoffMs = 1_000;
/** A collector that asks for more is away: the queue is bounded, and the next batch tries again. */
const retryAfterMaxMs = 30_000;
const retriedStatuses = new Set([429, 502, 503, 504]);
/** `reasonLengthMax` is that of what a collector says. */
const reasonLengthMax = 200;

export function createSpanExporter(options: SpanExporterOptions): SpanExporter {
  const queue = createSpanQueue<OtlpSpan>(queueSpansMax);
  const { onEnd, onFailure, wait } = options;
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;

  function schedule(): void {
    if (sending || queue.size === 0) return;
    if (queue.size >= batchSpans) start();
    else timer ??= setTimeout(start, batchWithinMs);
  }

  function start(): void {
    clearTimeout(timer);
    timer = undefined;
    sending ??= sendBatch(queue.take(batchSpans)).finally(() => {
      sending = undefined;
      schedule();
    });
  }

  /** Never rejects. */
  async function sendBatch(spans: OtlpSpan[]): Promise<void> {
    const body = requestText(spans, options);
    let backoffMs = firstBackoffMs;
    for (let tries = 1; ; tries += 1) {
      const reply = await options
        .post(body)
        .catch((error: unknown) => ({ failure: readErrorCode(error) }));
      if ("status" in reply && !retriedStatuses.has(reply.status)) {
        accept(reply, spans.length);
        return;
      }
      const said =
        "status" in reply ? `it answered ${reply.status}` : `no answer (${reply.failure})`;
      if (tries === triesMax) {
        onEnd("lost", spans.length);
        onFailure(`the collector could not be reached ${triesMax} times: ${said}`);
        return;
      }
      const asked = "status" in reply ? retryAfterMs(reply.retryAfter, options.now()) : undefined;
      await wait(asked ?? backoffMs);
      backoffMs *= 2;
    }
  }

  function accept({ status, text }: CollectorReply, spans: number): void {
    if (status < 200 || status >= 300) {
      onEnd("rejected", spans);
      onFailure(
        `the collector refused a batch with status ${status}: ${text.slice(0, reasonLengthMax)}`,
      );
      return;
    }
    const { rejected, reason } = buildPartialSuccess(text, spans);
    if (spans > rejected) onEnd("sent", spans - rejected);
    if (rejected > 0) onEnd("rejected", rejected);
    if (rejected > 0 || reason !== "")
      onFailure(`the collector rejected ${rejected} spans: ${reason.slice(0, reasonLengthMax)}`);
  }

  return {
    add(call) {
      const dropped = queue.add(call);
      if (dropped > 0) onEnd("dropped", dropped);
      schedule();
    },
    async drain() {
      while (sending || queue.size > 0) {
        if (!sending) start();
        await sending;
      }
    },
  };
}

const requestText = (
  spans: OtlpSpan[],
  { resource, version, schemaUrl }: SpanExporterOptions,
): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: resource },
        scopeSpans: [
          { scope: { name: "tollgate", version }, spans, ...(schemaUrl !== "" && { schemaUrl }) },
        ],
      },
    ],
  });

/** A 200 may reject some of the spans; its text is hostile until read. */
function buildPartialSuccess(text: string, spans: number): { rejected: number; reason: string } {
  const { rejectedSpans, errorMessage } = parsePart(text) ?? {};
  const rejected = Number(rejectedSpans ?? 0);
  return {
    rejected: Number.isSafeInteger(rejected) ? Math.min(Math.max(rejected, 0), spans) : 0,
    reason: typeof errorMessage === "string" ? errorMessage : "",
  };
}

function parsePart(
  text: string,
): { rejectedSpans?: unknown; errorMessage?: unknown } | null | undefined {
  try {
    const reply = JSON.parse(text) as { partialSuccess?: object | null } | null;
    return typeof reply?.partialSuccess === "object" ? reply.partialSuccess : undefined;
  } catch {
    // An empty reply, or one in another form: the status says that the batch was taken.
    return undefined;
  }
}

/** Seconds, or a date. */
function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d{1,6}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), retryAfterMaxMs) : undefined;
}

/** The failure without the address, which may have a secret in it. */
function readErrorCode(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return typeof code === "string" ? code : String(name ?? "error");
}
