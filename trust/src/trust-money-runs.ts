// Large runs of what moves money: killed, told stories, raced, under load for hours, and with
// mistakes in the code.
import { runModel } from "./model/run-model.ts";
import { equivalentMutants, unreachableBranches } from "./mutants/equivalent-mutants.ts";
import { moneyModules } from "./mutants/money-modules.ts";
import { mutationScore } from "./mutants/mutation-score.ts";
import { runMutants } from "./mutants/run-mutants.ts";
import { racesOn, runRace } from "./races/all-races.ts";
import { bootMsMax, runCrashes } from "./runs/crash-run.ts";
import { runSoak } from "./runs/soak-run.ts";
import { median, percentile } from "./runs/statistics.ts";
import { withStore } from "./runs/with-store.ts";
import { defineRun, seedOption, storeOption } from "./trust-run.ts";
import { ending, showProblems, timeOfDay } from "./trust-run-words.ts";

/** A young database answers sooner, and a story that fails is found again with less before it. */
const storiesPerGateway = 100;
const mutationScoreGoal = 98;
const problemsShownMax = 20;
/** A shorter soak says little about hours: its slope is reported and not judged. */
const slopeJudgedFromMinutes = 120;
const rssMbPerHourMax = 1;

export const crashRun = defineRun({
  summary: "kill -9 at any moment under load, repeatedly",
  options: {
    cycles: [200, "kills"],
    streams: [100, "streams that are open at a kill"],
    store: storeOption,
    seed: seedOption,
  },
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
        `${found.cut} calls cut, ${found.byTeam} of them a team's, ${found.recorded} charged exactly what was recorded, the others nothing`,
        `${found.redeemed} codes paid and ${found.transfers} transfers into the team made once each`,
        `${found.tasks} videos and batches charged once each`,
        `of ${found.complete} complete responses ${found.completeUncharged} uncharged`,
        `boot median ${median(found.bootMs).toFixed(0)} ms, p99 ${percentile(found.bootMs, 0.99).toFixed(0)} ms, ${slow} above ${bootMsMax} ms`,
        ending("drift 0, no hold left", found.problems),
      ].join("; "),
    });
  },
});

export const modelRun = defineRun({
  summary: "random stories of every command that moves money, compared with plain arithmetic",
  options: {
    runs: [10_000, "stories"],
    lanes: [1, "gateways at once; a story waits more than it computes"],
    store: storeOption,
    seed: seedOption,
  },
  async run(options, { stop, report }) {
    const total = { runs: 0, commands: 0, calls: 0, tasks: 0, crashes: 0 };
    let problem = "";
    let next = 0;
    await withStore(options.store, async (use) => {
      const playLane = async () => {
        while (next < options.runs && problem === "" && !stop.aborted) {
          const first = next;
          next += storiesPerGateway;
          const runs = Math.min(storiesPerGateway, options.runs - first);
          const stories = [{ seed: options.seed + first, runs }];
          const found = await runModel({ ...use, stories });
          total.runs += found.runs;
          total.commands += found.commands;
          total.calls += found.calls;
          total.tasks += found.tasks;
          total.crashes += found.crashes;
          problem ||= found.problem;
          console.log(
            `${timeOfDay()} seed ${options.seed + first}: ${total.runs} stories, ${total.commands} commands`,
          );
        }
      };
      await Promise.all(Array.from({ length: options.lanes }, playLane));
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
});

export const mutantsRun = defineRun({
  summary:
    "small mistakes in the modules that compute and move money, each of which a test must notice",
  options: {
    file: ["", "modules whose path contains this; nothing is recorded"],
    lanes: [2, "processes"],
  },
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
        if (tried % 100 === 0)
          console.log(`${tried} mutants in ${Math.round((Date.now() - startedAt) / 1000)} s`);
      },
    });
    const result = mutationScore(found, {
      mutants: equivalentMutants,
      branches: unreachableBranches,
    });
    const { mutants, killed, equivalent, survivors, branches, unreachable, uncovered, score } =
      result;
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
      passed:
        score >= mutationScoreGoal &&
        uncovered.length === 0 &&
        unneeded.length === 0 &&
        !stop.aborted,
      figures: [
        `${mutants} mutants of ${found.length} modules in ${Math.ceil((Date.now() - startedAt) / 60_000)} min: ${killed} killed, ${survivors.length} survived, ${equivalent} equivalent`,
        `score ${score} of 100`,
        `${branches} branches: ${uncovered.length} uncovered, ${unreachable} that no input reaches`,
      ].join("; "),
    };
    report(findings, file !== "" || stop.aborted);
  },
});

export const racesRun = defineRun({
  summary: "many clients at the same moment, against the whole program",
  options: {
    part: ["", "one race alone, by its name"],
    share: [1, "a part of the full size, for a quick look"],
    store: storeOption,
    seed: seedOption,
  },
  run: (options, { stop, report }) =>
    withStore(options.store, async (use) => {
      const races = racesOn(use.store).filter(
        (race) => options.part === "" || race === options.part,
      );
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
});

export const soakRun = defineRun({
  summary: "half of the load that the gateway can carry, for a long time",
  options: { minutes: [20, "minutes"], store: storeOption, seed: seedOption },
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
    const isLeaking =
      options.minutes >= slopeJudgedFromMinutes && found.rssMbPerHour > rssMbPerHourMax;
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
});
