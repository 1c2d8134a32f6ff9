// `npm run trust:crash -- --cycles 200 --store sqlite`: kill -9 at any moment under load, again and again.
import { parseArgs } from "node:util";
import { bootMsMax, runCrashes } from "../tests/src/trust/runs/crash-run.ts";
import { recordRun } from "../tests/src/trust/runs/run-record.ts";
import { median, percentile } from "../tests/src/trust/runs/statistics.ts";
import { stopOnSignal } from "../tests/src/trust/runs/stop-on-signal.ts";
import { withStore } from "../tests/src/trust/runs/with-store.ts";

const { values: flags } = parseArgs({
  options: {
    cycles: { type: "string", default: "200" },
    store: { type: "string", default: "sqlite" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    streams: { type: "string", default: "100" },
    /** Nothing is written down. */
    try: { type: "boolean", default: false },
  },
});
const { store } = flags;

const found = await withStore(store, (use) =>
  runCrashes({
    ...use,
    cycles: Number(flags.cycles),
    seed: Number(flags.seed),
    streams: Number(flags.streams),
    stop: stopOnSignal(),
    onCycle({ cycles, cut, recorded, completeUncharged, bootMs, clearMs }) {
      const last = `boot ${bootMs.at(-1)?.toFixed(0)} ms, nothing open after ${clearMs.at(-1)?.toFixed(0)} ms`;
      console.log(`${cycles}: ${cut} cut, ${recorded} recorded, ${completeUncharged} whole uncharged; ${last}`);
    },
  }),
);

for (const line of found.problems) console.error(line);
const slow = found.bootMs.filter((ms) => ms > bootMsMax).length;
const figures = [
  `${found.cycles} kills from seed ${flags.seed}`,
  `${found.cut} calls cut, ${found.recorded} of them charged exactly what was recorded, the others nothing`,
  `${found.redeemed} codes paid once each`,
  `of ${found.complete} whole answers ${found.completeUncharged} uncharged`,
  `boot median ${median(found.bootMs).toFixed(0)} ms, p99 ${percentile(found.bootMs, 0.99).toFixed(0)} ms, ${slow} above ${bootMsMax} ms`,
  found.problems.length === 0 ? "drift 0, no hold left" : `then ${found.problems[0]}`,
].join("; ");
// How long a start takes is told and not judged: the machine may be busy with other things.
const passed = found.problems.length === 0;
if (flags.try) console.log(figures);
else recordRun({ run: `crashes on ${store}`, size: found.cycles, passed, figures });
process.exitCode = passed ? 0 : 1;
