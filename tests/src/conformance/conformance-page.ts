// The page of what clients of each endpoint get over each provider, made of what a run found.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { channelTypes, findChannelType } from "@tollgate/contract/catalogue/channel-types.ts";
import { repositoryDir } from "../harness/repository-dir.ts";
import { agentTasks, type RecordedAgentRuns } from "./agents/run-agent.ts";
import {
  type ConformanceOutcomes,
  type OutcomeTable,
  usualOutcome,
} from "./conformance-outcomes.ts";
import { providerFamilies } from "./provider-families.ts";
import { sourcesOf } from "./wire-fixtures.ts";

const introduction = `# Conformance

What clients of each endpoint get over each kind of provider, as a run of \`tests/src/conformance\` found it and
\`docs/assurance/conformance.json\` keeps it.

- **tested**: the test of that name passed in that run, by every library of the endpoint except those
  that a note names.
- **not supported**: the provider has no such feature, and the note says why.
- **failing**: it should work and does not.

The tests reach no provider. Each family is checked against answers that we wrote from its public reference (below),
never against the service itself: what a reference leaves out, these tests cannot know.`;

const libraries = `The libraries are the official ones; only their base address is changed. *stream* and *chat* ask for the same text with
and without events; *tools* makes two calls at once, sends their results and reads the answer that follows, streamed and
not; *structure* is an answer by a JSON schema; *vision* sends an image in the prompt; *thinking* is two turns with
thoughts and a tool call between them, and *signatures* that the signatures of those thoughts return to the provider;
*cache* is the count of cached prompt tokens; *refusal* and *length* are the two other finish reasons; *by reference* is
a second turn that names the first, and *over WebSocket* two turns of which each sends only what is new. *bill* is that
seven answers cost what the provider counted, the same streamed and not, and *grammar* that their events follow each other
as the endpoint's reference has it. *cut anywhere* is that every stream is read and charged alike, whichever byte a chunk
of it ends with.`;

const pageErrors = `*wrong key* is the channel's; *no JSON* is a web page with status 200; *at once* is before the first content, when
another channel may still answer, and *in stream* after it; a *damaged event* is left out and noted; before a *slow
first word* clients receive comments. Each error has the format of the endpoint and its status, stands in the trace, and
is charged as [ARCHITECTURE.md](../ARCHITECTURE.md) says.`;

/** Versions that were really loaded; packages do not let their own description be imported. */
function versionOf(library: string): string {
  const path = join(repositoryDir, "node_modules", library, "package.json");
  const { version } = JSON.parse(readFileSync(path, "utf8")) as { version: string };
  return `\`${library}\` ${version}`;
}

const packages = [
  "openai",
  "@anthropic-ai/sdk",
  "@google/genai",
  "ai",
  "@ai-sdk/openai",
  "@ai-sdk/anthropic",
  "@ai-sdk/google",
  "@langchain/core",
  "@langchain/openai",
  "@langchain/anthropic",
  "@langchain/google-genai",
];

