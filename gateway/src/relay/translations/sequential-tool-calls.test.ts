import { expect, test } from "vitest";
import { SequentialToolCalls } from "./sequential-tool-calls.ts";

const begins = (index: number, id: string, written = "") => ({
  index,
  id,
  function: { name: id, arguments: written },
});
const goesOn = (index: number, written: string) => ({ index, function: { arguments: written } });

/** Each piece as `call:written`, those of one event together, and what is left at the end. */
const piecesOf = (...parts: object[]): string[] => {
  const calls = new SequentialToolCalls();
  const events = parts.map((part) => calls.push({ ...part }));
  return [...events, calls.end()].map((pieces) =>
    pieces.map(({ callIndex, argumentsText }) => `${callIndex}:${argumentsText}`).join(" "),
  );
};

test.each<[string, object[], string[]]>([
  ["at once", [begins(0, "a"), goesOn(0, '{"x":'), goesOn(0, "1}")], ["", '0:{"x":', "0:1}", ""]],
  [
    "one after the other",
    [begins(0, "a", "{}"), begins(1, "b"), goesOn(1, "{}")],
    ["0:{}", "", "1:{}", ""],
  ],
  ["apart by their ids", [begins(0, "a", "{}"), begins(0, "b", "{}")], ["0:{}", "1:{}", ""]],
  [
    "when the one before is complete",
    [begins(0, "a"), begins(1, "b", "{"), goesOn(0, "{"), goesOn(1, "}"), goesOn(0, "}")],
    ["", "0:", "0:{", "", "0:} 1:{}", ""],
  ],
  [
    "whatever stands in their texts",
    [begins(0, "a", '{"x":"}'), begins(1, "b", "{}"), goesOn(0, '\\"}'), goesOn(0, '"}')],
    ['0:{"x":"}', "", '0:\\"}', '0:"} 1:{}', ""],
  ],
  [
    "at the end, complete or not",
    [begins(0, "a"), begins(1, "b"), goesOn(1, "{}")],
    ["", "0:", "", "1:{}"],
  ],
])("calls are sent %s", (_, parts, wanted) => {
  expect(piecesOf(...parts)).toEqual(wanted);
});
