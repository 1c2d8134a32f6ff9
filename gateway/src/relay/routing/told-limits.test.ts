import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createToldLimits, readReset } from "./told-limits.ts";

const at = Date.UTC(2026, 10, 29);
const channel = { id: 1, keys: [{ index: 0, key: "k", hint: "", status: 1 }] };
const tell = (headers: Record<string, string>) => {
  const told = createToldLimits(() => at);
  told.hear(1, 0, "m", headers);
  return told.emptyMs(channel, "m");
};

test.each([
  ["6m0s", 360_000],
  ["1.5s", 1_500],
  ["120ms", 120],
  ["1h2m3s", 3_723_000],
  ["20", 20_000],
  ["2026-11-29T00:00:30Z", 30_000],
  ["2026-11-28T00:00:00Z", 0],
  ["soon", undefined],
  ["1s and more", undefined],
  ["", undefined],
])("a reset of %j is %j ms away", (text, ms) => expect(readReset(text, at)).toBe(ms));

describe("headers of an answer", () => {
  test("OpenAI: a channel without requests waits until one has come back, one without tokens until a call's worth has", () => {
    const requests = { "x-ratelimit-remaining-requests": "0", "x-ratelimit-limit-requests": "500" };
    expect(tell({ ...requests, "x-ratelimit-reset-requests": "1m0s" })).toEqual({
      leftMs: 120,
      unit: "requests",
    });
    const tokens = { "x-ratelimit-remaining-tokens": "0", "x-ratelimit-limit-tokens": "40960" };
    expect(tell({ ...tokens, "x-ratelimit-reset-tokens": "60s" })).toEqual({
      leftMs: 6_000,
      unit: "tokens",
    });
  });

  test("Anthropic: the reset is a moment, and the longest wait counts", () => {
    expect(
      tell({
        "anthropic-ratelimit-requests-remaining": "0",
        "anthropic-ratelimit-requests-limit": "60",
        "anthropic-ratelimit-requests-reset": "2026-11-29T00:01:00Z",
        "anthropic-ratelimit-input-tokens-remaining": "0",
        "anthropic-ratelimit-input-tokens-reset": "2026-11-29T00:00:20Z",
      }),
    ).toEqual({ leftMs: 20_000, unit: "tokens" });
  });

  test.each<[string, Record<string, string>]>([
    [
      "something is left",
      { "x-ratelimit-remaining-requests": "1", "x-ratelimit-reset-requests": "60s" },
    ],
    ["no time is named", { "x-ratelimit-remaining-requests": "0" }],
    [
      "the time cannot be read",
      { "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "later" },
    ],
    [
      "a limit of 0 says that there is none",
      {
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-limit-requests": "0",
        "x-ratelimit-reset-requests": "60s",
      },
    ],
  ])("nothing is believed where %s", (_, headers) => expect(tell(headers)).toBeUndefined());

  test("whatever a provider writes, a channel waits for a minute at most", () => {
    const name = fc.constantFrom(
      "x-ratelimit-remaining-requests",
      "x-ratelimit-limit-requests",
      "x-ratelimit-reset-requests",
    );
    const value = fc.oneof(
      fc.constantFrom("0", "99999d", "9999-01-01T00:00:00Z", "1e9"),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.dictionary(name, value), (headers) => {
        const left = tell(headers)?.leftMs ?? 0;
        expect(left).toBeGreaterThanOrEqual(0);
        expect(left).toBeLessThanOrEqual(60_000);
      }),
    );
  });
});

test("memory is bounded", () => {
  const told = createToldLimits(() => at);
  const headers = { "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "60s" };
  for (let id = 0; id < 6_000; id += 1) told.hear(id, 0, "m", headers);
  expect(told.list()).toHaveLength(5_000);
});
