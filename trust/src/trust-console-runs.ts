// Large runs of the console in a browser: every screen, and eight tasks.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryDir } from "@tollgate/tests/harness/repository-dir.ts";
import { screenAddresses, visitorAddresses } from "@tollgate/tests/journeys/screen-addresses.ts";
import {
  strayMax,
  type TaskWalk,
  taskClicksMax,
  tasksPage,
} from "@tollgate/tests/journeys/tasks-page.ts";
import { countStray, sumWalks } from "@tollgate/tests/journeys/walk-recorder.ts";
import { commit } from "./runs/run-record.ts";
import { defineRun } from "./trust-run.ts";
import { runVitest } from "./trust-vitest.ts";

const everyScreen = "tests/src/journeys/every-screen.large.test.ts";
const pageCount = Object.keys({ ...screenAddresses, ...visitorAddresses }).length;

export const screensRun = defineRun({
  summary:
    "every page of the console on the demo's data, at four widths, in both themes and in forced colours",
  options: {
    part: ["", "a part of the pages' routes, such as /tokens; all"],
    pictures: ["", "a folder for a picture of each; none"],
  },
  async run({ part, pictures }, { report }) {
    const { isGood, results } = await runVitest(["--project", "large", everyScreen], {
      INSPECTION: "full",
      SCREENS: part,
      ...(pictures !== "" && { SCREENSHOTS_TO: pictures }),
    });
    const failed = results.filter(({ status }) => status === "failed").length;
    report(
      {
        run: "screens",
        size: pageCount,
        passed: isGood && failed === 0,
        figures: `${pageCount} pages at 1440, 1024, 768 and 375 px, light, dark and in forced colours, by axe, by keyboard, for overflow and errors of the browser: findings on ${failed}`,
      },
      part !== "",
    );
  },
});

export const tasksRun = defineRun({
  summary: "eight tasks of an operator in a browser, by visible labels, with every stray step",
  options: {},
  async run(_, { report, isRecorded }) {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-tasks-"));
    try {
      const file = join(folder, "tasks.json");
      const { isGood } = await runVitest(
        ["--project", "large", "tests/src/journeys/eight-tasks.large.test.ts"],
        { TASKS_TO: file },
      );
      const walks = existsSync(file)
        ? (JSON.parse(readFileSync(file, "utf8")) as TaskWalk[])
        : ([] as TaskWalk[]);
      const sum = sumWalks(walks);
      report({
        run: "eight tasks",
        size: walks.length,
        passed: isGood,
        figures: `${walks.length} tasks, ${sum.clicks} clicks (at most ${taskClicksMax}); ${countStray(sum)} stray steps (at most ${strayMax}): ${sum.strayVisits} pages left unused, ${sum.refusedSubmits} refused forms, ${sum.emptySearches} empty searches`,
      });
      if (isRecorded && isGood)
        writeFileSync(
          join(repositoryDir, "docs/assurance/tasks.md"),
          tasksPage(walks, { date: new Date().toISOString().slice(0, 10), commit: commit() }),
        );
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
});
