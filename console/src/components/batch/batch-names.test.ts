import { expect, test } from "vitest";
import { formatBatchText, parseNames, readBatchCsv } from "./batch-names.ts";

const entries = [
  { name: 'Ada "the first"', secret: "sk-1" },
  { name: "Berta", failure: "taken" },
  { name: "=cmd()", secret: "sk-3" },
  { name: "waits" },
];

test("names are read one a line, without blanks, empty lines and repetitions", () => {
  expect(parseNames(" Ada \r\n\nBerta\nAda\n")).toEqual(["Ada", "Berta"]);
  expect(parseNames(" \n")).toEqual([]);
});

test("what is copied and saved holds what was made, and nothing that failed or waits", () => {
  expect(formatBatchText(entries)).toBe('Ada "the first"\tsk-1\n=cmd()\tsk-3');
  const rows = readBatchCsv(["Name", "Key"], entries).split("\r\n");
  expect(rows[0]).toContain("Name");
  expect(rows[1]).toBe('"Ada ""the first""",sk-1');
  // A spreadsheet would run it.
  expect(rows[2]).toMatch(/^"?'=cmd\(\)"?,sk-3$/);
  expect(rows).toHaveLength(4);
});
