// The table of `npm run trust`: what each run does, its options with their usual values, and how it
// reports.
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeDrivenClients } from "@tollgate/tests/clients/clients-page.ts";
import {
  type AgentTrouble,
  agentTroubles,
} from "@tollgate/tests/conformance/agents/agent-troubles.ts";
import { killMigrations } from "@tollgate/tests/trust/kill-migration.ts";
import {
  everyWidthAndDatabase,
  narrowTests,
  shortLargeTests,
  variantTests,
} from "../../scripts/left-out-tests.ts";
import { installAgents, playAllRecipes, writeNewestVersions } from "../../scripts/play-recipes.ts";
import {
  caddy,
  imageTools,
  installMissing,
  mariadb,
  prometheus,
} from "../../scripts/system-packages.ts";
import { variantTag } from "../../scripts/test-tags.ts";
import { rehearseUpgrade } from "./runs/rehearse-upgrade.ts";
import { commit } from "./runs/run-record.ts";
import { withStore } from "./runs/with-store.ts";
import { screensRun, tasksRun } from "./trust-console-runs.ts";
import { runTrustImport } from "./trust-import.ts";
import { fuzzRun, identityRun, injectionsRun, parserRun, signInsRun } from "./trust-input-runs.ts";
import { crashRun, modelRun, mutantsRun, racesRun, soakRun } from "./trust-money-runs.ts";
import { operatorRun } from "./trust-operator.ts";
import { runPromises } from "./trust-promises.ts";
import { defineRun, storeOption, type TrustRun } from "./trust-run.ts";
import { ending, showProblems } from "./trust-run-words.ts";
import { terraformRun } from "./trust-terraform.ts";
import { runVitest } from "./trust-vitest.ts";

const troubleRuns: Readonly<Record<AgentTrouble, { run: string; after: string }>> = {
  none: { run: "agents by recipe", after: "" },
  once: { run: "agents in trouble", after: ", after a 429 and a broken stream" },
  overflow: {
    run: "agents out of context",
    after: ", or said that their conversation is too long, after the provider refused it for that",
  },
};

