// `npm run trust -- <run>`: the tests of the promises, and the large runs behind them.
import { largeRuns } from "@tollgate/tests/trust/large-runs.ts";
import { readScriptOptions, type ScriptOptions } from "../../scripts/script-options.ts";
import { readRuns, recordRun, staleFrom } from "./runs/run-record.ts";
import { stopOnSignal } from "./runs/stop-on-signal.ts";
import type { TrustRun } from "./trust-run.ts";
import { trustRuns } from "./trust-runs.ts";

const [name = "--help", ...args] = process.argv.slice(2);
const runs = new Map<string, TrustRun>(Object.entries(trustRuns));
const chosen = runs.get(name);
if (chosen) await start(chosen);
else if (name === "--help") console.log(overview());
else {
  console.error(`There is no run "${name}".\n\n${overview()}`);
  process.exitCode = 1;
}

async function start({ summary, options, run }: TrustRun): Promise<void> {
  const ofRun: ScriptOptions = Object.fromEntries(
    Object.entries(options).map(([option, [value, help]]) => [
      option,
      {
        type: "string",
        default: String(value),
        value: typeof value === "number" ? "N" : "TEXT",
        help,
      },
    ]),
  );
  const { values }: { values: Readonly<Record<string, string | boolean>> } = readScriptOptions(
    {
      command: `npm run trust -- ${name}`,
      summary,
      options: {
        ...ofRun,
        try: { type: "boolean", help: "writes nothing into docs/assurance/trust-runs.json" },
      },
    },
    args,
  );
  const given = Object.entries(options).map(([option, [value]]) => {
    const text = String(values[option]);
    if (typeof value === "number" && !(Number(text) >= 0))
      throw new Error(`--${option} takes a number, not "${text}"`);
    return [option, typeof value === "number" ? Number(text) : text] as const;
  });
  await run(Object.fromEntries(given), {
    stop: stopOnSignal(),
    isRecorded: !values.try,
    report(found, isPart = false) {
      if (!found.passed) process.exitCode = 1;
      if (values.try || isPart)
        console.log(`${found.passed ? "passed" : "FAILED"}: ${found.figures}`);
      else recordRun(found);
    },
  });
}

function overview(): string {
  const today = new Date().toISOString().slice(0, 10);
  const records = new Map(readRuns().map((record) => [record.run, record]));
  const states = largeRuns.map(({ run, command }) => {
    const record = records.get(run);
    if (!record) return row("not run", command);
    const isStale = staleFrom(record) <= today;
    return row(
      `${record.date}${record.passed ? "" : " FAILED"}${isStale ? " stale" : ""}`,
      command,
    );
  });
  return [
    "npm run trust -- <run> [--try] [options]; --help after a run names its options.",
    "",
    ...[...runs].map(([run, { summary }]) => row(run, summary)),
    "",
    "When each large run was last made:",
    ...states,
  ].join("\n");
}

function row(first: string, second: string): string {
  return `  ${first.padEnd(24)} ${second}`;
}
