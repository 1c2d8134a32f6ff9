// A short form of `npm run trust -- parser`, and a proof that it finds mistakes.
import { SseSplitter } from "@tollgate/gateway/relay/wire/sse-splitter.ts";
import { afterEach, expect, test, vi } from "vitest";
import { readSse } from "./reference-reader.ts";
import { findStreamProblem } from "./replay-stream.ts";

afterEach(() => vi.restoreAllMocks());

const seeds = (count: number, first = 1): number[] =>
  Array.from({ length: count }, (_, n) => first + n);

async function faults(all: readonly number[]): Promise<string[]> {
  const found: string[] = [];
  for (const seed of all) {
    const problems = await findStreamProblem(seed);
    if (problems) found.push(`seed ${seed}: ${problems}`);
  }
  return found;
}

test("five hundred generated streams are read as a plain reader reads them, each cut in sixteen ways", {
  tags: ["FT-09"],
}, async () => {
  expect(await faults(seeds(500))).toEqual([]);
});

test.each<[what: string, mistake: (push: SseSplitter["push"]) => SseSplitter["push"]]>([
  [
    "loses an event",
    (push) =>
      function lossy(this: SseSplitter, chunk) {
        const { bytes, ends } = push.call(this, chunk);
        return { bytes, ends: ends.slice(0, -1) };
      },
  ],
  [
    "changes a byte",
    (push) =>
      function changing(this: SseSplitter, chunk) {
        return push.call(this, Buffer.from(chunk.toString("latin1").replace("o", "0"), "latin1"));
      },
  ],
  [
    "joins two events",
    (push) =>
      function joining(this: SseSplitter, chunk) {
        const { bytes, ends } = push.call(this, chunk);
        return { bytes, ends: ends.length > 1 ? ends.slice(1) : ends };
      },
  ],
])("a reader that %s is found out", async (_what, mistake) => {
  const { push } = SseSplitter.prototype;
  vi.spyOn(SseSplitter.prototype, "push").mockImplementation(mistake(push));
  expect((await faults(seeds(200))).length).toBeGreaterThan(20);
});

test.each([
  ["line feeds", "data: a\n\ndata: b\n\n"],
  ["both", "data: a\r\n\r\ndata: b\r\n\r\n"],
  ["carriage returns", "data: a\r\rdata: b\r\r"],
  ["no blank after the colon", "data:a\n\ndata:b\n\n"],
  ["a byte order mark", "\uFEFFdata: a\n\ndata: b\n\n"],
  ["other lines", ": x\nid: 1\ndata: a\nretry\n\nevent: e\n\ndata: b\n\n"],
  ["no end", "data: a\n\ndata: b"],
])("the plain reader itself reads streams with %s", (_what, text) => {
  expect(readSse(Buffer.from(text), true)).toEqual({ events: ["a", "b"], isDamaged: false });
});
