// docs/assurance/capabilities.md is written by hand; these tests check that every capability
// answers every question, and that what it names exists.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const page = readFileSync(join(root, "docs/assurance/capabilities.md"), "utf8");
const [, ...sections] = page.split(/^## /m);
const questions = [...page.matchAll(/^(\d)\. \*\*(.+?)\*\*/gm)].map(
  ([, number, name]) => `${number}. ${name}`,
);

/** A test by its file and title, as the page of trust names it. */
const named = /`([\w./{}-]+\.test\.tsx?)`: ([^|]+?)(?= *(?:<br>|\|$))/gm;

test("each capability answers the seven questions in their order", () => {
  expect(questions).toHaveLength(7);
  expect(sections.length).toBeGreaterThan(0);
  for (const section of sections) {
    const rows = [...section.matchAll(/^\| (\d\. [^|]+?) \| ([^|]+?) \| ([^|]+?) \|$/gm)];
    const title = section.split("\n")[0] ?? "";
    expect([title, ...rows.map(([, question]) => question)]).toEqual([title, ...questions]);
  }
});

test("every test that it names exists, with the title that it names", () => {
  const tests = [...page.matchAll(named)];
  expect(tests.length).toBeGreaterThan(20);
  for (const [, file = "", title = ""] of tests) {
    expect(existsSync(join(root, file)), file).toBe(true);
    expect(readFileSync(join(root, file), "utf8").includes(title.trim()), `${file}: ${title}`).toBe(
      true,
    );
  }
});
