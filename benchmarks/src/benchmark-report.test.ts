import { expect, test } from "vitest";
import { figureOnPage } from "./benchmark-report.ts";

const page = `# Benchmarks

## Relay on PostgreSQL

| Call | Ratio | Goal |
|---|---|---|
| JSON | 5.80 | at most 3.5 |

## Relay on SQLite

\`node x.ts\`, a day

| Call | Gateway | Ratio |
|---|---|---|
| JSON | 307 µs | 4.57 |
| stream of 50 events | 640 µs | 2.21 |
`;

test.each([
  ["Relay on SQLite", "JSON", "Ratio", 4.57],
  ["Relay on SQLite", "stream of 50 events", "Ratio", 2.21],
  ["Relay on SQLite", "JSON", "Gateway", 307],
  ["Relay on PostgreSQL", "JSON", "Ratio", 5.8],
  ["Relay on PostgreSQL", "JSON", "Goal", undefined],
  ["Relay on PostgreSQL", "stream of 50 events", "Ratio", undefined],
  ["Relay", "JSON", "Ratio", undefined],
])("the figure under %s, %s, %s is %s", (title, row, column, figure) => {
  expect(figureOnPage(page, title, row, column)).toBe(figure);
});
