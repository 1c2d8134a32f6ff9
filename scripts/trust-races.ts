// `npm run trust:races -- --store sqlite`: what many do at the same moment, at full size and against the whole program.
import { parseArgs } from "node:util";
import { type PartName, partsOn, runPart } from "../tests/src/trust/races/all-races.ts";
import { onStore } from "../tests/src/trust/runs/on-store.ts";
import { recordRun } from "../tests/src/trust/runs/record.ts";
import { stopOnSignal } from "../tests/src/trust/runs/stop-on-signal.ts";

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
await onStore(store, async (use) => {
  for (const name of partsToRun(partsOn(use.store))) {
    if (stop.aborted) break;
    const startedAt = performance.now();
    const found = await runPart(name, { ...use, seed: Number(seed), stop }, Number(flags.share));
    console.log(`${name}: ${Math.round((performance.now() - startedAt) / 1000)} s`);
    const { trouble, size } = found;
    for (const line of trouble.slice(0, troubleShown)) console.error(`  ${line}`);
    if (trouble.length > troubleShown) console.error(`  and ${trouble.length - troubleShown} more`);
    const hasPassed = trouble.length === 0;
    passed &&= hasPassed;
    const figures = `${found.figures}; ${hasPassed ? "the books agree" : `then ${trouble[0]?.split("\n")[0]}`}; seed ${seed}`;
    if (flags.try) console.log(figures);
    else recordRun({ run: `races on ${store}: ${name}`, size, passed: hasPassed, figures });
  }
});
process.exitCode = passed ? 0 : 1;

function partsToRun(possible: readonly PartName[]): readonly PartName[] {
  if (flags.part === undefined) return possible;
  const one = possible.find((name) => name === flags.part);
  if (!one) throw new Error(`--part is one of ${possible.join(", ")}`);
  return [one];
}
