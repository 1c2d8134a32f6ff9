import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { collectGarbage } from "../../../../tests/src/harness/collect-garbage.ts";
import { eventBytesMax, findEventData, SseSplitter } from "./sse-splitter.ts";
import { MalformedStream, type StreamSplit } from "./stream-splitter.ts";

/** The data of each event that a reader of the stream would receive. */
function eventsOf(chunks: Buffer[]): (string | undefined)[] {
  const splitter = new SseSplitter();
  const events: string[] = [];
  for (const chunk of chunks) {
    const { bytes, ends } = splitter.push(chunk);
    let start = 0;
    for (const end of ends) {
      const data = findEventData(bytes.toString("utf8", start, end));
      if (data !== undefined) events.push(data);
      start = end;
    }
  }
  return events;
}

const line = '{"choices":[{"delta":{"content":"Grüße, 世界 🌍"}}]}';
const streams: Record<string, string> = {
  LF: `data: ${line}\n\ndata: two\n\ndata: [DONE]\n\n`,
  CRLF: `data: ${line}\r\n\r\ndata: two\r\n\r\ndata: [DONE]\r\n\r\n`,
  CR: `data: ${line}\r\rdata: two\r\rdata: [DONE]\r\r`,
  "mixed ends": `data: ${line}\n\r\ndata: two\r\n\ndata: [DONE]\r\n\r\n`,
  "comments between": `: hello\n\ndata: ${line}\n: beat\n\n:\n\ndata: two\n\ndata: [DONE]\n\n`,
  "other fields": `event: x\nid: 7\ndata: ${line}\n\nretry: 5\ndata:two\n\ndata: [DONE]\n\n`,
  "a byte order mark": `\uFEFFdata: ${line}\n\ndata: two\n\ndata: [DONE]\n\n`,
  "extra blank lines": `\n\n\ndata: ${line}\n\n\n\ndata: two\n\n\ndata: [DONE]\n\n\n`,
};

describe.each(Object.entries(streams))("a stream with %s", (_name, text) => {
  const bytes = Buffer.from(text);
  test("gives the same events cut in two at every byte", () => {
    for (let at = 0; at <= bytes.length; at += 1) {
      expect([at, eventsOf([bytes.subarray(0, at), bytes.subarray(at)])]).toEqual([
        at,
        [line, "two", "[DONE]"],
      ]);
    }
  });
  test("gives the same events one byte at a time", () => {
    expect(eventsOf(Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual([
      line,
      "two",
      "[DONE]",
    ]);
  });
  test("gives the same events cut anywhere, any number of times", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        expect(eventsOf(chunks)).toEqual([line, "two", "[DONE]"]);
      }),
    );
  });
});

test("several data lines are one event, joined by line feeds", () => {
  expect(eventsOf([Buffer.from("data: a\ndata:\ndata: b\n\n")])).toEqual(["a\n\nb"]);
});

test("whole events pass byte for byte, whatever is in them", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" })), fc.nat(40), (lines, size) => {
      const text = lines.map((one) => `data: ${one.replace(/[\r\n]/g, " ")}\n\n`).join("");
      const bytes = Buffer.from(text);
      const splitter = new SseSplitter();
      const passed: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += size + 1) {
        const { bytes: joined, ends } = splitter.push(bytes.subarray(at, at + size + 1));
        passed.push(joined.subarray(0, ends.at(-1) ?? 0));
      }
      expect(Buffer.concat(passed).equals(bytes)).toBe(true);
      expect(splitter.pendingBytes).toBe(0);
    }),
  );
});

