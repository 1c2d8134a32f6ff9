import { describe, expect, test } from "vitest";
import { noUsage } from "../../money/price.ts";
import { parseMessagesUsage } from "./messages-usage.ts";

describe("usage of Messages", () => {
  test("splits cache writes by how long they stay", () => {
    const cache_creation = { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 12 };
    const read = parseMessagesUsage({
      input_tokens: 1,
      cache_creation_input_tokens: 42,
      cache_creation,
      output_tokens: 2,
    });
    expect(read?.usage).toEqual({ input: 1, cache_read: 0, cache_write_5m: 30, cache_write_1h: 12, output: 2 });
  });
  test("without the split counts it as the shorter", () => {
    expect(parseMessagesUsage({ input_tokens: 1, cache_creation_input_tokens: 42 })?.usage.cache_write_5m).toBe(42);
  });
  test("counts what was written to a cache where both ages say 0", () => {
    const cache_creation = { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 };
    const read = parseMessagesUsage({ input_tokens: 1, cache_creation_input_tokens: 42, cache_creation });
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
    const said = { input_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 9 };
    expect(parseMessagesUsage(said, started)).toMatchObject({ usage: { ...started, output: 9 } });
    expect(parseMessagesUsage({ ...said, input_tokens: 8 }, started)?.usage).toMatchObject({ input: 8, cache_read: 0 });
  });
  test("of which every count is 0 takes back none that came before", () => {
    const counted = { ...noUsage, input: 7, output: 12, web_searches: 2 };
    expect(parseMessagesUsage({ input_tokens: 0, output_tokens: 0 }, counted)).toBeUndefined();
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
  test.each([null, "1", {}, { input_tokens: -1 }, { input_tokens: 1.5 }])("%j reports no usage", (wire) => {
    expect(parseMessagesUsage(wire)).toBeUndefined();
  });
});
