import { expect, test } from "vitest";
import { formatPerMillion, formatPicodollars } from "./price-text.ts";

test.each([
  ["0", "$0.00"],
  ["1000000000000", "$1.00"],
  ["2500000", "$0.0000025"],
  ["1234500000000000", "$1,234.50"],
  // 1,200 tokens at $2.5 per million: 1,200 * 2,500,000 picodollars = $0.003
  ["3000000000", "$0.003"],
  ["90071992547409930000", "$90,071,992.54740993"],
  ["10", "<$0.000000001"],
  ["-2000000000000", "-$2.00"],
  ["free", "free"],
])("%s picodollars are shown as %s", (digits, text) => {
  expect(formatPicodollars(digits)).toBe(text);
});

test.each([
  ["0.6", "$0.60"],
  ["15", "$15.00"],
  ["1250.125", "$1,250.125"],
  ["", ""],
  ["free", "free"],
])("a price of %s for a million tokens is shown as %s", (text, shown) => {
  expect(formatPerMillion(text)).toBe(shown);
});
