import { expect, test } from "vitest";

const sources = import.meta.glob<string>("../**/*.{ts,tsx}", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** `formatting` is what writes a number or an amount for readers by itself. */
const formatting = /Intl\.NumberFormat|\.toFixed\(|\.toLocaleString\(|`[^`]*\$\$\{/;

/** `percentSign` is a sign behind a value in a text: each language has its own rule for it. */
const percentSign = /\} %|\}%(?=[ ,<][a-z]|<)/;

/** `exceptions` says why a file formats by itself. */
const exceptions: Readonly<Record<string, string>> = {
  "./format.ts": "the one formatter",
  "../features/logs/price-text.ts": "picodollars are whole numbers beyond what a number holds",
  "../features/prices/price-acts.ts": "the text of a field, which is sent",
  "../features/dashboard/use-metric-formats.ts": "the sign before a short amount on an axis",
};

test("numbers and money are written by one formatter, so that an amount looks alike on every page", () => {
  const files = Object.entries(sources).filter(
    ([path, text]) => !path.includes(".test") && formatting.test(text),
  );
  expect(files.map(([path]) => path).toSorted()).toEqual(Object.keys(exceptions).toSorted());
});

test("per cent is written by one formatter, with or without a space as the language has it", () => {
  const files = Object.entries(sources).filter(
    ([path, text]) => !path.includes(".test") && percentSign.test(text),
  );
  expect(files.map(([path]) => path)).toEqual([]);
});
