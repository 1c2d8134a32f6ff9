import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { consoleDialogs } from "./console-dialogs.ts";

const sources = join(import.meta.dirname, "../../../console/src");
/** The frame of a dialog with a form draws no dialog of its own. */
const frame = "ui/form/form-dialog.tsx";
const drawsDialog = (source: string) =>
  /from "[^"]*\/(dialog|form-dialog)\.tsx"/.test(source) && /<(Dialog|FormDialog)\b/.test(source);

test("every dialog of the console has a row that opens it or names the journey that looks at it", () => {
  const drawn = globSync(join(sources, "**/*.tsx"))
    .filter((file) => drawsDialog(readFileSync(file, "utf8")))
    .map((file) => relative(sources, file))
    .filter((file) => file !== frame);
  expect(Object.keys(consoleDialogs).sort()).toEqual(drawn.sort());
});

test.each(Object.entries(consoleDialogs).filter(([, row]) => typeof row !== "function"))(
  "the journey that is named for %s looks at it",
  (_, row) => {
    if (typeof row === "function") return;
    const journey = readFileSync(
      join(import.meta.dirname, `${row.journey}.journey.test.ts`),
      "utf8",
    );
    expect(journey).toContain(`inspectScreen(page, "${row.screen}"`);
  },
);
