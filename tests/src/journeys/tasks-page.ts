/** docs/assurance/tasks.md: what eight tasks took, as the recorder in the page counted them. */
import { countStray, sumWalks, type WalkCounts } from "./walk-recorder.ts";

/** `strayMax` is the most steps that lead nowhere, of all eight tasks together. */
export const strayMax = 4;
/** `taskClicksMax` is the most clicks of all eight tasks together. */
export const taskClicksMax = 55;

export type TaskWalk = WalkCounts & { task: string };

const introduction = `# Eight tasks

What an operator does in the first week, from the sign-in page on, played in a browser by visible labels alone: entries of the header, words
in the palette, links, labels of fields and buttons. \`npm run trust -- tasks\` plays them and writes this page;
\`tests/src/journeys/eight-tasks.large.test.ts\` says step by step what is pressed.

A recorder in the page counts:

- **Clicks**: what is pressed by pointer, Enter or Space. A choice from a list is two, a choice in the palette one besides its opening.
- **Pages left unused**: left by the header, the palette or the back button, with nothing typed, chosen or pressed there.
- **Refused forms** and **empty searches**.

The player is a script that knows the tasks, not a person who meets the console for the first time: the figures say how short the ways are,
and that none is misleading.`;

/** `tasksPage` names each task with its counts, and their sums beside the goals. */
export function tasksPage(
  walks: readonly TaskWalk[],
  { date, commit }: { date: string; commit: string },
): string {
  const cells = ({ clicks, strayVisits, refusedSubmits, emptySearches }: WalkCounts) =>
    [clicks, strayVisits, refusedSubmits, emptySearches].join(" | ");
  const sum = sumWalks(walks);
  return [
    introduction,
    `Played on ${date} at ${commit}: ${sum.clicks} clicks of at most ${taskClicksMax}, ${countStray(sum)} stray steps of at most ${strayMax}.`,
    [
      "| Task | Clicks | Pages left unused | Refused forms | Empty searches |",
      "|---|---:|---:|---:|---:|",
      ...walks.map((walk) => `| ${walk.task} | ${cells(walk)} |`),
      `| **Together** | ${cells(sum)} |`,
    ].join("\n"),
    "",
  ].join("\n\n");
}