test.each(["\n", "\r\n"])(
  "line ends of %j go through whole, wherever the stream is cut",
  (lineEnd) => {
    const bytes = Buffer.from(
      `data: one${lineEnd}${lineEnd}event: b${lineEnd}data: two${lineEnd}${lineEnd}`,
    );
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const splitter = new SseSplitter();
      const cuts = [
        splitter.push(bytes.subarray(0, cut)),
        splitter.push(bytes.subarray(cut)),
        splitter.end(),
      ];
      const passed = cuts.map(({ bytes: joined, ends }) => joined.subarray(0, ends.at(-1) ?? 0));
      expect([cut, Buffer.concat(passed).toString()]).toEqual([cut, bytes.toString()]);
    }
  },
);

test("an event that never ends is refused at its bound, not buffered", () => {
  const splitter = new SseSplitter();
  const chunk = Buffer.alloc(64 * 1024, "x");
  const push = () => {
    for (let sent = 0; sent <= eventBytesMax; sent += chunk.length) {
      splitter.push(chunk);
      expect(splitter.pendingBytes).toBeLessThanOrEqual(eventBytesMax);
    }
  };
  expect(push).toThrow(MalformedStream);
});

test("a long event in many pieces comes out whole, up to a bound of its own", () => {
  const long = `data: ${"x".repeat(2 * eventBytesMax)}\n\n`;
  const bytes = Buffer.from(`data: a\n\n${long}data: b\n\n`);
  const splitter = new SseSplitter(3 * eventBytesMax);
  const passed: string[] = [];
  for (let at = 0; at < bytes.length; at += 60_000) {
    const { bytes: joined, ends } = splitter.push(bytes.subarray(at, at + 60_000));
    let start = 0;
    for (const end of ends) {
      passed.push(joined.toString("utf8", start, end));
      start = end;
    }
  }
  expect(passed).toEqual(["data: a\n\n", long, "data: b\n\n"]);
  expect(() => new SseSplitter(10).push(Buffer.from("data: longer"))).toThrow(MalformedStream);
});

test("garbage of any kind never throws below the bound", { tags: ["FT-09"] }, () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 20 }), (chunks) => {
      expect(() => eventsOf(chunks.map((chunk) => Buffer.from(chunk)))).not.toThrow();
    }),
  );
});

test("an event that is too long is refused whether it grew or came whole, and what came before it is good", () => {
  const good = "data: a\n\ndata: b\n\n";
  const bytes = Buffer.from(`${good}data: ${"x".repeat(50)}\n\ndata: c\n\n`);
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const splitter = new SseSplitter(40);
    const passed: string[] = [];
    const take = ({ bytes: joined, ends }: StreamSplit) =>
      passed.push(joined.toString("utf8", 0, ends.at(-1) ?? 0));
    let damage: unknown;
    try {
      take(splitter.push(bytes.subarray(0, cut)));
      take(splitter.push(bytes.subarray(cut)));
    } catch (error) {
      damage = error;
    }
    if (!(damage instanceof MalformedStream)) throw new Error(`cut at ${cut} it was taken`);
    take(damage.before);
    expect([cut, passed.join("")]).toEqual([cut, good]);
  }
});

test("a CR that might be half of a line end waits for the next byte, and no longer", () => {
  const splitter = new SseSplitter();
  expect(splitter.push(Buffer.from("data: a\r\n\r")).ends).toEqual([]);
  expect(splitter.push(Buffer.from("d")).ends).toEqual(["data: a\r\n\r".length]);
});

test("the begun event at the end of a full read does not keep the whole read in memory", async () => {
  const splitter = new SseSplitter();
  const push = (): WeakRef<ArrayBufferLike> => {
    const chunk = Buffer.concat([
      Buffer.from("data: whole\n\n".repeat(5_000)),
      Buffer.from("data: beg"),
    ]);
    splitter.push(chunk);
    return new WeakRef(chunk.buffer);
  };
  const read = push();
  // A WeakRef holds its target until the end of the turn that made it.
  await new Promise(setImmediate);
  collectGarbage();
  expect(read.deref()).toBeUndefined();
  expect(splitter.push(Buffer.from("un\n\n")).bytes.toString()).toBe("data: begun\n\n");
});
