// `npm run trust:mutants`: small mistakes in the modules that compute and move money, each of which a test must notice.
import { parseArgs } from "node:util";
import { equivalentMutants, unreachableBranches } from "../tests/src/trust/mutants/equivalent-mutants.ts";
import { moneyModules } from "../tests/src/trust/mutants/money-modules.ts";
import { mutationScore } from "../tests/src/trust/mutants/mutation-score.ts";
import { runMutants } from "../tests/src/trust/mutants/run-mutants.ts";
import { recordRun } from "../tests/src/trust/runs/run-record.ts";
import { stopOnSignal } from "../tests/src/trust/runs/stop-on-signal.ts";

const { values: flags } = parseArgs({
  options: {
    /** Modules whose path has this in it; nothing is written down. */
    file: { type: "string", multiple: true, default: [] },
    lanes: { type: "string", default: "2" },
    /** Nothing is written down. */
    try: { type: "boolean", default: false },
  },
});
const scoreGoal = 85;
const toldEvery = 100;

const modules = moneyModules.filter(
  ({ file }) => flags.file.length === 0 || flags.file.some((part) => file.includes(part)),
);
const stop = stopOnSignal();
const startedAt = Date.now();
let tried = 0;
const found = await runMutants({
  modules,
  lanes: Number(flags.lanes),
  stop,
  onModule: (line) => console.log(line),
  onMutant(line, isKilled) {
    tried += 1;
    if (!isKilled) console.log(`survived: ${line}`);
    // Whoever looks at them sees whether the mistake or the machine was endless.
    else if (/: (endless|broken)$/.test(line)) console.log(`ended from outside: ${line}`);
    if (tried % toldEvery === 0) console.log(`${tried} mutants in ${Math.round((Date.now() - startedAt) / 1000)} s`);
  },
});

const verdict = mutationScore(found, { mutants: equivalentMutants, branches: unreachableBranches });
const { mutants, killed, equivalent, survivors, branches, unreachable, uncovered, unneeded, score } = verdict;
for (const line of survivors) console.log(`not noticed: ${line}`);
for (const line of uncovered) console.error(`not taken: ${line}`);
// What was not tried any more may need its row.
if (!stop.aborted) for (const line of unneeded) console.error(`no row needed for: ${line}`);
const minutes = Math.ceil((Date.now() - startedAt) / 60_000);
const figures = [
  `${mutants} mutants of ${found.length} modules in ${minutes} min: ${killed} killed, ${survivors.length} survived, ${equivalent} equivalent`,
  `score ${score} of 100`,
  `${branches} branches: ${uncovered.length} uncovered, ${unreachable} that no input reaches`,
].join("; ");
const passed = score >= scoreGoal && uncovered.length === 0 && unneeded.length === 0 && !stop.aborted;
if (flags.try || flags.file.length > 0 || stop.aborted) console.log(`${passed ? "passed" : "FAILED"}: ${figures}`);
else recordRun({ run: "mutants of the money modules", size: score, passed, figures });
process.exitCode = passed ? 0 : 1;
