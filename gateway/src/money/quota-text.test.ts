import { expect, test } from "vitest";
import { buildOptionReader } from "../settings/live-options.ts";
import { formatQuotaText } from "./quota-text.ts";

test.each([
  [0, "$0.000000", "0 quota"],
  [1, "$0.000002", "1 quota"],
  [-500_000, "-$1.000000", "-500000 quota"],
  [750_001, "$1.500002", "750001 quota"],
  [9_000_000_000_000_000, "$18000000000.000000", "9000000000000000 quota"],
])("%d units are %s or %s", (units, inCurrency, plain) => {
  expect(formatQuotaText(units, buildOptionReader(new Map()))).toBe(inCurrency);
  expect(
    formatQuotaText(units, buildOptionReader(new Map([["DisplayInCurrencyEnabled", "false"]]))),
  ).toBe(plain);
});
