import { callOf, translated } from "@tollgate/tests/conformance/in-process-relay.ts";
import { describe, expect, test } from "vitest";

const event = (parts: readonly object[], more: object = {}): string =>
  `data: ${JSON.stringify({ candidates: [{ content: { role: "model", parts }, ...more }] })}\n\n`;
const called = (functionCall: object, more: object = {}): string =>
  event([{ functionCall, ...more }]);
const argument = (jsonPath: string, value: object, willContinue = true): string =>
  called({ partialArgs: [{ jsonPath, ...value }], ...(willContinue && { willContinue }) });
const end = event([{ text: "" }], { finishReason: "STOP" });

function callsIn(events: readonly string[]): { name: string; arguments: unknown }[] {
  return translated(callOf("Chat Completions"), "gemini", events)
    .split("\n\n")
    .filter((text) => text.startsWith("data: {"))
    .flatMap((text) => JSON.parse(text.slice(6)).choices)
    .flatMap(({ delta }) => delta.tool_calls ?? [])
    .map(({ function: { name, arguments: written } }) => ({
      name,
      arguments: JSON.parse(written),
    }));
}

describe("a call of Gemini whose arguments are streamed", () => {
  test("arrives once, whole and with its name", () => {
    const events = [
      called({ name: "cook", willContinue: true }, { thoughtSignature: "c2ln" }),
      argument("$.recipe.parts[0].name", { stringValue: "Lasagna ", willContinue: true }),
      argument("$.recipe.parts[0].name", { stringValue: "noodles" }),
      called({ willContinue: true }),
      argument("$.recipe.parts[1].name", { stringValue: "Egg" }),
      argument("$.recipe.minutes", { numberValue: 35 }),
      argument("$.recipe['is hot']", { boolValue: true }),
      argument("$.note", { nullValue: "NULL_VALUE" }),
      called({}),
      end,
    ];
    const recipe = {
      parts: [{ name: "Lasagna noodles" }, { name: "Egg" }],
      minutes: 35,
      "is hot": true,
    };
    expect(callsIn(events)).toEqual([{ name: "cook", arguments: { recipe, note: null } }]);
  });

  test("is told from the calls before and after it, also where its end is missing", () => {
    const events = [
      called({ name: "first" }),
      called({ name: "second", willContinue: true }),
      argument("$.id", { stringValue: "B" }, false),
      called({ name: "third", willContinue: true }),
      argument("$.id", { stringValue: "C" }),
      end,
    ];
    expect(callsIn(events)).toEqual([
      { name: "first", arguments: {} },
      { name: "second", arguments: { id: "B" } },
      { name: "third", arguments: { id: "C" } },
    ]);
  });

  test("without a name is none, and no path reaches outside its arguments", () => {
    const path = "$.__proto__.polluted";
    expect(callsIn([argument("$.id", { stringValue: "A" }, false), end])).toEqual([]);
    const [call] = callsIn([
      called({ name: "f", willContinue: true }),
      argument(path, { stringValue: "x" }),
      end,
    ]);
    expect(call?.name).toBe("f");
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });
});
