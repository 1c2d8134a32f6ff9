// What a request must look like: refused by the name of its first wrong field, and otherwise taken
// as it came.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anthropicMessages } from "./anthropic-messages.ts";
import type { ClientFormat } from "./api-format.ts";
import { chatCompletions } from "./chat-completions.ts";
import { gemini } from "./gemini.ts";
import { completions } from "./openai-basic-formats.ts";
import {
  integerField,
  listField,
  listOrOne,
  modelName,
  objectField,
  optional,
  parseBody,
} from "./request-fields.ts";
import { responses } from "./responses.ts";

const message = { role: "user", content: "x" };
const chat = { model: "m", messages: [message] };
const refusal = (param: string, message: string) =>
  expect.objectContaining({ refusal: expect.objectContaining({ status: 400, param, message }) });

const notSwitches = [0, 1, "", "true", [], {}];
const notLimits = [-1, 1.5, 10_000_001, 1e300, "1", true, [], {}];
const notTexts = [undefined, null, 0, true, [], {}];

/**
 * For each format an ordinary body, and values that each of its fields refuses, with the name in
 * the refusal.
 */
const formats: [
  string,
  ClientFormat,
  object,
  [field: string, values: readonly unknown[], named?: string][],
][] = [
  [
    "chat completions",
    chatCompletions,
    chat,
    [
      ["model", [...notTexts, "", "x".repeat(201)]],
      ["messages", [undefined, null, "x", {}, []]],
      [
        "messages",
        [
          [message, null],
          [message, "x"],
          [message, []],
          [message, { role: 1 }],
        ],
        "messages.1",
      ],
      ["stream", notSwitches],
      ["stream_options", [1, "x", [{}], true]],
      [
        "stream_options",
        [{ include_usage: 1 }, { include_usage: "x" }],
        "stream_options.include_usage",
      ],
      ["max_tokens", notLimits],
      ["max_completion_tokens", notLimits],
      ["n", [...notLimits, 0, 129]],
    ],
  ],
  [
    "messages",
    anthropicMessages,
    chat,
    [
      ["model", [...notTexts, "", "x".repeat(201)]],
      ["messages", [[{}]], "messages.0"],
      ["stream", notSwitches],
      ["max_tokens", notLimits],
    ],
  ],
  [
    "responses",
    responses,
    { model: "m", input: "x" },
    [
      ["model", [...notTexts, "", "x".repeat(201)]],
      ["input", [0, true, {}]],
      [
        "input",
        [
          [message, null],
          [message, "x"],
        ],
        "input.1",
      ],
      ["stream", notSwitches],
      ["background", [true, "", 0]],
      ["max_output_tokens", notLimits],
    ],
  ],
  [
    "completions",
    completions,
    { model: "m", prompt: "x" },
    [
      ["model", notTexts],
      ["prompt", [undefined, null, "", 1, true]],
      ["n", [0, 129, "1"]],
    ],
  ],
  [
    "Gemini",
    gemini,
    { contents: [{ parts: [{ text: "x" }] }] },
    [
      ["contents", [undefined, null, "x", 1, []]],
      [
        "contents",
        [
          [{ parts: [] }, null],
          [{}, { parts: "x" }],
        ].slice(0, 1),
        "contents.1",
      ],
      ["contents", [[{}, { parts: "x" }]], "contents.1.parts"],
      ["contents", [{ parts: 1 }], "contents.parts"],
    ],
  ],
];

describe("a request", () => {
  test.each(formats)("names its first wrong field: %s", (_, format, body, wrong) => {
    expect(() => format.parseRequest(body, true)).not.toThrow();
    for (const [field, values, named = field] of wrong) {
      for (const value of values) {
        expect(
          () => format.parseRequest({ ...body, [field]: value }, true),
          `${field}: ${String(value)}`,
        ).toThrow(refusal(named, expect.stringMatching(new RegExp(`^${named}: (?:must|is) `))));
      }
    }
  });

  test.each(formats)(
    "may leave out, or set to null, whatever it need not state: %s",
    (_, format, body, wrong) => {
      for (const [field] of wrong.filter(([name]) => !(name in body))) {
        for (const value of [undefined, null]) {
          expect(() => format.parseRequest({ ...body, [field]: value }, true)).not.toThrow();
        }
      }
    },
  );

  test.each([null, undefined, "x", 1, true, [], [chat]])("is an object, and not %j", (body) => {
    expect(() => chatCompletions.parseRequest(body, true)).toThrow(
      refusal("", "body: must be an object"),
    );
  });

  test("is accepted up to the bounds of its fields", () => {
    const atBounds = {
      ...chat,
      model: "x".repeat(200),
      max_tokens: 10_000_000,
      max_completion_tokens: 0,
      n: 128,
    };
    expect(chatCompletions.parseRequest(atBounds, true)).toMatchObject({
      model: "x".repeat(200),
      choiceCount: 128,
    });
  });
});

test("a body is taken as it came, with every member that no field names", () => {
  const request = objectField({
    model: modelName,
    items: optional(listField(integerField(0, 9), 1, 3)),
  });
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 3 }),
      (extra, items) => {
        const body = { model: "m", items, extra };
        expect(parseBody(request, body, "code")).toBe(body);
      },
    ),
  );
});

test("the place of the first mistake in a value leads to what is wrong", () => {
  const field = objectField({
    a: listOrOne(listField(integerField(0, 2), 1, 2), modelName),
    b: optional(modelName),
  });
  const values = fc.oneof(
    fc.constantFrom(0, 2, 3, "m", "", null),
    fc.array(fc.constantFrom(0, 3, "m"), { maxLength: 3 }),
  );
  fc.assert(
    fc.property(fc.record({ a: values, b: values }, { requiredKeys: [] }), (value) => {
      if (field.accepts(value)) return;
      const { path } = field.mistakeIn(value);
      const [name, index] = path;
      const mended = structuredClone(value) as Record<string, unknown>;
      if (index === undefined) mended[name as string] = "m";
      else (mended[name as string] as unknown[])[index as number] = 1;
      // What stood at the place was wrong: with a right value there, the mistake is gone.
      const left = field.accepts(mended) ? undefined : field.mistakeIn(mended).path;
      expect(left).not.toEqual(path);
    }),
  );
});
