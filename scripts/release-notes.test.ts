import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  composeReleaseNotes,
  insertReleaseNotes,
  isNextVersion,
  releaseLinesMax,
} from "./release-notes.ts";

const files = [
  { name: "fixed-late.md", text: "Late ids are kept.\n" },
  {
    name: "added-teams.md",
    text: "Teams share a wallet.\nThey have caps ([docs/teams.md](../docs/teams.md)).\n",
  },
  { name: "added-runs.md", text: "Runs have a page." },
];

test("each kind of change has its heading, and links lead from the changelog", () => {
  expect(composeReleaseNotes("0.2.0", "2026-12-01", files)).toBe(`## 0.2.0 – 2026-12-01

### Added

- Teams share a wallet.
  They have caps ([docs/teams.md](docs/teams.md)).
- Runs have a page.

### Fixed

- Late ids are kept.
`);
});

test("a file of no kind is named", () => {
  expect(() =>
    composeReleaseNotes("0.2.0", "2026-12-01", [{ name: "teams.md", text: "x" }]),
  ).toThrow("changes/teams.md");
});

const changelog = (unreleased: string) =>
  `# Changelog\n\n## Unreleased\n\nNewer changes have files of their own in [changes](changes/README.md).\n${unreleased}\n## 0.1.0 – 2026-11-22\n\nFirst.\n`;

test("the notes stand between what is not released and the release before", () => {
  const notes = composeReleaseNotes("0.2.0", "2026-12-01", files);
  const written = insertReleaseNotes(changelog(""), notes);
  expect(written.match(/^## .*/gm)).toEqual([
    "## Unreleased",
    "## 0.2.0 – 2026-12-01",
    "## 0.1.0 – 2026-11-22",
  ]);
  // The next release begins from what this one wrote.
  expect(insertReleaseNotes(written, "## 0.2.1 – 2026-12-02\n")).toContain("## 0.2.1");
});

test("entries that would be in no release, and notes that nobody reads, are refused", () => {
  expect(() => insertReleaseNotes(changelog("\n- A thing.\n"), "## 0.2.0\n")).toThrow(
    '1 lines under "Unreleased"',
  );
  const long = Array.from({ length: releaseLinesMax + 1 }, () => "- line").join("\n");
  expect(() => insertReleaseNotes(changelog(""), long)).toThrow("merge files in changes");
});

test("what waits in changes fits into the notes of a release", () => {
  const root = join(import.meta.dirname, "..");
  const waiting = readdirSync(join(root, "changes"))
    .filter((name) => name !== "README.md")
    .sort()
    .map((name) => ({ name, text: readFileSync(join(root, "changes", name), "utf8") }));
  const notes = composeReleaseNotes("0.2.0", "2026-12-01", waiting);
  expect(insertReleaseNotes(readFileSync(join(root, "CHANGELOG.md"), "utf8"), notes)).toContain(
    "## 0.2.0 – 2026-12-01",
  );
});

test.each([
  ["0.1.0", "0.1.1", true],
  ["0.1.0", "0.2.0", true],
  ["0.1.3", "1.0.0", true],
  ["0.1.0", "0.1.0", false],
  ["0.1.0", "0.3.0", false],
  ["0.1.3", "0.2.3", false],
  ["0.2.0", "0.1.9", false],
  ["0.1.0", "v0.2.0", false],
])("after %s, %s is a version: %s", (current, next, isOne) => {
  expect(isNextVersion(current, next)).toBe(isOne);
});
