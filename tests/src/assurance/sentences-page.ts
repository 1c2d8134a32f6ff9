// docs/assurance/sentences.md, made of the sentences of the specifications and of the tests that
// show them.
import { findTest, type Sentence, specifications } from "./specification-sentences.ts";

const introduction = `# The sentences of the specifications

Two specifications of the project's owner say what the console does: A is about its shell (navigation, sign-in, home page,
dashboard, tokens), B about administration (logs, users, channels, redemption codes, settings, top-up, models, chat, about). Each
row is a sentence of theirs or a part of one, in quotation marks where it is a text of the console. A heading names the sections
that it covers. "Decision" is the number, in the owner's own list (not in \`docs/decisions\`), of a decision that changes what the
sentence demands; the test then shows the changed form.

"Shown by" names tests that fail where the sentence does not hold. **No test** means that nothing does so, not that the sentence
is not met. Titles stand as in their sources, with placeholders. Tests with the tag \`large\` run in \`.ci/run\` and not in \`npm test\`.

The rows stand in \`tests/src/assurance/console-shell.txt\` and \`console-admin.txt\`. A file or title that does not exist fails the
tests; \`npx vitest run --project unit tests/src/assurance -u\` writes this page again.`;

/** A bar would end the cell. */
const cell = (text: string): string => text.replaceAll("|", "\\|");

const table = (heads: readonly string[], rows: readonly string[][]): string =>
  [heads, heads.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

const isShown = ({ shownBy }: Sentence): boolean => shownBy.length > 0;

function sentenceRow({ number, text, decisions, shownBy }: Sentence): string[] {
  const tests = shownBy.map((named) => {
    const found = findTest(named);
    return typeof found === "string" ? found : `\`${found.path}\`: ${found.title}`;
  });
  return [number, cell(text), decisions.join(", "), cell(tests.join("<br>")) || "**No test**"];
}

const figures = specifications.map(({ letter, about, sentences }) => {
  const shown = sentences.filter(isShown).length;
  const open = sentences.filter((sentence) => !isShown(sentence)).map(({ number }) => number);
  return [
    `${letter}: ${about}`,
    `${sentences.length}`,
    `${shown}`,
    `${open.length}`,
    open.join(", "),
  ];
});

export function sentencesPage(): string {
  const parts = specifications.flatMap(({ letter, about, sentences }) => [
    `## Specification ${letter}: ${about}`,
    ...[...Map.groupBy(sentences, ({ section }) => section)].flatMap(([section, rows]) => [
      `### ${section}`,
      table(["Number", "Sentence", "Decision", "Shown by"], rows.map(sentenceRow)),
    ]),
  ]);
  const heads = ["Specification", "Sentences", "Shown by a test", "No test", "Which"];
  return `${[introduction, table(heads, figures), ...parts].join("\n\n")}\n`;
}
