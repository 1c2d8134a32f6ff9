import { droppedFields } from "@tollgate/tests/support/translate-request.ts";
import { describe, expect, test } from "vitest";
import { geminiAsList } from "../translations/gemini-as-list.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { translations } from "./translation-registry.ts";

/** The smallest call of each entry. */
const plain: Readonly<Record<string, JsonRecord>> = {
  chat_completions: { messages: [{ role: "user", content: "hi" }] },
  response_api: { input: "hi" },
  claude_messages: { messages: [{ role: "user", content: "hi" }] },
  embeddings: { input: "hi" },
  images_generations: { prompt: "a cat" },
  gemini: { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
  gemini_list: { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
};
const all = Object.entries(translations).flatMap(([entry, ways]) => {
  const body = { model: "m", ...plain[entry] };
  return (ways ?? []).map(
    (translation) =>
      [`${entry} over ${translation.target.endpoint}`, { translation, body }] as const,
  );
});

describe.each(all)("%s", (_way, { translation, body }) => {
  // A list of Gemini's is Gemini's own interface: nothing is translated.
  const isOwn = translation === geminiAsList;

  test("has a plain request", () => expect(Object.keys(body).length).toBeGreaterThan(1));

  test("drops nothing of a plain request", () =>
    expect(droppedFields(translation, body, "m")).toEqual([]));

  test("reports an unknown field", () => {
    expect(droppedFields(translation, { ...body, no_such_member: 1 }, "m")).toEqual(
      isOwn ? [] : ["no_such_member"],
    );
  });

  test("translates a body of wrong types without an error", () => {
    const odd: unknown[] = [
      null,
      7,
      "x",
      [],
      {},
      [null],
      [[{}]],
      [{ type: "text", role: "user", content: [7] }],
    ];
    for (const value of odd) {
      const json = Object.fromEntries(
        Object.keys({ ...body, tools: 1, tool_choice: 1, text: 1 }).map((name) => [name, value]),
      );
      for (const name of droppedFields(translation, { ...json, model: "m" }, "m"))
        expect(name).toMatch(/^[\w.-]+$/);
    }
  });
});
