import { crc32 } from "node:zlib";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AwsEventMessage, AwsEventSplitter } from "./aws-events.ts";
import { eventBytesMax } from "./sse-splitter.ts";
import { MalformedStream } from "./stream-splitter.ts";

const shown = ({ headers, payload }: AwsEventMessage): string =>
  `data: ${JSON.stringify([Object.fromEntries(headers), payload.toString("latin1")])}\n\n`;

/** Every event that a reader receives. */
function eventsOf(chunks: readonly Buffer[], written = shown): string[] {
  const splitter = new AwsEventSplitter(written);
  return chunks.flatMap((chunk) => {
    const { bytes, ends } = splitter.push(chunk);
    return ends.map((end, index) => bytes.toString("utf8", ends[index - 1] ?? 0, end));
  });
}

const uint32 = (value: number): Buffer =>
  Buffer.from([value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]);
const checked = (bytes: Buffer): Buffer => Buffer.concat([bytes, uint32(crc32(bytes))]);

function textHeader(name: string, value: string): Buffer {
  const length = Buffer.byteLength(value);
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([7, length >> 8, length & 255]),
    Buffer.from(value),
  ]);
}

function message(headers: Buffer, payload: Buffer): Buffer {
  const lengths = Buffer.concat([
    uint32(16 + headers.length + payload.length),
    uint32(headers.length),
  ]);
  return checked(Buffer.concat([checked(lengths), headers, payload]));
}

// The examples that Amazon's libraries are tested with: `aws/aws-sdk-*`, event stream test vectors.
test.each([
  ["nothing in it", "000000100000000005c248eb7d98c8ff", [{}, ""]],
  [
    "a payload",
    "0000001d00000000fd528c5a7b27666f6f273a27626172277dc3653936",
    [{}, "{'foo':'bar'}"],
  ],
  [
    "a header that is a number",
    "0000002d0000001041c424b80a6576656e742d74797065040000a00c7b27666f6f273a27626172277d36f480a0",
    [{}, "{'foo':'bar'}"],
  ],
  [
    "a header that is a text",
    "0000003d0000002007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e7b27666f6f273a27626172277d8d9c08b1",
    [{ "content-type": "application/json" }, "{'foo':'bar'}"],
  ],
])("a message with %s is read", (_name, hex, wanted) => {
  expect(eventsOf([Buffer.from(hex, "hex")])).toEqual([`data: ${JSON.stringify(wanted)}\n\n`]);
});

test("headers of every type are passed over to the next", () => {
  const others =
    "016100016201016302ff0164030102016504010203040166050102030405060708016706000201020168080102030405060708016909";
  const headers = Buffer.concat([
    Buffer.from(others, "hex"),
    Buffer.alloc(16, 1),
    textHeader("last", "ok"),
  ]);
  expect(eventsOf([message(headers, Buffer.from("x"))])).toEqual(['data: [{"last":"ok"},"x"]\n\n']);
});

const stream = Buffer.concat([
  message(textHeader(":event-type", "one"), Buffer.from('{"a":1}')),
  message(Buffer.alloc(0), Buffer.alloc(0)),
  message(
    Buffer.concat([textHeader("a", "b"), textHeader(":message-type", "event")]),
    Buffer.from("Grüße, 世界 🌍"),
  ),
]);
const whole = eventsOf([stream]);

describe("a stream", () => {
  test("gives the same events cut in two at every byte, and a byte at a time", () => {
    expect(whole).toHaveLength(3);
    for (let at = 0; at <= stream.length; at += 1) {
      expect([at, eventsOf([stream.subarray(0, at), stream.subarray(at)])]).toEqual([at, whole]);
    }
    expect(eventsOf(Array.from(stream, (byte) => Buffer.from([byte])))).toEqual(whole);
  });

  test("gives the messages that were written, cut anywhere, any number of times", () => {
    const messages = fc.array(fc.tuple(fc.string(), fc.uint8Array({ maxLength: 300 })), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(messages, fc.array(fc.nat(2_000), { maxLength: 12 }), (said, cuts) => {
        const bytes = Buffer.concat(
          said.map(([name, body]) => message(textHeader("h", name), Buffer.from(body))),
        );
        const places = [
          0,
          ...cuts.map((cut) => Math.min(cut, bytes.length)).toSorted((a, b) => a - b),
          bytes.length,
        ];
        const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        const wanted = said.map(
          ([h, body]) =>
            `data: ${JSON.stringify([{ h }, Buffer.from(body).toString("latin1")])}\n\n`,
        );
        expect(eventsOf(chunks)).toEqual(wanted);
      }),
    );
  });

  test("passes on nothing for messages without meaning", () => {
    const written = ({ headers, payload }: AwsEventMessage) =>
      headers.size === 0 ? "" : shown({ headers, payload });
    expect(eventsOf([stream], written)).toEqual([whole[0], whole[2]]);
  });

  test("yields no event for an incomplete message", () => {
    const splitter = new AwsEventSplitter(shown);
    splitter.push(stream.subarray(0, stream.length - 1));
    expect(splitter.end().ends).toEqual([]);
  });
});

describe("a stream is rejected", () => {
  test("whatever bit of a message is wrong", () => {
    const good = message(textHeader(":event-type", "one"), Buffer.from('{"a":1}'));
    for (let bit = 0; bit < good.length * 8; bit += 1) {
      const bad = Buffer.from(good);
      bad[bit >> 3] = (bad[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => eventsOf([bad]), `bit ${bit}`).toThrow(MalformedStream);
    }
  });

  test("but events before the fault, in the same chunk, are valid", () => {
    const bad = Buffer.from(stream);
    bad[bad.length - 1] = (bad.at(-1) ?? 0) ^ 1;
    let damage: unknown;
    try {
      new AwsEventSplitter(shown).push(bad);
    } catch (error) {
      damage = error;
    }
    if (!(damage instanceof MalformedStream)) throw new Error("it was taken");
    const { bytes, ends } = damage.before;
    expect(bytes.toString("utf8", 0, ends.at(-1))).toBe(whole.slice(0, 2).join(""));
  });

  test("as soon as a message announces an excessive length, long before its end", () => {
    const prelude = checked(Buffer.concat([uint32(eventBytesMax + 1), uint32(0)]));
    expect(() => eventsOf([prelude])).toThrow(/more than 1048576 bytes/);
  });

  test.each([
    [
      "that reach beyond their message",
      checked(Buffer.concat([checked(Buffer.concat([uint32(20), uint32(5)])), Buffer.alloc(4)])),
    ],
    ["that are longer than all of them", message(Buffer.from([9, 97]), Buffer.alloc(0))],
    [
      "with a value longer than all of them",
      message(Buffer.from([1, 97, 7, 255, 255, 97]), Buffer.alloc(0)),
    ],
    ["of an unknown type", message(Buffer.from([1, 97, 42]), Buffer.alloc(0))],
  ])("for headers %s", (_name, bytes) => {
    expect(() => eventsOf([bytes])).toThrow(MalformedStream);
  });

  test("or read to its end, but for nothing else, when it is made of any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          eventsOf([Buffer.from(bytes)]);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedStream);
        }
      }),
    );
  });
});
