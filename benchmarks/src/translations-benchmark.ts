/**
 * The CPU cost of a call whose channel speaks another format, as a ratio to the same call in the channel's
 * own format, in the same run. Writes docs/benchmarks.md.
 *
 *   node benchmarks/src/translations-benchmark.ts [--calls 3000] [--streams 1000] [--rounds 5]
 */
import { parseArgs } from "node:util";
import { cpuMicros, password, type StartedProcess, urlOf, withProcesses } from "./benchmark-processes.ts";
import { median, writeSection } from "./benchmark-report.ts";
import { type LoadEndpoint, runLoad } from "./load-generator.ts";
import { type OperatorClient, signIn } from "./operator-client.ts";

const { values: flags } = parseArgs({
  options: {
    calls: { type: "string", default: "3000" },
    streams: { type: "string", default: "1000" },
    rounds: { type: "string", default: "5" },
  },
});
const concurrency = 64;
const warmUp = 2_000;
const rounds = Number(flags.rounds);
const goal = 1.5;
/** A channel type that speaks only chat completions. */
const openAiCompatible = 50;

interface TranslationRow {
  what: string;
  plainMicros: number;
  translatedMicros: number;
  ratio: number;
}

await withProcesses(async ({ start, startGateway }) => {
  const upstream = await start("benchmark-upstream.ts");
  const gateway = await startGateway(upstream);
  const operator = await signIn(urlOf(gateway), password);
  const key = await operator.prepare(urlOf(upstream), openAiCompatible);
  const rows: TranslationRow[] = [];
  for (const endpoint of ["messages", "responses"] as const) {
    rows.push(await compare(endpoint, false, Number(flags.calls), gateway, key, operator));
    rows.push(await compare(endpoint, true, Number(flags.streams), gateway, key, operator));
  }
  writeSection("Translations", [
    `CPU of the gateway per call at concurrency ${concurrency}, median of ${rounds} alternating rounds: the entry named, over a channel that`,
    "speaks chat completions, against chat completions over the same channel. Accounting is in both.",
    "",
    "| Call | Own interface | Translated | Ratio | Goal |",
    "|---|---|---|---|---|",
    ...rows.map(
      ({ what, plainMicros, translatedMicros, ratio }) =>
        `| ${what} | ${plainMicros.toFixed(0)} µs | ${translatedMicros.toFixed(0)} µs | ${ratio.toFixed(2)} | at most ${goal} |`,
    ),
  ]);
});

async function compare(
  endpoint: LoadEndpoint,
  isStream: boolean,
  calls: number,
  gateway: StartedProcess,
  key: string,
  operator: OperatorClient,
): Promise<TranslationRow> {
  const load = { url: urlOf(gateway), key, concurrency, isStream };
  for (const warm of ["chat", endpoint] as const) await runLoad({ ...load, endpoint: warm, calls: warmUp });
  await operator.settled();
  const pairs: [number, number][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const costs = { chat: 0, [endpoint]: 0 };
    for (const measured of round % 2 === 0 ? (["chat", endpoint] as const) : ([endpoint, "chat"] as const)) {
      const used = cpuMicros(gateway.pid);
      const { answered } = await runLoad({ ...load, endpoint: measured, calls });
      if (answered !== calls) throw new Error(`${calls - answered} calls to ${measured} were not answered`);
      await operator.settled();
      costs[measured] = (cpuMicros(gateway.pid) - used) / calls;
    }
    pairs.push([costs.chat, costs[endpoint] ?? 0]);
  }
  const row = {
    what: `${endpoint}, ${isStream ? "stream of 50 events" : "JSON"}`,
    plainMicros: median(pairs.map(([plain]) => plain)),
    translatedMicros: median(pairs.map(([, translated]) => translated)),
    ratio: median(pairs.map(([plain, translated]) => translated / plain)),
  };
  console.log(`${row.what}: ratio ${row.ratio.toFixed(2)} (at most ${goal})`);
  return row;
}