export const trustRuns = {
  agents: defineRun({
    summary:
      "coding agents set up by the console's recipes, each over a channel of every dialect; installs them",
    options: {
      agent: ["", "a part of the agents' names; all"],
      dialect: ["", "chat, responses, messages or gemini; all"],
      trouble: [
        "none",
        "none; once: a 429 and a stream that breaks off for each agent, which tries again; overflow: its conversation is too long once",
      ],
      folder: [join(tmpdir(), "tollgate-agents"), "where they are installed, and stay"],
      versions: [
        "pinned",
        "pinned, or newest: asks the registries and changes recipe-versions.json",
      ],
    },
    async run({ agent, dialect, trouble, folder, versions }, { report, stop }) {
      if (versions === "newest") writeNewestVersions();
      const chosen = agentTroubles.find((name) => name === trouble);
      if (!chosen) throw new Error(`--trouble is one of ${agentTroubles.join(", ")}`);
      const outcomes = await playAllRecipes(
        await installAgents(folder),
        { agent, dialect, trouble: chosen },
        () => stop.aborted,
      );
      const done = outcomes.filter(({ failure }) => failure === "").length;
      const calls = outcomes.reduce((sum, one) => sum + one.calls, 0);
      report(
        {
          run: troubleRuns[chosen].run,
          size: outcomes.length,
          passed: done === outcomes.length && done > 0,
          figures: `${done} of ${outcomes.length} pairs of an agent and a channel's dialect did their task, with a file read, a command and an edit${troubleRuns[chosen].after}; ${calls} calls, whose tokens in the log equal the provider's count`,
        },
        agent !== "" || dialect !== "",
      );
    },
  }),
  promises: defineRun({
    summary: "every test that carries a promise, and a line for each promise",
    options: {},
    run: runPromises,
  }),
  short: defineRun({
    summary:
      "what npm test leaves out: large tests, variants, short forms of the large runs, journeys at every width, rules on both databases",
    options: {},
    async run() {
      for (const line of installMissing([caddy, mariadb, prometheus, ...imageTools]))
        console.log(line);
      const variants = await runVitest(variantTests());
      const runs = [
        await runVitest(shortLargeTests(false), everyWidthAndDatabase),
        await runVitest(narrowTests(), everyWidthAndDatabase),
      ];
      const isGood = [variants, ...runs].every((run) => run.isGood);
      const results = [
        ...variants.results.filter(({ tags }) => tags.includes(variantTag.name)),
        ...runs.flatMap((run) => run.results),
      ];
      const passed = results.filter(({ status }) => status === "passed").length;
      const skipped = results.filter(({ status }) => status !== "passed" && status !== "failed");
      for (const { file, fullName } of skipped) console.log(`NOT RUN: ${file}: ${fullName}`);
      const failed = results.length - passed - skipped.length;
      console.log(`${passed} passed, ${Math.max(failed, isGood ? 0 : 1)} failed`);
      if (failed > 0 || !isGood) process.exitCode = 1;
    },
  }),
  clients: defineRun({
    summary: "libraries of Python and Go, straight at a scripted provider and through the gateway",
    options: {},
    async run(_options, { report, isRecorded }) {
      const { isGood, results } = await runVitest(["--project", "large", "tests/src/clients"], {
        CLIENTS: "all",
      });
      const passed = results.filter(({ status }) => status === "passed").length;
      report({
        run: "foreign clients",
        size: passed,
        passed: isGood && passed === results.length,
        figures: `${passed} of ${results.length} pairs of a library and a provider's format, up to 18 answers each`,
      });
      if (isRecorded)
        writeDrivenClients({
          date: new Date().toISOString().slice(0, 10),
          commit: commit(),
          statuses: Object.fromEntries(results.map(({ fullName, status }) => [fullName, status])),
        });
    },
  }),
  crash: crashRun,
  fuzz: fuzzRun,
  identity: identityRun,
  import: defineRun({
    summary: "a large site of one-api moved in with its log, moved in again, and compared",
    options: {
      users: [50_000, "users, each with a key"],
      logs: [1_000_000, "rows of the log"],
      store: storeOption,
    },
    run: runTrustImport,
  }),
  injections: injectionsRun,
  judges: defineRun({
    summary:
      "programs of other makers on what is sent: OpenTelemetry's collector, an S3 server, the FOCUS validator, Prometheus; Helm on the chart; LiteLLM's migrations under the import",
    options: {},
    async run(_options, { report }) {
      for (const line of installMissing([prometheus])) console.log(line);
      const { isGood, results } = await runVitest([
        ...["--project", "large"],
        ...["tests/src/judges", "tests/src/trust/prometheus.large.test.ts"],
      ]);
      const passed = results.filter(({ status }) => status === "passed").length;
      report({
        run: "judges of other makers",
        size: passed,
        passed: isGood && passed === results.length,
        figures: `${passed} of ${results.length} tests: the collector took every span, the S3 server every signature; promtool found nothing, the validator one rule on numbers of invoices, which there are none of; sites in the tables of LiteLLM's migrations move in twice, with deletions between`,
      });
    },
  }),
  migrations: defineRun({
    summary:
      "migrations of a large database, killed at many points and continued by the next start",
    options: { rows: [200_000, "rows of the log"], kills: [30, "kills"], store: storeOption },
    run: ({ rows, kills, store: name }, { report }) =>
      withStore(name, async ({ store: on, postgresUrl }) => {
        const { interrupted, findings, wholeMs } = await killMigrations({
          store: on,
          rows,
          kills,
          ...(postgresUrl && { serverUrl: postgresUrl }),
        });
        showProblems(findings);
        report({
          run: `killed migrations on ${on}`,
          size: rows,
          passed: findings.length === 0,
          figures: [
            `${rows} rows take ${(wholeMs / 1000).toFixed(1)} s`,
            `${interrupted} of ${kills} kills came midway`,
            ending("each next start completed what was begun", findings),
          ].join("; "),
        });
      }),
  }),
  model: modelRun,
  mutants: mutantsRun,
  operator: operatorRun,
  parser: parserRun,
  races: racesRun,
  screens: screensRun,
  "sign-ins": signInsRun,
  soak: soakRun,
  tasks: tasksRun,
  terraform: terraformRun,
  upgrade: defineRun({
    summary: "the bundle of an earlier commit fills a database, and this code goes on with it",
    options: { from: ["4102de44", "the earlier commit or tag; 0.1.0"], store: storeOption },
    run: ({ from, store: name }, { report }) =>
      withStore(name, async (use) => {
        const {
          from: commit,
          calls,
          schemas,
          withoutServiceMs,
          problems,
        } = await rehearseUpgrade(use, from);
        showProblems(problems);
        report({
          run: `upgrade on ${use.store}`,
          size: calls,
          passed: problems.length === 0,
          figures: [
            `from ${commit}, schema ${schemas.before}, to schema ${schemas.after}`,
            `${(withoutServiceMs / 1000).toFixed(1)} s without service`,
            ending(
              `${calls} calls, balances, keys, channels, log and ledger as they were; audit clean`,
              problems,
            ),
          ].join("; "),
        });
      }),
  }),
} satisfies Record<string, TrustRun>;
