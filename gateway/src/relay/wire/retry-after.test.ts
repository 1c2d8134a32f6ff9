import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findRestStated, findRetryDelay, readRetryAfter } from "./retry-after.ts";

const now = Date.UTC(2026, 10, 20, 12);

describe("the wait that an upstream asks for", () => {
  test.each([
    ["Rate limit reached. Please try again in 6.5s.", 6_500],
    ["Please try again in 320ms. Visit us", 320],
    ["Please try again in 1m30.5s.", 60_000],
    ["Please retry in 34.07s.", 34_070],
    ["try again in 20 seconds", 20_000],
    ["try again in a while", undefined],
    ["try again in 5 minutes", undefined],
  ])("in the words %j is %s ms", (message, ms) => {
    expect(readRetryAfter({}, undefined, now, message)).toBe(ms);
  });

  test("in a header counts before words", () =>
    expect(readRetryAfter({ "retry-after": "2" }, undefined, now, "try again in 9s")).toBe(2_000));

  test.each([
    [{ "retry-after": "2" }, 2_000],
    [{ "retry-after": " 2 " }, 2_000],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": "1.5" }, 1_500],
    [{ "retry-after": "999999999" }, 60_000],
    [{ "retry-after": new Date(now + 30_000).toUTCString() }, 30_000],
    [{ "retry-after": new Date(now + 3_600_000).toUTCString() }, 60_000],
    [{ "retry-after": "-5" }, undefined],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after": "" }, undefined],
    [{ "retry-after": "Infinity" }, undefined],
    [{ "retry-after": "1e9" }, undefined],
    [{ "retry-after": new Date(now - 1_000).toUTCString() }, undefined],
    [{ "retry-after-ms": "1204" }, 1_204],
    [{ "retry-after-ms": "1204", "retry-after": "2" }, 1_204],
    [{ "retry-after-ms": "soon", "retry-after": "2" }, 2_000],
    [{ "retry-after-ms": "999999999" }, 60_000],
    [{ "x-ms-retry-after-ms": "350" }, 350],
    [{ "x-ms-retry-after-ms": "350", "retry-after": "1" }, 350],
    [{ "retry-after-ms": ["1", "2"] }, undefined],
    [{}, undefined],
  ])("of the headers %j is %s ms", (headers, ms) =>
    expect(readRetryAfter(headers, undefined, now)).toBe(ms),
  );

  test.each([
    ["34s", 34_000],
    ["34.074824224s", 34_075],
    ["0s", 0],
    ["3600s", 60_000],
    ["-1s", undefined],
    ["34", undefined],
    ["s", undefined],
    ["", undefined],
  ])("of Google's retryDelay %j is %s ms", (retryDelay, ms) => {
    expect(readRetryAfter({}, retryDelay, now)).toBe(ms);
    expect(readRetryAfter({ "retry-after": "7" }, retryDelay, now)).toBe(7_000);
  });

  test("is in the detail of an error that has one", () => {
    const quota = { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: [] };
    const retry = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34s" };
    expect(findRetryDelay([null, quota, retry])).toBe("34s");
    expect([[quota], [{ retryDelay: 34 }], "34s", undefined].map(findRetryDelay)).toEqual(
      Array(4).fill(undefined),
    );
  });

  test("is never negative and never longer than a minute, whatever is said", () => {
    const text = fc.oneof(fc.string(), fc.double().map(String), fc.date().map(String));
    const name = fc.constantFrom("retry-after-ms", "x-ms-retry-after-ms", "retry-after");
    fc.assert(
      fc.property(
        fc.dictionary(name, text),
        fc.option(text, { nil: undefined }),
        (headers, retryDelay) => {
          const ms = readRetryAfter(headers, retryDelay, now);
          if (ms !== undefined) expect(ms >= 0 && ms <= 60_000).toBe(true);
        },
      ),
    );
  });
});

test.each([
  [429, 5_000, 5_000],
  [429, 0, 0],
  [429, 1e9, 60_000],
  [429, undefined, undefined],
  [503, 5_000, undefined],
])(
  "after status %i with a wait of %s ms, the time of the upstream is %s",
  (status, retryAfterMs, ms) => expect(findRestStated(status, retryAfterMs)).toBe(ms),
);
