import { expect, test } from "vitest";
import { optionReader } from "../settings/live-options.ts";
import { quotaText } from "./quota-text.ts";

test.each([
  [0, "$0.000000", "0 quota"],
  [1, "$0.000002", "1 quota"],
  [-500_000, "-$1.000000", "-500000 quota"],
  [750_001, "$1.500002", "750001 quota"],
  [9_000_000_000_000_000, "$18000000000.000000", "9000000000000000 quota"],
])("%d units are %s or %s", (units, inCurrency, plain) => {
  expect(quotaText(units, optionReader(new Map()))).toBe(inCurrency);
  expect(quotaText(units, optionReader(new Map([["DisplayInCurrencyEnabled", "false"]])))).toBe(plain);
});
