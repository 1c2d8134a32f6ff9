import { i18n } from "@lingui/core";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  formatBytes,
  formatCompact,
  formatDate,
  formatDecimal,
  formatDollars,
  formatDurationMs,
  formatInteger,
  formatOwnDollars,
  formatQuota,
  formatRelative,
  formatSeconds,
  formatShort,
  missing,
} from "./format.ts";

test.each([
  [0, "0"],
  [999, "999"],
  [1_000, "1.0K"],
  [12_345, "12.3K"],
  [999_949, "999.9K"],
  [999_950, "1.0M"],
  [4_500_000, "4.5M"],
  [-2_000, "-2.0K"],
  [0.25, "0.3"],
])("%d in short is %s", (value, text) => {
  expect(formatCompact(value)).toBe(text);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, null, undefined])(
  "what is not known is a dash: %s",
  (value) => {
    const money = { perUnit: 500_000, inCurrency: true, digits: 4 };
    const texts = [
      formatInteger(value),
      formatDecimal(value, 2),
      formatCompact(value),
      formatQuota(value, money),
      formatQuota(value, { ...money, inCurrency: false }),
      formatDollars(value),
      formatBytes(value),
      formatDurationMs(value),
      formatSeconds(value),
    ];
    expect(new Set(texts)).toEqual(new Set([missing]));
  },
);

test("zero has no sign", () => {
  expect(formatInteger(-0)).toBe("0");
});

describe("money", () => {
  test.each([
    [1_234.5, 2, "$1,234.50"],
    [0, 2, "$0.00"],
    [0.01, 2, "$0.01"],
    // Below a cent up to six decimals, so that a price never reads as nothing.
    [0.0021, 2, "$0.0021"],
    [0.000001, 2, "$0.000001"],
    [0.0000001, 2, "<$0.000001"],
    [0.5, 4, "$0.50"],
    [0.005, 4, "$0.005"],
    // Trailing zeros beyond the cents are left out, whatever the number of digits.
    [1.5, 6, "$1.50"],
    [0.00001, 6, "$0.00001"],
    [0.012345, 6, "$0.012345"],
    [-3, 2, "-$3.00"],
  ])("%d with %i decimals is %s", (amount, digits, text) => {
    expect(formatDollars(amount, digits)).toBe(text);
  });

  test("quota is currency or compact, as the site is set", () => {
    expect(formatQuota(1_000_000, { perUnit: 500_000, inCurrency: true, digits: 2 })).toBe("$2.00");
    expect(formatQuota(1_000_000, { perUnit: 500_000, inCurrency: false, digits: 2 })).toBe("1.0M");
  });

  test.each([
    [2_319_928, "$4.64", "$4.6399", "$4.639856"],
    [750_000, "$1.50", "$1.5000", "$1.500000"],
    [0, "$0.00", "$0.0000", "$0.000000"],
    [1_000, "$0.002", "$0.0020", "$0.002000"],
    [29, "$0.000058", "$0.000058", "$0.000058"],
  ])("%d units with two, four and six decimals are %s, %s and %s", (units, ...texts) => {
    const shown = [2, 4, 6].map((digits) =>
      formatQuota(units, { perUnit: 500_000, inCurrency: true, digits }),
    );
    expect(shown).toEqual(texts);
  });
});

test.each([
  [0, "$0"],
  [1_234.5, "$1,234.50"],
  [1, "$1.00"],
  [0.5, "$0.50"],
  [0.123_456, "$0.123"],
  [0.02868, "$0.0287"],
  [0.001_026, "$0.00103"],
  [0.000_012, "$0.000012"],
  [0.000_000_1, "<$0.000001"],
  [-0.25, "-$0.25"],
  [Number.NaN, "–"],
  [undefined, "–"],
])("on our own screens %d dollars are %s, as an amount and as quota", (amount, text) => {
  expect(formatOwnDollars(amount)).toBe(text);
  const own = { perUnit: 500_000, inCurrency: true, digits: "own" } as const;
  expect(formatQuota((amount ?? Number.NaN) * 500_000, own)).toBe(text);
});

test.each([
  [0, "0"],
  [999, "999"],
  [1_000, "1K"],
  [12_345, "12.3K"],
  [999_960, "1M"],
  [5_607_029_000_000, "5.6T"],
  [1_500_000_000, "1.5B"],
  [-2_000, "-2K"],
  [0.000_012, "0.000012"],
  [undefined, "-"],
])("%d on an axis is %s", (value, text) => {
  expect(formatShort(value)).toBe(text);
});

test("times are shown to the second in the browser's time zone, and missing ones as a dash", () => {
  expect(formatDate(new Date(2026, 10, 21, 9, 5, 7))).toBe("2026-11-21 09:05:07");
  expect(formatSeconds(new Date(2026, 0, 2, 3, 4, 5).getTime() / 1000)).toBe("2026-01-02 03:04:05");
  for (const nothing of [0, -1, null, undefined, Number.NaN])
    expect(formatSeconds(nothing)).toBe("-");
});

test("relative times", () => {
  const now = 1_795_100_000_000;
  expect(formatRelative(1_795_100_000 - 3 * 3_600, now, "en")).toBe("3 hours ago");
  expect(formatRelative(1_795_100_000 + 2 * 86_400, now, "en")).toBe("in 2 days");
  expect(formatRelative(1_795_100_000 - 20, now, "en")).toBe("now");
});

test("durations are milliseconds below a second, and a negative one is a dash", () => {
  expect(formatDurationMs(0)).toBe("0 ms");
  expect(formatDurationMs(999)).toBe("999 ms");
  expect(formatDurationMs(1_000)).toBe("1.00 s");
  expect(formatDurationMs(-5)).toBe("-");
  expect(formatDurationMs(undefined)).toBe("-");
});

test("sizes", () => {
  expect(formatBytes(412)).toBe("412 B");
  expect(formatBytes(4_120)).toBe("4.0 KB");
  expect(formatBytes(5_242_880)).toBe("5.0 MB");
});

test.each([
  ["en", "1,234,567.5", "$0.05", "12.3K"],
  ["de", "1.234.567,5", "$0,05", "12,3K"],
  ["es", "1.234.567,5", "$0,05", "12,3K"],
  ["fr", "1\u202f234\u202f567,5", "$0,05", "12,3K"],
  ["ja", "1,234,567.5", "$0.05", "12.3K"],
  ["zh-CN", "1,234,567.5", "$0.05", "12.3K"],
])("numbers in %s have the separators of that language", (locale, number, money, short) => {
  onTestFinished(() => i18n.loadAndActivate({ locale: "en", messages: {} }));
  i18n.loadAndActivate({ locale, messages: {} });
  expect([formatDecimal(1_234_567.5, 1), formatDollars(0.05), formatCompact(12_345)]).toEqual([
    number,
    money,
    short,
  ]);
});
