import { describe, expect, test } from "vitest";
import { noUsage } from "../../../money/prices/price.ts";
import { parseMessagesUsage } from "./messages-usage.ts";
import { buildChargedUsage } from "./reported-usage.ts";

describe("usage of Messages", () => {
  test("splits cache writes by how long they stay", () => {
    const cache_creation = { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 12 };
    const read = parseMessagesUsage({
      input_tokens: 1,
      cache_creation_input_tokens: 42,
      cache_creation,
      output_tokens: 2,
    });
    expect(read?.usage).toEqual({
      input: 1,
      cache_read: 0,
      cache_write_5m: 30,
      cache_write_1h: 12,
      output: 2,
    });
  });
  test("without the split counts it as the shorter", () => {
    expect(
      parseMessagesUsage({ input_tokens: 1, cache_creation_input_tokens: 42 })?.usage
        .cache_write_5m,
    ).toBe(42);
  });
  test("counts what was written to a cache where both ages say 0", () => {
    const cache_creation = { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 };
    const read = parseMessagesUsage({
      input_tokens: 1,
      cache_creation_input_tokens: 42,
      cache_creation,
    });
    expect(read?.usage).toMatchObject({ cache_write_5m: 42, cache_write_1h: 0 });
  });
  test("keeps writes for an hour apart from those of the advisor", () => {
    const read = parseMessagesUsage({
      input_tokens: 1,
      cache_creation_input_tokens: 42,
      cache_creation: { ephemeral_1h_input_tokens: 12 },
      iterations: [{ type: "advisor_message", cache_creation: { ephemeral_1h_input_tokens: 20 } }],
    });
    expect(read?.usage).toMatchObject({ cache_write_5m: 30, cache_write_1h: 32 });
  });
  test("of a prompt does not become 0 at the end of a stream", () => {
    const started = { ...noUsage, input: 7, cache_read: 20, web_searches: 2 };
    const said = {
      input_tokens: 0,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
      output_tokens: 9,
    };
    expect(parseMessagesUsage(said, started)).toMatchObject({ usage: { ...started, output: 9 } });
    expect(parseMessagesUsage({ ...said, input_tokens: 8 }, started)?.usage).toMatchObject({
      input: 8,
      cache_read: 0,
    });
  });
  test("of which every count is 0 takes back none that came before", () => {
    const counted = { ...noUsage, input: 7, output: 12, web_searches: 2 };
    expect(parseMessagesUsage({ input_tokens: 0, output_tokens: 0 }, counted)).toBeUndefined();
  });
  const nothing = { input_tokens: 0, output_tokens: 0 };
  const searched = (web_search_requests: number) => ({
    ...nothing,
    server_tool_use: { web_search_requests },
  });
  test("that counts searches alone keeps the tokens that were counted before, and leaves the rest to the estimate", () => {
    const counted = { ...noUsage, input: 7, cache_read: 3, output: 12 };
    const later = parseMessagesUsage(searched(2), counted);
    expect(later?.usage).toEqual({ ...counted, web_searches: 2 });
    expect([later?.isPartial, later?.isPromptUncounted]).toEqual([undefined, undefined]);
    const alone = parseMessagesUsage(searched(2));
    expect(alone).toMatchObject({
      usage: { ...noUsage, web_searches: 2 },
      isPartial: true,
      isPromptUncounted: true,
    });
    const estimate = { ...noUsage, input: 40, output: 9 };
    expect(buildChargedUsage(alone, estimate).usage).toEqual({ ...estimate, web_searches: 2 });
    const begun = parseMessagesUsage(searched(2), { ...noUsage, input: 7 });
    expect([begun?.isPartial, begun?.isPromptUncounted]).toEqual([true, undefined]);
    expect(buildChargedUsage(begun, estimate).usage).toEqual({
      ...noUsage,
      input: 7,
      output: 9,
      web_searches: 2,
    });
    // No search either: nothing is said.
    expect(parseMessagesUsage(searched(0), counted)).toBeUndefined();
    expect(parseMessagesUsage({ input_tokens: 5, output_tokens: 9 })).not.toHaveProperty(
      "isPartial",
    );
  });
  test("without a search has none, not a search of an unknown number", () => {
    expect(parseMessagesUsage({ output_tokens: 9 })?.usage).not.toHaveProperty("web_searches");
  });
  test.each<[object, true | undefined]>([
    [{ output_tokens: 9 }, true],
    [{ input_tokens: "7", output_tokens: 9 }, true],
    [{ input_tokens: null, output_tokens: 9 }, true],
    [{ input_tokens: 0, output_tokens: 9 }, undefined],
    [{ cache_read_input_tokens: 7, output_tokens: 9 }, undefined],
  ])("%j leaves the prompt to the estimate: %j", (wire, isPromptUncounted) => {
    expect(parseMessagesUsage(wire)?.isPromptUncounted).toBe(isPromptUncounted);
  });
  test.each([null, "1", {}, { input_tokens: -1 }, { input_tokens: 1.5 }])(
    "%j reports no usage",
    (wire) => {
      expect(parseMessagesUsage(wire)).toBeUndefined();
    },
  );
  const advised = { type: "advisor_message", input_tokens: 5, output_tokens: 3 };
  test.each<[string, object, object, number]>([
    ["a call alone", { input_tokens: 1, output_tokens: 9 }, { input: 1, output: 9 }, 0],
    [
      "reasoning, which no client receives",
      { input_tokens: 1, output_tokens: 9, output_tokens_details: { thinking_tokens: 4 } },
      { input: 1, output: 9 },
      4,
    ],
    [
      "no more reasoning than output",
      { input_tokens: 1, output_tokens: 9, output_tokens_details: { thinking_tokens: 99 } },
      { input: 1, output: 9 },
      9,
    ],
    [
      "passes beside the call, and none of its own",
      {
        input_tokens: 1,
        output_tokens: 9,
        output_tokens_details: { thinking_tokens: 4 },
        iterations: [advised, { ...advised, type: "message" }, { type: "compaction" }, null],
      },
      { input: 6, output: 12 },
      7,
    ],
    [
      "one search",
      { input_tokens: 1, server_tool_use: { web_search_requests: 1, web_fetch_requests: 5 } },
      { input: 1, web_searches: 1 },
      0,
    ],
    [
      "no search",
      { input_tokens: 1, server_tool_use: { web_search_requests: 0 } },
      { input: 1 },
      0,
    ],
    [
      "five minutes without a total",
      { cache_creation: { ephemeral_5m_input_tokens: 30 } },
      { cache_write_5m: 30 },
      0,
    ],
    [
      "no minutes without a total",
      { input_tokens: 1, cache_creation: { ephemeral_5m_input_tokens: 0 } },
      { input: 1 },
      0,
    ],
    [
      "five minutes that are more than the rest of the total",
      { cache_creation_input_tokens: 20, cache_creation: { ephemeral_5m_input_tokens: 30 } },
      { cache_write_5m: 30 },
      0,
    ],
  ])("is charged as %s", (_, wire, usage, hiddenOutput) => {
    const { isPromptUncounted, ...read } = parseMessagesUsage(wire) ?? {};
    expect(read).toStrictEqual({
      usage: { ...noUsage, ...usage },
      hiddenOutput,
      isCorrected: false,
      wire: { family: "anthropic", members: wire },
    });
    expect(isPromptUncounted).toBeUndefined();
  });
  test("of a later event has the searches of an earlier one, unless it says otherwise", () => {
    const before = { ...noUsage, input: 1, web_searches: 2 };
    expect(parseMessagesUsage({ output_tokens: 9 }, before)?.usage.web_searches).toBe(2);
    expect(
      parseMessagesUsage({ server_tool_use: { web_search_requests: 3 } }, before)?.usage
        .web_searches,
    ).toBe(3);
  });
  test("of a prompt of one token is that of one token", () => {
    expect(parseMessagesUsage({ input_tokens: 1 }, { ...noUsage, input: 7 })?.usage.input).toBe(1);
  });
});
