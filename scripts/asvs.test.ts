// docs/assurance/asvs.md is written by hand; these tests check its counts and the files that it
// names.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const page = readFileSync(join(root, "docs/assurance/asvs.md"), "utf8");
const rows = [
  ...page.matchAll(/^\| (\d+\.\d+\.\d+) \| ([12]) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm),
].map(([, id = "", level = "", , status = "", shownBy = ""]) => ({ id, level, status, shownBy }));
const statuses = ["pass", "waived", "not applicable"];

test("each requirement stands there once, with one of three outcomes and what shows it", () => {
  // The standard has 70 requirements at level 1 and 183 more at level 2.
  expect(["1", "2"].map((level) => rows.filter((row) => row.level === level).length)).toEqual([
    70, 183,
  ]);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  for (const { id, status, shownBy } of rows) {
    expect([id, statuses.includes(status), shownBy.length > 3]).toEqual([id, true, true]);
  }
});

test("the counts are those of the rows", () => {
  for (const level of ["1", "2"]) {
    const counts = statuses.map(
      (status) => rows.filter((row) => row.level === level && row.status === status).length,
    );
    expect(page).toContain(`\n| ${level} | ${counts.join(" | ")} |\n`);
  }
});

test("the files exist that it and SECURITY.md name", () => {
  const text = page + readFileSync(join(root, "SECURITY.md"), "utf8");
  const files =
    text.match(/\b(?:contract|gateway|console|tests|scripts|docs)\/[\w./-]+\.(?:tsx?|md)\b/g) ?? [];
  expect(files.length).toBeGreaterThan(100);
  for (const file of new Set(files)) expect(existsSync(join(root, file)), file).toBe(true);
});
