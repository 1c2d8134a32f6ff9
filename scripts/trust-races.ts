// `npm run trust:races -- --store sqlite`: what many do at the same moment, at full size and against the whole program.
import { parseArgs } from "node:util";
import { type RaceName, racesOn, runRace } from "../tests/src/trust/races/all-races.ts";
import { recordRun } from "../tests/src/trust/runs/run-record.ts";
import { stopOnSignal } from "../tests/src/trust/runs/stop-on-signal.ts";
import { withStore } from "../tests/src/trust/runs/with-store.ts";

const { values: flags } = parseArgs({
  options: {
    store: { type: "string", default: "sqlite" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    /** One part alone. */
    part: { type: "string" },
    /** A part of the full size, for a quick look. */
    share: { type: "string", default: "1" },
    /** Nothing is written down. */
    try: { type: "boolean", default: false },
  },
});
const { store, seed } = flags;
const troubleShown = 20;

const stop = stopOnSignal();
let passed = true;
await withStore(store, async (use) => {
  for (const name of partsToRun(racesOn(use.store))) {
    if (stop.aborted) break;
    const startedAt = performance.now();
    const found = await runRace(name, { ...use, seed: Number(seed), stop }, Number(flags.share));
    console.log(`${name}: ${Math.round((performance.now() - startedAt) / 1000)} s`);
    const { problems, size } = found;
    for (const line of problems.slice(0, troubleShown)) console.error(`  ${line}`);
    if (problems.length > troubleShown) console.error(`  and ${problems.length - troubleShown} more`);
    const hasPassed = problems.length === 0;
    passed &&= hasPassed;
    const figures = `${found.figures}; ${hasPassed ? "the books agree" : `then ${problems[0]?.split("\n")[0]}`}; seed ${seed}`;
    if (flags.try) console.log(figures);
    else recordRun({ run: `races on ${store}: ${name}`, size, passed: hasPassed, figures });
  }
});
process.exitCode = passed ? 0 : 1;

function partsToRun(possible: readonly RaceName[]): readonly RaceName[] {
  if (flags.part === undefined) return possible;
  const one = possible.find((name) => name === flags.part);
  if (!one) throw new Error(`--part is one of ${possible.join(", ")}`);
  return [one];
}
