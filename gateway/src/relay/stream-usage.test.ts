import { describe, expect, test } from "vitest";
import { noUsage } from "../money/price.ts";
import { chargeable, factsOf, usageFrom } from "./stream-usage.ts";

const event = (data: unknown): string => `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

describe("an event", () => {
  test.each([
    ["a role alone", { choices: [{ delta: { role: "assistant", content: "" } }] }, "other", 0],
    ["a word", { choices: [{ delta: { content: "word" } }] }, "content", 4],
    ["escaped text", { choices: [{ delta: { content: 'a"\n' } }] }, "content", 3],
    ["reasoning", { choices: [{ delta: { reasoning_content: "hm" } }] }, "content", 2],
    ["tool arguments", { choices: [{ delta: { tool_calls: [{ function: { arguments: '{"a"' } }] } }] }, "content", 4],
    ["a finish reason", { choices: [{ delta: {}, finish_reason: "stop" }], usage: null }, "other", 0],
  ])("with %s is seen as what it is", (_name, data, kind, textBytes) => {
    expect(factsOf(event(data))).toMatchObject({ kind, textBytes });
  });
  test("with usage alone says so", () => {
    expect(factsOf(event({ choices: [], usage: { prompt_tokens: 3 } }))).toMatchObject({
      kind: "usage",
      isUsageOnly: true,
    });
  });
  test("with usage beside content keeps the content", () => {
    const facts = factsOf(event({ choices: [{ delta: { content: "ab" } }], usage: { prompt_tokens: 3 } }));
    expect(facts).toMatchObject({ kind: "usage", isUsageOnly: false, textBytes: 2 });
  });
  test("with spaces after its colons is read as well", () => {
    expect(factsOf('data: {"choices": [], "usage": {"prompt_tokens": 3}}\n\n')).toMatchObject({ kind: "usage" });
  });
  test("with an error is an error, and error: null is none", () => {
    expect(factsOf(event({ error: { message: "no" } }))).toMatchObject({ kind: "error", error: { message: "no" } });
    expect(factsOf(event({ error: null, choices: [{ delta: { content: "a" } }] }))).toMatchObject({ kind: "content" });
  });
  test.each(["[DONE]", " [DONE]"])("%j ends the stream", (data) => {
    expect(factsOf(event(data)).kind).toBe("done");
  });
  test.each([":\n\n", "data:\n\n", "data: \n\n", "event: x\n\n"])("%j says nothing", (text) => {
    expect(factsOf(text).kind).toBe("other");
  });
  test.each(['data: {"usage":{ broken\n\n', 'data: {"usage":{ broken}\n\n', "data: \0\n\n", "data: <html>\n\n"])(
    "%j is damaged",
    (text) => {
      expect(factsOf(text).kind).toBe("damaged");
    },
  );
});

describe("usage", () => {
  test("is split into disjoint buckets", () => {
    const read = usageFrom({ prompt_tokens: 10, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 6 } });
    expect(read).toEqual({
      usage: { input: 4, cache_read: 6, cache_write_5m: 0, cache_write_1h: 0, output: 4 },
      hidden: 0,
      isFlagged: false,
    });
  });
  test("with more cached than prompt tokens is clamped and flagged", () => {
    const read = usageFrom({ prompt_tokens: 3, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 9 } });
    expect(read).toMatchObject({ usage: { input: 0, cache_read: 3 }, isFlagged: true });
  });
  test.each([
    null,
    undefined,
    "12",
    {},
    { prompt_tokens: -1, completion_tokens: 1 },
    { prompt_tokens: 1, completion_tokens: -5 },
    { prompt_tokens: 1.5, completion_tokens: 1 },
    { prompt_tokens: "7", completion_tokens: 1 },
    { prompt_tokens: 2 ** 63, completion_tokens: 1 },
    { prompt_tokens: Number.NaN, completion_tokens: 1 },
    { prompt_tokens: 0, completion_tokens: 0 },
  ])("%j counts nothing that could be charged", (wire) => {
    expect(usageFrom(wire)).toBeUndefined();
  });
});

describe("what is charged", () => {
  const estimate = { ...noUsage, input: 100, output: 50 };
  test("is the upstream's word while it is believable", () => {
    const { usage, note } = chargeable({ prompt_tokens: 1_400, completion_tokens: 1_200 }, estimate);
    expect([usage.input, usage.output, note]).toEqual([1_400, 1_200, ""]);
  });
  test.each([
    { prompt_tokens: 1_401, completion_tokens: 1 },
    { prompt_tokens: 1, completion_tokens: 1_201 },
  ])("is the estimate when the upstream claims %j", (wire) => {
    expect(chargeable(wire, estimate)).toMatchObject({ usage: estimate, note: expect.stringContaining("claimed") });
  });
  test("may contain any amount of declared reasoning", () => {
    const wire = {
      prompt_tokens: 10,
      completion_tokens: 9_000,
      completion_tokens_details: { reasoning_tokens: 8_900 },
    };
    expect(chargeable(wire, estimate)).toMatchObject({ usage: { output: 9_000 }, note: "" });
  });
  test("is the estimate when there is no usage at all, and says so", () => {
    expect(chargeable(undefined, estimate)).toMatchObject({ usage: estimate, note: expect.stringContaining("none") });
  });
});
