/**
 * The CPU cost of a call whose channel speaks another format, as a ratio to the same call in the
 * channel's own format, in the same run. Writes docs/benchmarks.md.
 *
 *   node benchmarks/src/translations-benchmark.ts [--calls 3000] [--streams 1000] [--rounds 5]
 */
import { parseArgs } from "node:util";
import { password, urlOf, withProcesses } from "./benchmark-processes.ts";
import { median, writeSection } from "./benchmark-report.ts";
import { callCosts, concurrency, type MeasuredServer, microsOf } from "./call-cost.ts";
import type { LoadEndpoint } from "./load-generator.ts";
import { signIn } from "./operator-client.ts";
import { cpuMicros } from "./process-time.ts";

const { values: flags } = parseArgs({
  options: {
    calls: { type: "string", default: "3000" },
    streams: { type: "string", default: "1000" },
    rounds: { type: "string", default: "5" },
  },
});
const rounds = Number(flags.rounds);
const goal = 1.3;
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
  const measured: MeasuredServer = {
    name: "the gateway",
    url: urlOf(gateway),
    key,
    micros: () => [cpuMicros(gateway.pid)],
    rest: operator.settled,
  };
  const rows: TranslationRow[] = [];
  for (const endpoint of ["messages", "responses"] as const) {
    rows.push(await compare(endpoint, false, Number(flags.calls), measured));
    rows.push(await compare(endpoint, true, Number(flags.streams), measured));
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
  measured: MeasuredServer,
): Promise<TranslationRow> {
  const asChat = { ...measured, name: "chat completions" };
  const asTranslated = { ...measured, name: endpoint, endpoint };
  const [plain, translated] = await callCosts([asChat, asTranslated], { calls, isStream, rounds });
  if (!plain || !translated) throw new Error("two entries were measured");
  const plainMicros = microsOf(plain);
  const translatedMicros = microsOf(translated);
  const row = {
    what: `${endpoint}, ${isStream ? "stream of 50 events" : "JSON"}`,
    plainMicros: median(plainMicros),
    translatedMicros: median(translatedMicros),
    ratio: median(translatedMicros.map((cost, round) => cost / (plainMicros[round] ?? 0))),
  };
  console.log(`${row.what}: ratio ${row.ratio.toFixed(2)} (at most ${goal})`);
  return row;
}
