import { expect, test } from "vitest";
import { readIncidentMarkdown } from "./incident-markdown.ts";

const section = (rows: string[][]) => ({
  title: "Channels",
  columns: ["Channel", "Last error"],
  rows,
});

test("an incident is a heading, a sentence and a table for each section that has rows", () => {
  const text = readIncidentMarkdown({
    title: "Incident",
    summary: "12 calls failed.",
    sections: [
      section([["West", "overloaded"]]),
      { title: "Affected users", columns: ["User"], rows: [] },
    ],
  });
  expect(text).toBe(
    "# Incident\n\n12 calls failed.\n\n## Channels\n\n| Channel | Last error |\n| --- | --- |\n| West | overloaded |\n\n",
  );
});

test("foreign texts make no link, no image, no mention and no row", () => {
  const hostile = 'x | y\n| [a](https://evil.example) ![b](http://c) <img src="d"> @everyone `e`';
  const text = readIncidentMarkdown({
    title: "Incident",
    summary: "",
    sections: [section([[hostile, "-"]])],
  });
  expect(text.split("\n").filter((line) => line.startsWith("|"))).toHaveLength(3);
  expect(text).not.toMatch(/(?<!\\)[[\]<>`!]/);
  expect(text).not.toContain("://");
  expect(text).not.toContain("@everyone");
});
