// `npm run trust:fuzz -- --cases 1000000`: generated requests to every operation and every entry, by everybody.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { catalogue } from "@tollgate/contract/catalogue.ts";
import { runFuzz } from "../tests/src/trust/runs/fuzz-run.ts";
import { recordRun } from "../tests/src/trust/runs/run-record.ts";
import { stopOnSignal } from "../tests/src/trust/runs/stop-on-signal.ts";
import { ensureConsoleBuild } from "./console-build.ts";

const { values: flags } = parseArgs({
  options: {
    cases: { type: "string", default: "1000000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    /** Nothing is written down. */
    try: { type: "boolean", default: false },
  },
});

await ensureConsoleBuild(join(import.meta.dirname, ".."), () => console.log("Building the console."));
const startedAt = Date.now();
let told = 0;
const found = await runFuzz({
  cases: Number(flags.cases),
  seed: Number(flags.seed),
  stop: stopOnSignal(),
  onBatch({ cases, problems, called, succeeded, slowestMs }) {
    const rate = (cases / (Date.now() - startedAt)) * 1000;
    console.log(
      `${cases}: ${rate.toFixed(0)}/s, ${called.size} called, ${succeeded.size} succeeded, slowest ${slowestMs.toFixed(0)} ms, ${problems.length} troubles`,
    );
    for (; told < problems.length; told += 1) console.error(problems[told]);
  },
});

for (; told < found.problems.length; told += 1) console.error(found.problems[told]);
const missed = catalogue.filter(({ name }) => !found.called.has(name)).map(({ name }) => name);
const statuses = [...found.statuses]
  .sort(([one], [other]) => one - other)
  .map(([status, count]) => `${status}: ${count}`);
const figures = [
  `${found.cases} cases from seed ${flags.seed}`,
  `${found.called.size} of ${catalogue.length} operations called${missed.length > 0 ? ` (not ${missed.join(", ")})` : ""}, ${found.succeeded.size} answered with success`,
  `slowest ${found.slowestMs.toFixed(0)} ms`,
  `statuses ${statuses.join(", ")}`,
  found.problems.length === 0
    ? "0 crashes, hangs, unexplained 5xx or answers unlike their schema"
    : `then ${found.problems[0]}`,
].join("; ");
const passed = found.problems.length === 0;
if (flags.try) console.log(figures);
else recordRun({ run: "generated requests", size: found.cases, passed, figures });
process.exitCode = passed ? 0 : 1;
