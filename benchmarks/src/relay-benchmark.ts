/**
 * The CPU cost of a call in the gateway with full accounting (authentication, hold, settle, log row, trace, roll-ups,
 * all threads), as a ratio to a bare proxy in the same run. Writes docs/benchmarks.md; with --check it writes nothing, compares with
 * the ratios there and exits with 1 when one is more than 10 % above.
 *
 *   node benchmarks/src/relay-benchmark.ts [--calls 4000] [--streams 1000] [--rounds 5] [--postgres postgres://…] [--check]
 */
import { parseArgs } from "node:util";
import { cpuMicros, password, type StartedProcess, urlOf, withProcesses } from "./benchmark-processes.ts";
import { median, recordedFigure, writeSection } from "./benchmark-report.ts";
import { runLoad } from "./load-generator.ts";
import { type OperatorClient, signIn } from "./operator-client.ts";

const { values: flags } = parseArgs({
  options: {
    calls: { type: "string", default: "4000" },
    streams: { type: "string", default: "1000" },
    rounds: { type: "string", default: "5" },
    postgres: { type: "string" },
    check: { type: "boolean", default: false },
  },
});
const concurrency = 64;
/** Calls before the first round, until the code is compiled. */
const warmUp = 3_000;
const rounds = Number(flags.rounds);
/** Rounds on a quiet machine differ by less. */
const slowerMax = 1.1;
const title = `Relay on ${flags.postgres ? "PostgreSQL (its server's own time not included)" : "SQLite"}`;

interface RelayCostRow {
  what: string;
  goal: string;
  calls: number;
  bareMicros: number;
  gatewayMicros: number;
  ratio: number;
}

await withProcesses(async ({ start, startGateway }) => {
  const upstream = await start("benchmark-upstream.ts");
  const bare = await start("bare-proxy.ts", [urlOf(upstream)]);
  const gateway = await startGateway(upstream, flags.postgres ? { DATABASE_URL: flags.postgres } : {});
  const operator = await signIn(urlOf(gateway), password);
  const key = await operator.prepare(urlOf(upstream));

  const rows = [
    await compare("JSON", "at most 2.5, aim 2.0", Number(flags.calls), false, bare, gateway, key, operator),
    await compare(
      "stream of 50 events",
      "at most 1.4, aim 1.2",
      Number(flags.streams),
      true,
      bare,
      gateway,
      key,
      operator,
    ),
  ];
  if (flags.check) check(rows);
  else report(rows);
});

async function compare(
  what: string,
  goal: string,
  calls: number,
  isStream: boolean,
  bare: StartedProcess,
  gateway: StartedProcess,
  key: string,
  operator: OperatorClient,
): Promise<RelayCostRow> {
  const load = { key, concurrency, isStream };
  for (const target of [bare, gateway]) {
    await runLoad({ ...load, url: urlOf(target), calls: warmUp });
  }
  await operator.settled();
  const before = await operator.totals();
  let answered = 0;
  const pairs: [number, number][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const costs: number[] = [];
    for (const target of round % 2 === 0 ? [bare, gateway] : [gateway, bare]) {
      const used = cpuMicros(target.pid);
      const result = await runLoad({ ...load, url: urlOf(target), calls });
      if (target === gateway) {
        answered += result.answered;
        await operator.settled();
      }
      costs[target === bare ? 0 : 1] = (cpuMicros(target.pid) - used) / calls;
    }
    pairs.push([costs[0] ?? 0, costs[1] ?? 0]);
  }
  const after = await operator.totals();
  const moved = before.balance - after.balance;
  if (answered !== calls * rounds) throw new Error(`${calls * rounds - answered} calls were not answered`);
  if (after.rows - before.rows !== answered)
    throw new Error(`${answered} answers, ${after.rows - before.rows} log rows`);
  if (after.charged - before.charged !== moved) throw new Error("the charges differ from the change of the balance");

  const ratio = median(pairs.map(([base, cost]) => cost / base));
  const row = {
    what,
    goal,
    calls,
    bareMicros: median(pairs.map(([base]) => base)),
    gatewayMicros: median(pairs.map(([, cost]) => cost)),
    ratio,
  };
  console.log(
    `${what}: ${row.gatewayMicros.toFixed(0)} µs against ${row.bareMicros.toFixed(0)} µs, ratio ${ratio.toFixed(2)} (${goal})`,
  );
  return row;
}

function check(rows: RelayCostRow[]): void {
  for (const { what, ratio } of rows) {
    const recorded = recordedFigure(title, what, "Ratio");
    if (recorded === undefined) throw new Error(`docs/benchmarks.md has no ratio of ${what} under "${title}"`);
    const isSlower = ratio > recorded * slowerMax;
    console.log(`${isSlower ? "SLOWER" : "ok"}: ${what} ${ratio.toFixed(2)}, recorded ${recorded.toFixed(2)}`);
    if (isSlower) process.exitCode = 1;
  }
}

function report(rows: RelayCostRow[]): void {
  writeSection(title, [
    `CPU per call at concurrency ${concurrency}, storage threads included, median of ${rounds} alternating rounds, as a ratio to a`,
    "bare `node:http` and undici proxy in the same run. After each run the rows logged equalled the answers given and the",
    "charges equalled the balance moved, or the run failed.",
    "",
    "| Call | Calls a round | Bare proxy | Gateway | Ratio | Goal |",
    "|---|---|---|---|---|---|",
    ...rows.map(
      ({ what, calls, bareMicros, gatewayMicros, ratio, goal }) =>
        `| ${what} | ${calls} | ${bareMicros.toFixed(0)} µs | ${gatewayMicros.toFixed(0)} µs | ${ratio.toFixed(2)} | ${goal} |`,
    ),
  ]);
}