function familyTable(): string {
  const rows = providerFamilies.map(
    ({ name, type, model, upstream = model, wire, isAnotherAddress }) => {
      const named = Object.values(wire).map((one) =>
        one.framing ? `${one.name} in Amazon's frames` : one.name,
      );
      const wires = [...new Set(named)];
      const channel = findChannelType(type)?.name ?? "";
      const testedBy = isAnotherAddress ? "one library of each endpoint" : "all libraries";
      return `| ${name} | ${type}, ${channel} | \`${upstream}\` | ${wires.join(", ")} | ${testedBy} | fixtures of ours |`;
    },
  );
  return [
    "| Provider | Channel type | Model | Wire | Tested by | Checked against |",
    "| --- | --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}

/**
 * Types that need no row: they are called like the compatible one, at addresses that a test of
 * their own knows.
 */
function familiesSharingWires(): string {
  const own = new Set(providerFamilies.map(({ type }) => type));
  const shared = channelTypes.filter(
    ({ id, format, gone }) => format === "openai" && !gone && !own.has(id),
  );
  const names = shared.map(({ name }) => name).join(", ");
  return `Asked as *OpenAI compatible* is, at other addresses (\`gateway/src/relay/providers/endpoint-urls.ts\`): ${names}.`;
}

function sourceList(): string {
  const used = providerFamilies.flatMap(({ wire, other }) => [
    ...Object.values(wire),
    ...Object.values(other),
  ]);
  return [...new Set(used.map(({ name }) => name))]
    .flatMap((name) => [
      `- **${name}**`,
      ...sourcesOf(name).map((source) => `  - ${source.replace("Modelled on ", "")}`),
    ])
    .join("\n");
}

const keptIntroduction = `Here the provider is the simulator, which remembers what is stored. By the endpoint's own library, *files* are stored, read,
listed and deleted; *batches* run and their answers are read; *videos* are made, listed, read and deleted.`;

const mcpIntroduction = `By the libraries of either revision of the protocol, the tools of a server are listed, and one is called, for its price.`;

const agentsIntroduction = `Agents from the npm registry that run without their vendor's service do these tasks over a model that speaks chat completions:

- **edits**: they read a file and correct it in two places, by their own tools.
- **resumption**: a second run goes on with the session; the model sees the first task and the results of its tools again.
- **interruption**: they are interrupted in the middle of an answer. The call at the provider ends, what came is charged, and the
  resumed session does the task. An agent that works on without a terminal is not tried.
- **thinking**: the model thinks before each call, and its provider signs the call; with the result of the call the signature comes back to
  the provider. An agent that sends none back is not tried.
- **compaction**: the model shortens the conversation, at a command or because it is full, and the next question comes with what the model
  made of it, without the calls of before. An agent without either is not tried.

\`node scripts/drive-agents.ts\` runs them and records the results in \`tests/src/conformance/agents/driven.json\`; the test run does
not.`;

function agentTable(): string {
  const path = join(import.meta.dirname, "agents/driven.json");
  const { date, results } = JSON.parse(readFileSync(path, "utf8")) as RecordedAgentRuns;
  const rows = results.map(({ library, version, entry, failures, calls, date: ownDate }) => {
    const outcomes = agentTasks.map((task) => {
      const failure = failures[task];
      if (failure === undefined) return "not tried";
      return failure === "" ? "done" : `**failing**: ${failure.replaceAll(/\s+/g, " ")}`;
    });
    const driven = ownDate === undefined ? version : `${version}, on ${ownDate}`;
    return `| \`${library}\` | ${driven} | ${entry} | ${outcomes.join(" | ")} | ${calls} |`;
  });
  return [
    `Run on ${date}.`,
    "",
    `| Agent | Version | Calls by | ${agentTasks.join(" | ")} | Calls |`,
    `| --- | --- | --- | ${agentTasks.map(() => "---").join(" | ")} | --- |`,
    ...rows,
  ].join("\n");
}

function outcomeTable({ rowsAre, columns, rows, notes }: OutcomeTable): string {
  const lines = [
    [rowsAre, ...columns],
    ["---", ...columns.map(() => "---")],
    ...Object.entries(rows).map(([row, cells]) => [
      row,
      ...columns.map((column) => cells[column] ?? usualOutcome),
    ]),
  ];
  const reasons = notes.map((note, at) => `${at + 1}. ${note}`);
  return [...lines.map((cells) => `| ${cells.join(" | ")} |`), "", ...reasons].join("\n").trimEnd();
}

const withTitle = (table: OutcomeTable, level: "##" | "###", ...between: string[]): string[] => [
  `${level} ${table.title}`,
  ...between,
  outcomeTable(table),
];

/** `conformancePage` is Markdown; its links lead from `docs`. */
export const conformancePage = (outcomes: ConformanceOutcomes): string =>
  [
    introduction,
    "## Providers",
    familyTable(),
    familiesSharingWires(),
    "Sources of the fixtures:",
    sourceList(),
    "## Conversations",
    libraries,
    `Libraries: ${packages.map(versionOf).join(", ")}.`,
    ...outcomes.conversations.flatMap((table) => withTitle(table, "###")),
    ...withTitle(outcomes.other, "##"),
    ...withTitle(outcomes.kept, "##", keptIntroduction),
    ...withTitle(outcomes.mcp, "##", mcpIntroduction),
    "## Coding agents",
    agentsIntroduction,
    agentTable(),
    "## Upstream errors",
    pageErrors,
    ...outcomes.failures.flatMap((table) => withTitle(table, "###")),
    "",
  ]
    .join("\n\n")
    .trimEnd() + "\n";
