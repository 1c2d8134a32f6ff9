// Schemas in the part of the language that a grammar keeps.
import { expect, test } from "vitest";
import { closeForGrammar, hasRepeatedNames, removeRepeatedNames } from "./schema-fits.ts";

test("an open object is closed, and bounds become words, at any depth", () => {
  const schema = {
    type: "object",
    properties: {
      n: { type: "integer", minimum: 1, description: "A count." },
      list: { type: "array", minItems: 3, items: { type: "string", maxLength: 5 } },
      any: { oneOf: [{ type: "string", format: "phone" }, { type: "null" }] },
    },
  };
  expect(closeForGrammar(schema)).toEqual({
    type: "object",
    properties: {
      n: { type: "integer", description: "A count. {minimum: 1}" },
      list: {
        type: "array",
        description: "{minItems: 3}",
        items: { type: "string", description: "{maxLength: 5}" },
      },
      any: { anyOf: [{ type: "string", description: '{format: "phone"}' }, { type: "null" }] },
    },
    additionalProperties: false,
  });
});

test("a schema that a grammar keeps stays the same object", () => {
  const schema = {
    type: "object",
    properties: {
      at: { type: "string", format: "date-time" },
      list: { type: "array", minItems: 1 },
    },
    additionalProperties: false,
  };
  expect(closeForGrammar(schema)).toBe(schema);
});

test("of two tools by one name the first is sent", () => {
  const tool = (name: string | undefined, description: string) => ({ name, description });
  const tools = [
    tool("f", "one"),
    tool(undefined, "its own"),
    tool("f", "two"),
    tool("g", "three"),
  ];
  const kept = [tools[0], tools[1], tools[3]];
  expect(hasRepeatedNames(tools)).toBe(true);
  expect(removeRepeatedNames(tools)).toEqual(kept);
  expect(hasRepeatedNames(kept)).toBe(false);
});
