// `npm run trust:soak -- --minutes 20 --store sqlite`: half of what the gateway can do, for a time of one's choosing.
import { parseArgs } from "node:util";
import { recordRun } from "../tests/src/trust/runs/run-record.ts";
import { runSoak } from "../tests/src/trust/runs/soak-run.ts";
import { stopOnSignal } from "../tests/src/trust/runs/stop-on-signal.ts";
import { withStore } from "../tests/src/trust/runs/with-store.ts";

const { values: flags } = parseArgs({
  options: {
    minutes: { type: "string", default: "20" },
    store: { type: "string", default: "sqlite" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    /** Nothing is written down. */
    try: { type: "boolean", default: false },
  },
});
const { store } = flags;
const minutes = Number(flags.minutes);
/** A shorter run says little about hours: its slope is told and not judged. */
const judgedFromMinutes = 120;
const rssMbPerHourMax = 1;

let samples = 0;
const found = await withStore(store, (use) =>
  runSoak({
    ...use,
    minutes,
    seed: Number(flags.seed),
    stop: stopOnSignal(),
    onSample({ atMs, rssBytes, descriptors, inFlight }) {
      samples += 1;
      if (samples % 6 !== 1) return;
      const seconds = (atMs / 1000).toFixed(0);
      console.log(
        `${seconds} s: ${(rssBytes / 2 ** 20).toFixed(0)} MB, ${descriptors} descriptors, ${inFlight} under way`,
      );
    },
  }),
);

for (const line of found.problems) console.error(line);
const isLeaking = minutes >= judgedFromMinutes && found.rssMbPerHour > rssMbPerHourMax;
const figures = [
  `${found.minutes} minutes at half of ${found.capacityPerSecond.toFixed(0)} calls/s: ${found.calls} calls`,
  `${found.complete} whole answers, ${found.disconnected} callers who left, ${found.failed} failed, ${found.serverRestarts} restarts of the database server`,
  `memory ${found.rssMbFirst.toFixed(0)} to ${found.rssMbLast.toFixed(0)} MB after the warm-up, slope ${found.rssMbPerHour.toFixed(1)} MB/h`,
  `descriptors slope ${found.descriptorsPerHour.toFixed(1)}/h`,
  found.problems.length === 0 ? "drift 0, no call lost, no hold left" : `then ${found.problems[0]}`,
].join("; ");
const passed = found.problems.length === 0 && !isLeaking;
if (flags.try) console.log(figures);
else recordRun({ run: `soak on ${store}`, size: found.minutes, passed, figures });
process.exitCode = passed ? 0 : 1;
