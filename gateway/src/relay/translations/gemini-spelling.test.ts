import { droppedFields, translatedBody } from "@tollgate/tests/support/translate-request.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gemini } from "../formats/gemini.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { buildJsonSchema } from "./gemini-spelling.ts";
import { geminiToChat } from "./gemini-to-chat.ts";

/** Names inside arguments, results and schemas are the client's own, whatever they look like. */
const request = {
  contents: [
    {
      role: "user",
      parts: [{ inlineData: { mimeType: "image/png", data: "aGk=" } }, { text: "hi" }],
    },
    {
      role: "model",
      parts: [{ functionCall: { id: "c_1", name: "look_up", args: { zip_code: 1, zipCode: 2 } } }],
    },
    {
      role: "user",
      parts: [{ functionResponse: { id: "c_1", name: "look_up", response: { is_ok: true } } }],
    },
    {
      role: "user",
      parts: [{ fileData: { fileUri: "https://pictures.example/a.png", mimeType: "image/png" } }],
    },
  ],
  systemInstruction: { parts: [{ text: "Be kind." }] },
  tools: [
    {
      functionDeclarations: [
        {
          name: "look_up",
          parametersJsonSchema: { type: "object", properties: { zip_code: { type: "integer" } } },
        },
        {
          name: "other",
          parameters: { type: "OBJECT", properties: { any_of: { type: "STRING" } } },
        },
      ],
    },
  ],
  toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["look_up"] } },
  generationConfig: {
    maxOutputTokens: 9,
    stopSequences: ["END"],
    candidateCount: 2,
    responseMimeType: "application/json",
    responseJsonSchema: { type: "object", properties: { first_name: { type: "string" } } },
    thinkingConfig: { thinkingBudget: 20_000, includeThoughts: true },
  },
};

const own = new Set([
  "args",
  "response",
  "parameters",
  "parametersJsonSchema",
  "responseJsonSchema",
]);
const snake = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * The request with those names in snake case for which `isSnake` says so, in the order in which
 * they stand.
 */
function spelled(value: unknown, isSnake: () => boolean): unknown {
  if (Array.isArray(value)) return value.map((entry) => spelled(entry, isSnake));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      isSnake() ? snake(name) : name,
      own.has(name) ? member : spelled(member, isSnake),
    ]),
  );
}

describe("a Gemini request in Google's other spelling", () => {
  test.each(["m", "gpt-5"])(
    "means the same, for the model %s, however its names are mixed",
    (model) => {
      const expected = translatedBody(geminiToChat, request, model);
      expect(expected).toMatchObject({
        tools: [{ function: { name: "look_up" } }, { function: { name: "other" } }],
      });
      fc.assert(
        fc.property(fc.infiniteStream(fc.boolean()), (choices) => {
          const mixed = spelled(request, () => choices.next().value === true) as JsonRecord;
          expect(translatedBody(geminiToChat, mixed, model)).toEqual(expected);
          const { promptEstimate: _, ...facts } = gemini.parseRequest(mixed, false);
          expect(facts).toMatchObject({ maxOutputTokens: 20_000, choiceCount: 2 });
        }),
      );
    },
  );

  test("is reported as the client spelled it where something is left out", () => {
    const json = {
      contents: request.contents,
      generation_config: { top_k: 4 },
      safety_settings: [{ category: "a" }],
    };
    expect(droppedFields(geminiToChat, json, "m")).toEqual([
      "generation_config.top_k",
      "safety_settings",
    ]);
  });

  test("may write a list of one as its entry, as Google's own examples do", () => {
    const json = {
      contents: { parts: { text: "hi" } },
      system_instruction: { parts: { text: "Be kind." } },
    };
    expect(gemini.parseRequest(json, false).promptEstimate).toBeGreaterThan(0);
    expect(translatedBody(geminiToChat, json, "m").messages).toEqual([
      { role: "system", content: "Be kind." },
      { role: "user", content: "hi" },
    ]);
  });

  test("counts as written in camel case where both are there", () => {
    const json = {
      contents: request.contents,
      generation_config: { top_p: 1 },
      generationConfig: { topP: 0.5 },
    };
    expect(translatedBody(geminiToChat, json, "m").top_p).toBe(0.5);
  });
});

test("a schema of Google's keeps the client's names and loses its own spelling", () => {
  const schema = {
    type: "OBJECT",
    min_properties: 1,
    any_of: [{ type: "STRING", max_length: 3 }],
    properties: { max_items: { type: "ARRAY", max_items: 2, items: { type: "INTEGER" } } },
    default: { type: "LOUD" },
  };
  expect(buildJsonSchema(schema)).toEqual({
    type: "object",
    minProperties: 1,
    anyOf: [{ type: "string", maxLength: 3 }],
    properties: { max_items: { type: "array", maxItems: 2, items: { type: "integer" } } },
    default: { type: "LOUD" },
  });
});
