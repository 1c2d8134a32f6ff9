/**
 * Which libraries of other languages were driven, in which versions, and what each did. Only the
 * run writes what it found.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { conversationEndpoints } from "../conformance/conversation-scenario.ts";
import { repositoryDir } from "../harness/repository-dir.ts";
import { type ForeignLanguage, playedScenarios } from "./foreign-clients.ts";
import { foreignLanguages } from "./foreign-languages.ts";
import { type ClientTask, clientTasks, taskTestName } from "./foreign-tasks.ts";

interface DrivenClients {
  /** A day in UTC, `YYYY-MM-DD`. */
  date: string;
  commit: string;
  /** Statuses by the names of the language, the client and the test, joined. */
  statuses: Record<string, string>;
}

const clientsFile = join(repositoryDir, "docs/assurance/clients.json");

export const readDrivenClients = (): DrivenClients =>
  JSON.parse(readFileSync(clientsFile, "utf8")) as DrivenClients;

export function writeDrivenClients(run: DrivenClients): void {
  writeFileSync(clientsFile, `${JSON.stringify(run, null, 1)}\n`);
}

function versionsOf({ pinnedIn, packages }: ForeignLanguage): string {
  const pinned = readFileSync(join(import.meta.dirname, pinnedIn), "utf8").split("\n");
  const versions = packages.map((name) => {
    const line = pinned.find(
      (one) => one.trim().startsWith(`${name}==`) || one.trim().startsWith(`${name} `),
    );
    return `\`${name}\` ${
      line
        ?.trim()
        .slice(name.length)
        .replace(/^[= ]+/, "") ?? "?"
    }`;
  });
  return versions.join(", ");
}

/** `taskRows` gives what each library did with each task. */
function taskRows(statuses: DrivenClients["statuses"]): string[] {
  return foreignLanguages
    .filter(({ installTasks }) => installTasks !== undefined)
    .flatMap((language) =>
      language.clients.map((client) => {
        const cell = (task: ClientTask): string => {
          if (!(task.entries?.includes(client.entry) ?? true)) return "—";
          const name = `${language.name} ${client.name} ${taskTestName(task)}`;
          return statuses[name] ?? "not run";
        };
        return `| ${language.name}: ${client.name} | ${clientTasks.map(cell).join(" | ")} |`;
      }),
    );
}

/** `clientsPage` is Markdown; its links lead from `docs`. */
export function clientsPage({ date, commit, statuses }: DrivenClients): string {
  const rows = foreignLanguages.flatMap((language) =>
    language.clients.map((client) => {
      const cells = conversationEndpoints.map((spoken) => {
        const status = statuses[`${language.name} ${client.name} over a provider of ${spoken}`];
        if (status !== "passed") return status ?? "not run";
        return client.entry === spoken ? "equal" : "equivalent";
      });
      const answers = 2 * (client.does ?? playedScenarios).length;
      return `| ${language.name}: ${client.name} | ${client.entry} | ${answers} | ${cells.join(" | ")} |`;
    }),
  );
  return `# Libraries of other languages

Each library asks a scripted provider, straight and through the gateway, for text, two tool calls at once, a structured answer,
reasoning before a call, an answer that reached its limit, one from the cache, and errors of status 400, 429 and 500: each
whole and streamed. \`equal\`: over a provider of its own format the library makes the same of both answers, but for ids.
\`equivalent\`: over a provider of another format it reads the same text, reasoning, calls, tokens and errors; what a
translation drops stands in [translations.md](translations.md). \`npm run trust -- clients\` drives them; each CI run
drives the first library of Python and of Go. Libraries of JavaScript stand in [conformance.md](conformance.md).

Run on ${date} at ${commit}.

| Library | Speaks | Answers for each provider | ${conversationEndpoints.join(" | ")} |
|---|---|---|${conversationEndpoints.map(() => "---|").join("")}
${rows.join("\n")}

## What programs do besides

The official libraries, over a provider of their own format with the same result and the same request as straight at it, and where
the table below names no format, over every other one with an equivalent result. \`—\`: the library's interface has none.

| Library | ${clientTasks.map(({ title }) => title).join(" | ")} |
|---|${clientTasks.map(() => "---|").join("")}
${taskRows(statuses).join("\n")}

${clientTasks.map(({ title, meaning, over }) => `- **${title}**: ${meaning}${over ? " Over its own format." : ""}`).join("\n")}

## Versions

Pinned in \`tests/src/clients\`, the newest of the day unless a library asks for older ones.

${foreignLanguages.map((language) => `- ${language.name}: ${versionsOf(language)}`).join("\n")}
`;
}
