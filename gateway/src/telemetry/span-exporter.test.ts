import { expect, test } from "vitest";
import type { OtlpSpan } from "./otlp-span.ts";
import {
  type CollectorReply,
  createSpanExporter,
  queueSpansMax,
  type SpanEnd,
} from "./span-exporter.ts";

const span = (name: string): OtlpSpan => ({
  traceId: "1".repeat(32),
  spanId: "2".repeat(16),
  name,
  kind: 2,
  startTimeUnixNano: "1",
  endTimeUnixNano: "2",
  attributes: [],
});

type Scripted = Partial<CollectorReply> | Error;

/** A collector that gives these answers in turn, the last one for ever. */
function given(...answers: Scripted[]) {
  const bodies: { resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[] }[] = [];
  const ends: Partial<Record<SpanEnd, number>> = {};
  const failures: string[] = [];
  const waits: number[] = [];
  let at = 0;
  const exporter = createSpanExporter({
    async post(body) {
      bodies.push(JSON.parse(body));
      const answer = answers[Math.min(at, answers.length - 1)] ?? {};
      at += 1;
      if (answer instanceof Error) throw answer;
      return { status: 200, retryAfter: undefined, text: "", ...answer };
    },
    resource: [{ key: "service.name", value: { stringValue: "tollgate" } }],
    version: "1",
    schemaUrl: "https://example.com/schema",
    onEnd: (end, spans) => {
      ends[end] = (ends[end] ?? 0) + spans;
    },
    onFailure: (reason) => failures.push(reason),
    wait: async (ms) => void waits.push(ms),
    now: () => Date.UTC(2026, 0, 1),
  });
  const spansIn = (body: (typeof bodies)[number] | undefined): string[] =>
    body?.resourceSpans[0]?.scopeSpans[0]?.spans.map(({ name }) => name) ?? [];
  return {
    exporter,
    bodies,
    ends,
    failures,
    waits,
    sizes: () => bodies.map((body) => spansIn(body).length),
  };
}
const add = (
  exporter: ReturnType<typeof given>["exporter"],
  count: number,
  isKept = false,
): void => {
  for (let n = 0; n < count; n += 1) exporter.add({ spans: [span(`${n}`)], isKept });
};

test("spans go in batches of 512 with the process and the names that they follow", async () => {
  const { exporter, bodies, ends, sizes, failures } = given({});
  add(exporter, 1_100);
  await exporter.drain();
  expect(sizes()).toEqual([512, 512, 76]);
  expect(ends).toEqual({ sent: 1_100 });
  expect(failures).toEqual([]);
  expect(bodies[0]).toMatchObject({
    resourceSpans: [
      {
        resource: { attributes: [{ key: "service.name", value: { stringValue: "tollgate" } }] },
        scopeSpans: [
          { scope: { name: "tollgate", version: "1" }, schemaUrl: "https://example.com/schema" },
        ],
      },
    ],
  });
});

test.each([429, 502, 503, 504])(
  "a batch that is answered with %i is sent again, later each time",
  async (status) => {
    const { exporter, ends, waits, sizes } = given({ status }, { status }, {});
    add(exporter, 3);
    await exporter.drain();
    expect(sizes()).toEqual([3, 3, 3]);
    expect(waits).toEqual([1_000, 2_000]);
    expect(ends).toEqual({ sent: 3 });
  },
);

test("a collector that cannot be reached three times loses the batch, and the sentence names no address", async () => {
  const { exporter, ends, failures, sizes } = given(
    Object.assign(new Error("connect to http://user:secret@collector"), { code: "ECONNREFUSED" }),
  );
  add(exporter, 2);
  await exporter.drain();
  expect(sizes()).toEqual([2, 2, 2]);
  expect(ends).toEqual({ lost: 2 });
  expect(failures).toEqual([
    "the collector could not be reached 3 times: no answer (ECONNREFUSED)",
  ]);
});

test.each([
  ["7", 7_000],
  ["Thu, 01 Jan 2026 00:00:05 GMT", 5_000],
  ["900", 30_000],
  ["soon", 1_000],
  ["Wed, 31 Dec 2025 00:00:00 GMT", 0],
])("Retry-After: %s is waited for, up to a bound", async (retryAfter, ms) => {
  const { exporter, waits } = given({ status: 503, retryAfter }, {});
  add(exporter, 1);
  await exporter.drain();
  expect(waits).toEqual([ms]);
});

test("a batch that the collector refuses is not sent again", async () => {
  const { exporter, ends, failures, sizes } = given({
    status: 400,
    text: `bad ${"x".repeat(5_000)}`,
  });
  add(exporter, 2);
  await exporter.drain();
  expect(sizes()).toEqual([2]);
  expect(ends).toEqual({ rejected: 2 });
  expect(failures[0]?.length).toBeLessThan(300);
});

test.each([
  [
    '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}',
    { sent: 3, rejected: 2 },
    1,
  ],
  ['{"partialSuccess":{"rejectedSpans":99}}', { rejected: 5 }, 1],
  ['{"partialSuccess":{"rejectedSpans":-4}}', { sent: 5 }, 0],
  ['{"partialSuccess":{"errorMessage":"old form"}}', { sent: 5 }, 1],
  ['{"partialSuccess":{"rejectedSpans":{"a":1},"errorMessage":[1]}}', { sent: 5 }, 0],
  ['{"partialSuccess":null}', { sent: 5 }, 0],
  ["null", { sent: 5 }, 0],
  ["no JSON", { sent: 5 }, 0],
])("the answer %s counts %o", async (text, counted, sentences) => {
  const { exporter, ends, failures } = given({ text });
  add(exporter, 5);
  await exporter.drain();
  expect(ends).toEqual(counted);
  expect(failures).toHaveLength(sentences);
});

test("while a collector does not answer, the queue keeps its bound and counts what it drops", async () => {
  const release = Promise.withResolvers<void>();
  const ends: Partial<Record<SpanEnd, number>> = {};
  const exporter = createSpanExporter({
    async post() {
      await release.promise;
      return { status: 200, retryAfter: undefined, text: "" };
    },
    resource: [],
    version: "1",
    schemaUrl: "",
    onEnd: (end, spans) => {
      ends[end] = (ends[end] ?? 0) + spans;
    },
    onFailure: () => undefined,
    wait: async () => undefined,
    now: () => 0,
  });
  add(exporter, 512 + queueSpansMax + 100);
  expect(ends).toEqual({ dropped: 100 });
  add(exporter, 50, true);
  expect(ends).toEqual({ dropped: 150 });
  release.resolve();
  await exporter.drain();
  expect(ends).toEqual({ dropped: 150, sent: 512 + queueSpansMax });
});
