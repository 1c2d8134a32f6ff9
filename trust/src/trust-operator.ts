// `npm run trust -- operator`: an operator's year, with the time without service of each chapter.
import { rehearseYear } from "./operator/rehearse-year.ts";
import { withStore } from "./runs/with-store.ts";
import { defineRun, storeOption } from "./trust-run.ts";
import { ending, showProblems } from "./trust-run-words.ts";

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

export const operatorRun = defineRun({
  summary:
    "an operator's year: moving in, an upgrade, a lost disk, a lost key, a leak; the books and the time without service after each",
  options: {
    from: [
      "4102de44,0a472be6",
      "commits or tags to upgrade from, with commas between: 0.1.0, and schema 82; empty: none",
    ],
    store: storeOption,
  },
  run: ({ from, store: name }, { report }) =>
    withStore(name, async (use) => {
      // The tools of a restore make their database beside it.
      if (use.postgresUrl) process.env.TEST_POSTGRES_URL = use.postgresUrl;
      const { played, missing, answers } = await rehearseYear({
        ...use,
        from: from.split(",").filter(Boolean),
        onChapter({ title, withoutServiceMs, problems }) {
          console.log(`${title}: ${seconds(withoutServiceMs)} without service`);
          showProblems(problems.map((problem) => `${title}: ${problem}`));
        },
      });
      showProblems(missing.map((line) => `NOT PLAYED: ${line}`));
      const problems = [...played.flatMap((chapter) => chapter.problems), ...missing];
      report({
        run: `operator on ${use.store}`,
        size: played.length,
        passed: problems.length === 0,
        figures: [
          `${played.length} chapters, ${answers} calls of a client that never stops`,
          `longest time without an answer: ${played.map(({ title, withoutServiceMs }) => `${title} ${seconds(withoutServiceMs)}`).join(", ")}`,
          ending(
            "after each the books agree, and charges equal the provider's count of answers",
            problems,
          ),
        ].join("; "),
      });
    }),
});
