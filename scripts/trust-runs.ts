// The table of `npm run trust`: what each run does, its options with their usual values, and how it reports.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { catalogue } from "@tollgate/contract/catalogue.ts";
import { clientsPage } from "../tests/src/clients/clients-page.ts";
import { repositoryDir } from "../tests/src/harness/repository-dir.ts";
import { injections } from "../tests/src/trust/injections.ts";
import { killMigrations } from "../tests/src/trust/kill-migration.ts";
import { runModel } from "../tests/src/trust/model/run-model.ts";
import { equivalentMutants, unreachableBranches } from "../tests/src/trust/mutants/equivalent-mutants.ts";
import { moneyModules } from "../tests/src/trust/mutants/money-modules.ts";
import { mutationScore } from "../tests/src/trust/mutants/mutation-score.ts";
import { runMutants } from "../tests/src/trust/mutants/run-mutants.ts";
import { racesOn, runRace } from "../tests/src/trust/races/all-races.ts";
import { bootMsMax, runCrashes } from "../tests/src/trust/runs/crash-run.ts";
import { runForgedSignIns } from "../tests/src/trust/runs/forged-sign-ins.ts";
import { runFuzz } from "../tests/src/trust/runs/fuzz-run.ts";
import { commit } from "../tests/src/trust/runs/run-record.ts";
import { runSoak } from "../tests/src/trust/runs/soak-run.ts";
import { median, percentile } from "../tests/src/trust/runs/statistics.ts";
import { withStore } from "../tests/src/trust/runs/with-store.ts";
import { runParser } from "../tests/src/trust/streams/parser-run.ts";
import { cutsPerStream } from "../tests/src/trust/streams/replay-stream.ts";
import { ensureConsoleBuild } from "./console-build.ts";
import { imageTools, installMissing, mariadb } from "./system-packages.ts";
import { runTrustImport } from "./trust-import.ts";
import { runPromises } from "./trust-promises.ts";
import { defineRun, type TrustRun } from "./trust-run.ts";
import { runVitest } from "./trust-vitest.ts";

const store = ["sqlite", "sqlite or postgres"] as const;
const seed = [Date.now() % 1_000_000_000, "the same seed repeats the same run"] as const;
const time = (): string => new Date().toISOString().slice(11, 19);
/** A young database answers sooner, and a story that fails is found again with less before it. */
const storiesPerGateway = 100;
const mutationScoreGoal = 85;
const problemsShownMax = 20;
/** A shorter soak says little about hours: its slope is reported and not judged. */
const slopeJudgedFromMinutes = 120;
const rssMbPerHourMax = 1;

/** The files of which `npm test` runs a part, by the names that narrow them. */
const narrowTestFiles = (): string[] =>
  globSync("tests/src/**/*.{journey,db,api}.test.ts", { cwd: repositoryDir }).filter((file) =>
    /\b(?:inspectScreen|ruleDatabases|ruleDatabaseKinds)\b/.test(readFileSync(join(repositoryDir, file), "utf8")),
  );

const showProblems = (problems: readonly string[]): void => {
  for (const problem of problems) console.error(problem);
};
/** The end of a line of figures. */
const ending = (good: string, problems: readonly string[]): string =>
  problems.length === 0 ? good : `then ${problems[0]?.split("\n")[0]}`;

/** A third of the time of all large runs. */
const screensInOddStates = "**/{odd-replies,screen-states,text-injections,rich-text-injections}.large.test.ts";

