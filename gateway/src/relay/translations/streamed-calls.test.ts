// The ways in which servers of chat completions tell their calls, to clients of every format.
import { describe, expect, test } from "vitest";
import { type CallPiece, StreamedCalls } from "./streamed-calls.ts";

const called = (name: string | undefined, written: string | undefined, more: object = {}) => ({
  function: { name, arguments: written },
  ...more,
});
const first = { index: 0, id: "c1" };

function read(parts: readonly object[]): string[] {
  const calls = new StreamedCalls();
  const pieces = [...parts.flatMap((part) => calls.push({ ...part })), ...calls.end()];
  const whole = new Map<number, CallPiece>();
  for (const piece of pieces) {
    const known = whole.get(piece.call);
    expect(piece.isFirst).toBe(known === undefined);
    whole.set(piece.call, known ? { ...known, written: known.written + piece.written } : piece);
  }
  return [...whole.values()].map(({ id, name, written }) => `${id} ${name} ${written}`);
}

describe("calls of a streamed answer", () => {
  test.each<[string, object[], string[]]>([
    [
      "with a name in parts",
      [
        called("get_", "", first),
        called("weather", undefined, { index: 0 }),
        called(undefined, "{}", { index: 0 }),
      ],
      ["c1 get_weather {}"],
    ],
    [
      "with the whole name again beside the first arguments",
      [called("look", "", first), called("look", "{", first), called("look", "}", first)],
      ["c1 look {}"],
    ],
    [
      "with the name so far in each piece",
      [called("get_", "", first), called("get_weather", "{}", first)],
      ["c1 get_weather {}"],
    ],
    [
      "with a name that comes late",
      [called(undefined, "", first), called("look", "{}", { index: 0 })],
      ["c1 look {}"],
    ],
    [
      "with an id that comes late",
      [called("look", '{"a":', { index: 0 }), called(undefined, "1}", first)],
      ['c1 look {"a":1}'],
    ],
    ["without arguments", [called("look", "", first)], ["c1 look "]],
    [
      "without arguments before another",
      [called("look", "", first), called("hear", "{}", { index: 1, id: "c2" })],
      ["c1 look ", "c2 hear {}"],
    ],
    [
      "by one id",
      [called("look", "{}", first), called("look", "{}", { index: 1, id: "c1" })],
      ["c1 look {}", "c1_2 look {}"],
    ],
    [
      "with arguments in quotes",
      [called("look", '"{\\"a\\":', first), called(undefined, '1}"', { index: 0 })],
      ['c1 look {"a":1}'],
    ],
    [
      "with arguments in quotes before another call",
      [
        called("look", ' "{\\"a\\":', first),
        called(undefined, '\\"}\\"', { index: 0 }),
        called(undefined, '}"', { index: 0 }),
        called("hear", "{}", { index: 1, id: "c2" }),
      ],
      ['c1 look {"a":"}"}', "c2 hear {}"],
    ],
    [
      "with a text in place of arguments",
      [called("look", '"a ', first), called(undefined, 'word"', { index: 0 })],
      ['c1 look "a word"'],
    ],
  ])("%s", (_, parts, wanted) => {
    expect(read(parts)).toEqual(wanted);
  });

  test("arguments in quotes are told once they are whole, and others at once", () => {
    const calls = new StreamedCalls();
    const told = (part: object) => calls.push({ ...part }).map(({ written }) => written);
    const next = (written: string) => called(undefined, written, { index: 0 });
    expect(told(called("look", '"{\\"a', first))).toEqual([""]);
    expect(told(next('\\":1}'))).toEqual([""]);
    expect(calls.isOpen).toBe(true);
    expect(told(next('"'))).toEqual(['{"a":1}']);
    expect(calls.isOpen).toBe(false);
    expect(told(called("hear", '{"b":', { index: 1, id: "c2" }))).toEqual(['{"b":']);
    expect(told(called(undefined, '"{}"', { index: 1 }))).toEqual(['"{}"']);
  });

  test("one that never gets a name is left out, and said to be", () => {
    const calls = new StreamedCalls();
    expect([...calls.push(called("", "{}", first)), ...calls.end()]).toEqual([]);
    expect(calls.hasNameless).toBe(true);
  });
});
