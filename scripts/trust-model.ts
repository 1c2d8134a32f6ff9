// `npm run trust:model -- --runs 10000 --store sqlite`: the model of all money commands against the real program.
import { parseArgs } from "node:util";
import { runModel } from "../tests/src/trust/model/run-model.ts";
import { recordRun } from "../tests/src/trust/runs/run-record.ts";
import { stopOnSignal } from "../tests/src/trust/runs/stop-on-signal.ts";
import { withStore } from "../tests/src/trust/runs/with-store.ts";

const { values: flags } = parseArgs({
  options: {
    runs: { type: "string", default: "10000" },
    store: { type: "string", default: "sqlite" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    /** Nothing is written down. */
    try: { type: "boolean", default: false },
  },
});
const { store } = flags;
const runs = Number(flags.runs);
/** A gateway with a young database answers sooner, and a story that fails is found again with less before it. */
const perGateway = 100;

const total = { runs: 0, commands: 0, calls: 0, crashes: 0 };
let trouble = "";
const stop = stopOnSignal();
await withStore(store, async (use) => {
  for (let first = 0; first < runs && trouble === "" && !stop.aborted; first += perGateway) {
    const seed = Number(flags.seed) + first;
    const found = await runModel({ ...use, stories: [{ seed, runs: Math.min(perGateway, runs - first) }] });
    total.runs += found.runs;
    total.commands += found.commands;
    total.calls += found.calls;
    total.crashes += found.crashes;
    trouble = found.problem;
    console.log(
      `${new Date().toISOString().slice(11, 19)} seed ${seed}: ${total.runs} runs, ${total.commands} commands`,
    );
  }
});

if (trouble !== "") console.error(trouble);
const figures = `${total.runs} runs with ${total.commands} commands, ${total.calls} calls and ${total.crashes} crashes, from seed ${flags.seed}`;
if (!flags.try)
  recordRun({
    run: `model on ${store}`,
    size: total.runs,
    passed: trouble === "",
    figures: trouble === "" ? `${figures}: no difference` : `${figures}; then ${trouble.split("\n")[0]}`,
  });
process.exitCode = trouble === "" ? 0 : 1;