export const trustRuns = {
  promises: defineRun({
    summary: "every test that carries a promise of docs/trust.md, and a line for each promise",
    options: {},
    run: runPromises,
  }),
  short: defineRun({
    summary:
      "what npm test leaves out: short forms of the large runs, journeys at every width and theme, rules on both databases",
    options: {
      wide: ["yes", "no for the large runs alone, without every screen in odd states, as CI runs it after npm test"],
    },
    async run({ wide }) {
      for (const line of installMissing([mariadb, ...imageTools])) console.log(line);
      const all = { INSPECTION: "full", DATABASES: "all" };
      const left = wide === "no" ? ["--exclude", screensInOddStates] : [];
      const runs = [await runVitest(["--project", "large", ...left], all)];
      const projects = ["journeys", "database", "api"].flatMap((project) => ["--project", project]);
      if (wide !== "no") runs.push(await runVitest([...projects, ...narrowTestFiles()], all));
      const isGood = runs.every((run) => run.isGood);
      const results = runs.flatMap((run) => run.results);
      const passed = results.filter(({ status }) => status === "passed").length;
      const skipped = results.filter(({ status }) => status !== "passed" && status !== "failed");
      for (const { file, fullName } of skipped) console.log(`NOT RUN: ${file}: ${fullName}`);
      // In CI a test that cannot run is a failure.
      const failed = results.length - passed - (process.env.CI ? 0 : skipped.length);
      console.log(`${passed} passed, ${Math.max(failed, isGood ? 0 : 1)} failed`);
      if (failed > 0 || !isGood) process.exitCode = 1;
    },
  }),
  clients: defineRun({
    summary: "libraries of Python and Go, straight at a scripted provider and through the gateway",
    options: {},
    async run(_options, { report, isRecorded }) {
      const { isGood, results } = await runVitest(["--project", "large", "tests/src/clients"], { CLIENTS: "all" });
      const passed = results.filter(({ status }) => status === "passed").length;
      report({
        run: "foreign clients",
        size: passed,
        passed: isGood && passed === results.length,
        figures: `${passed} of ${results.length} pairs of a library and a provider's format, up to 18 answers each`,
      });
      const file = join(repositoryDir, "docs/clients.md");
      if (isRecorded)
        writeFileSync(file, clientsPage(results, { date: new Date().toISOString().slice(0, 10), commit: commit() }));
    },
  }),
  crash: defineRun({
    summary: "kill -9 at any moment under load, repeatedly",
    options: { cycles: [200, "kills"], streams: [100, "streams that are open at a kill"], store, seed },
    async run(options, { stop, report }) {
      const found = await withStore(options.store, (use) =>
        runCrashes({
          ...options,
          ...use,
          stop,
          onCycle({ cycles, cut, recorded, completeUncharged, bootMs, clearMs }) {
            const last = `boot ${bootMs.at(-1)?.toFixed(0)} ms, nothing open after ${clearMs.at(-1)?.toFixed(0)} ms`;
            console.log(
              `${cycles}: ${cut} cut, ${recorded} recorded, ${completeUncharged} complete uncharged; ${last}`,
            );
          },
        }),
      );
      showProblems(found.problems);
      const slow = found.bootMs.filter((ms) => ms > bootMsMax).length;
      report({
        run: `crashes on ${options.store}`,
        size: found.cycles,
        // The time of a start is reported and not judged: the machine may be busy with other work.
        passed: found.problems.length === 0,
        figures: [
          `${found.cycles} kills from seed ${options.seed}`,
          `${found.cut} calls cut, ${found.recorded} of them charged exactly what was recorded, the others nothing`,
          `${found.redeemed} codes paid once each`,
          `${found.tasks} videos and batches charged once each`,
          `of ${found.complete} complete responses ${found.completeUncharged} uncharged`,
          `boot median ${median(found.bootMs).toFixed(0)} ms, p99 ${percentile(found.bootMs, 0.99).toFixed(0)} ms, ${slow} above ${bootMsMax} ms`,
          ending("drift 0, no hold left", found.problems),
        ].join("; "),
      });
    },
  }),
  fuzz: defineRun({
    summary: "generated requests to every operation and every endpoint, by every kind of user",
    options: { cases: [1_000_000, "requests"], seed },
    async run(options, { stop, report }) {
      await ensureConsoleBuild(repositoryDir, () => console.log("Building the console."));
      const startedAt = Date.now();
      const found = await runFuzz({
        ...options,
        stop,
        onBatch({ cases, problems, called, succeeded, slowestMs }) {
          const rate = ((cases / (Date.now() - startedAt)) * 1000).toFixed(0);
          console.log(
            `${cases}: ${rate}/s, ${called.size} called, ${succeeded.size} succeeded, slowest ${slowestMs.toFixed(0)} ms, ${problems.length} problems`,
          );
        },
      });
      showProblems(found.problems);
      const missed = catalogue.filter(({ name }) => !found.called.has(name)).map(({ name }) => name);
      const statuses = [...found.statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
      report({
        run: "generated requests",
        size: found.cases,
        passed: found.problems.length === 0,
        figures: [
          `${found.cases} cases from seed ${options.seed}`,
          `${found.called.size} of ${catalogue.length} operations called${missed.length > 0 ? ` (not ${missed.join(", ")})` : ""}, ${found.succeeded.size} answered with success`,
          `slowest ${found.slowestMs.toFixed(0)} ms`,
          `statuses ${statuses.join(", ")}`,
          ending("0 crashes, hangs, unexplained 5xx or responses unlike their schema", found.problems),
        ].join("; "),
      });
    },
  }),
  import: defineRun({
    summary: "a large site of one-api moved in with its log, moved in again, and compared",
    options: { users: [50_000, "users, each with a key"], logs: [1_000_000, "rows of the log"], store },
    run: runTrustImport,
  }),
  injections: defineRun({
    summary: "every script-injection payload in every place of the console, one at a time where it is shown as markup",
    options: {},
    async run(_, { report }) {
      const files = ["rich-text-injections", "text-injections", "chosen-names"].map(
        (name) => `tests/src/trust/${name}.large.test.ts`,
      );
      const { isGood, results } = await runVitest(["--project", "large", ...files], { INJECTIONS: "full" });
      const failed = results.filter(({ status }) => status === "failed").length;
      report({
        run: "injections",
        size: injections.length,
        passed: isGood && failed === 0,
        figures: `${injections.length} payloads in ${results.length} tests of Chromium, ${failed} of them failed`,
      });
    },
  }),
  migrations: defineRun({
    summary: "migrations of a large database, killed at many points and continued by the next start",
    options: { rows: [200_000, "rows of the log"], kills: [30, "kills"], store },
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
  model: defineRun({
    summary: "random stories of every command that moves money, compared with plain arithmetic",
    options: { runs: [10_000, "stories"], store, seed },
    async run(options, { stop, report }) {
      const total = { runs: 0, commands: 0, calls: 0, tasks: 0, crashes: 0 };
      let problem = "";
      await withStore(options.store, async (use) => {
        for (let first = 0; first < options.runs && problem === "" && !stop.aborted; first += storiesPerGateway) {
          const stories = [{ seed: options.seed + first, runs: Math.min(storiesPerGateway, options.runs - first) }];
          const found = await runModel({ ...use, stories });
          total.runs += found.runs;
          total.commands += found.commands;
          total.calls += found.calls;
          total.tasks += found.tasks;
          total.crashes += found.crashes;
          problem = found.problem;
          console.log(`${time()} seed ${options.seed + first}: ${total.runs} stories, ${total.commands} commands`);
        }
      });
      const problems = problem === "" ? [] : [problem];
      showProblems(problems);
      const counts = `${total.runs} stories with ${total.commands} commands, ${total.calls} calls, ${total.tasks} of them videos, batches and tools, and ${total.crashes} crashes`;
      report({
        run: `model on ${options.store}`,
        size: total.runs,
        passed: problem === "",
        figures: `${counts}, from seed ${options.seed}; ${ending("no difference", problems)}`,
      });
    },
  }),
  mutants: defineRun({
    summary: "small mistakes in the modules that compute and move money, each of which a test must notice",
    options: { file: ["", "modules whose path contains this; nothing is recorded"], lanes: [2, "processes"] },
    async run({ file, lanes }, { stop, report }) {
      const startedAt = Date.now();
      let tried = 0;
      const found = await runMutants({
        modules: moneyModules.filter((module) => module.file.includes(file)),
        lanes,
        stop,
        onModule: (line) => console.log(line),
        onMutant(line, isKilled) {
          tried += 1;
          if (!isKilled) console.log(`survived: ${line}`);
          // The reader decides whether the mistake or the machine was endless.
          else if (/: (endless|broken)$/.test(line)) console.log(`ended from outside: ${line}`);
          if (tried % 100 === 0) console.log(`${tried} mutants in ${Math.round((Date.now() - startedAt) / 1000)} s`);
        },
      });
      const result = mutationScore(found, { mutants: equivalentMutants, branches: unreachableBranches });
      const { mutants, killed, equivalent, survivors, branches, unreachable, uncovered, score } = result;
      // A row for a mutant that was not tried may still be needed.
      const unneeded = stop.aborted ? [] : result.unneeded;
      showProblems([
        ...survivors.map((line) => `not noticed: ${line}`),
        ...uncovered.map((line) => `not taken: ${line}`),
        ...unneeded.map((line) => `no row needed for: ${line}`),
      ]);
      const findings = {
        run: "mutants of the money modules",
        size: score,
        passed: score >= mutationScoreGoal && uncovered.length === 0 && unneeded.length === 0 && !stop.aborted,
        figures: [
          `${mutants} mutants of ${found.length} modules in ${Math.ceil((Date.now() - startedAt) / 60_000)} min: ${killed} killed, ${survivors.length} survived, ${equivalent} equivalent`,
          `score ${score} of 100`,
          `${branches} branches: ${uncovered.length} uncovered, ${unreachable} that no input reaches`,
        ].join("; "),
      };
      report(findings, file !== "" || stop.aborted);
    },
  }),
  parser: defineRun({
    summary: "generated streams of every API format, split in many ways, compared with a plain reader",
    options: {
      cases: [10_000_000, "streams, each time that one is split"],
      threads: [availableParallelism(), "threads"],
      seed,
    },
    async run(options, { stop, report }) {
      const startedAt = Date.now();
      let shownAt = 0;
      const found = await runParser({
        ...options,
        stop,
        onProgress(cases, problems) {
          if (cases < shownAt + 250_000) return;
          shownAt = cases;
          const rate = ((cases / (Date.now() - startedAt)) * 1000).toFixed(0);
          console.log(`${time()} ${cases} cases, ${rate}/s, ${problems.length} problems`);
        },
      });
      showProblems(found.problems);
      const rate = ((found.cases / (Date.now() - startedAt)) * 1000).toFixed(0);
      report({
        run: "stream parser",
        size: found.cases,
        passed: found.problems.length === 0,
        figures: [
          `${found.cases} cases, ${found.streams} streams each split in ${cutsPerStream} ways, from seed ${options.seed} in ${found.threads} threads, ${rate}/s`,
          `in use after a collection at a tenth ${found.usedMiBFirst.toFixed(1)} MiB, at the end ${found.usedMiBLast.toFixed(1)} MiB`,
          ending(
            "none read unlike the plain reader or by how it was split, no false end, nothing thrown",
            found.problems,
          ),
        ].join("; "),
      });
    },
  }),
  races: defineRun({
    summary: "many clients at the same moment, against the whole program",
    options: {
      part: ["", "one race alone, by its name"],
      share: [1, "a part of the full size, for a quick look"],
      store,
      seed,
    },
    run: (options, { stop, report }) =>
      withStore(options.store, async (use) => {
        const races = racesOn(use.store).filter((race) => options.part === "" || race === options.part);
        if (races.length === 0) throw new Error(`--part is one of ${racesOn(use.store).join(", ")}`);
        for (const race of races) {
          if (stop.aborted) break;
          const startedAt = performance.now();
          const found = await runRace(race, { ...use, seed: options.seed, stop }, options.share);
          console.log(`${race}: ${Math.round((performance.now() - startedAt) / 1000)} s`);
          showProblems(found.problems.slice(0, problemsShownMax));
          report({
            run: `races on ${use.store}: ${race}`,
            size: found.size,
            passed: found.problems.length === 0,
            figures: `${found.figures}; ${ending("the books agree", found.problems)}; seed ${options.seed}`,
          });
        }
      }),
  }),
  "sign-ins": defineRun({
    summary:
      "forged id tokens, discovery documents and claims, as a provider or an attacker on the way could send them",
    options: { cases: [100_000, "forgeries, with genuine tokens among them"], seed },
    async run(options, { stop, report }) {
      const found = await runForgedSignIns({
        ...options,
        stop,
        onProgress: ({ cases, problems }) => console.log(`${time()} ${cases} cases, ${problems.length} problems`),
      });
      showProblems(found.problems);
      const refused = [...found.refused.values()].reduce((sum, count) => sum + count, 0);
      report({
        run: "forged sign-ins",
        size: found.cases,
        passed: found.problems.length === 0,
        figures: [
          `${found.cases} cases from seed ${options.seed}`,
          `${refused} forgeries of ${found.refused.size} kinds identified no account, ${found.genuine} genuine tokens their own`,
          ending("nothing else was thrown", found.problems),
        ].join("; "),
      });
    },
  }),
  soak: defineRun({
    summary: "half of the load that the gateway can carry, for a long time",
    options: { minutes: [20, "minutes"], store, seed },
    async run(options, { stop, report }) {
      let samples = 0;
      const found = await withStore(options.store, (use) =>
        runSoak({
          ...options,
          ...use,
          stop,
          onSample({ atMs, rssBytes, descriptors, inFlight }) {
            samples += 1;
            if (samples % 6 !== 1) return;
            const memory = (rssBytes / 2 ** 20).toFixed(0);
            console.log(
              `${(atMs / 1000).toFixed(0)} s: ${memory} MB, ${descriptors} descriptors, ${inFlight} in flight`,
            );
          },
        }),
      );
      showProblems(found.problems);
      const isLeaking = options.minutes >= slopeJudgedFromMinutes && found.rssMbPerHour > rssMbPerHourMax;
      report({
        run: `soak on ${options.store}`,
        size: found.minutes,
        passed: found.problems.length === 0 && !isLeaking,
        figures: [
          `${found.minutes} minutes at half of ${found.capacityPerSecond.toFixed(0)} calls/s: ${found.calls} calls`,
          `${found.complete} complete responses, ${found.disconnected} clients that disconnected, ${found.failed} failed, ${found.serverRestarts} restarts of the database server`,
          `memory ${found.rssMbFirst.toFixed(0)} to ${found.rssMbLast.toFixed(0)} MB after the warm-up, slope ${found.rssMbPerHour.toFixed(1)} MB/h`,
          `descriptors slope ${found.descriptorsPerHour.toFixed(1)}/h`,
          ending("drift 0, no call lost, no hold left", found.problems),
        ].join("; "),
      });
    },
  }),
} satisfies Record<string, TrustRun>;
