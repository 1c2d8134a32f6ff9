/**
 * The CPU cost of a call in the gateway with full accounting (authentication, hold, settle, log
 * row, trace, roll-ups, all threads), as a ratio to a bare proxy in the same run. Writes
 * docs/benchmarks.md; with --check it writes nothing, compares with the ratios there and exits with
 * 1 when one is more than 10 % above.
 *
 *   node benchmarks/src/relay-benchmark.ts [--calls 4000] [--streams 1000] [--rounds 5] [--dialect sqlite|postgres] [--check]
 *
 * With --against COMMIT the other server is that commit's gateway in place of the bare proxy: it
 * writes nothing, and exits with 1 where the upper 95 % bound of the paired median is above 1.02
 * (compare-commits.ts).
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildCommit } from "../../scripts/commit-build.ts";
import { readScriptOptions } from "../../scripts/script-options.ts";
import { startPostgresCluster } from "../../tests/src/harness/postgres-cluster.ts";
import { password, urlOf, withProcesses } from "./benchmark-processes.ts";
import { median, recordedFigure, writeSection } from "./benchmark-report.ts";
import {
  type CostedLoad,
  callCosts,
  concurrency,
  type MeasuredServer,
  microsOf,
} from "./call-cost.ts";
import { compareCommits } from "./compare-commits.ts";
import { type OperatorClient, signIn } from "./operator-client.ts";
import { cpuMicros, treeMicros } from "./process-time.ts";
import { pinProcess } from "./turn-costs.ts";

const { values: flags } = readScriptOptions({
  command: "npm run bench:relay",
  summary: "the processor time of a call beside a bare proxy, written to docs/benchmarks.md",
  options: {
    calls: {
      type: "string",
      default: "4000",
      value: "N",
      help: "of each round; with --against 150 times a twentieth of it",
    },
    streams: { type: "string", default: "1000", value: "N", help: "the same for streams" },
    rounds: { type: "string", default: "5", value: "N", help: "of which the median counts" },
    dialect: { type: "string", default: "sqlite", value: "NAME", help: "sqlite or postgres" },
    against: {
      type: "string",
      default: "",
      value: "COMMIT",
      help: "compares with that commit and writes nothing",
    },
    only: { type: "string", default: "", value: "WORDS", help: "calls whose name begins so" },
    check: {
      type: "boolean",
      help: "writes nothing, and fails where a ratio is more than 10 % above the one there",
    },
  },
});
const isPostgres = flags.dialect === "postgres";
const rounds = Number(flags.rounds);
const calls = Number(flags.calls);
const streams = Number(flags.streams);
/** Rounds on a quiet machine differ by less. */
const slowerMax = 1.1;
/** A stream of so many events takes the time of forty short ones. */
const longWords = 2_000;
const longStreams = Math.max(64, Math.floor(streams / 10));
const title = `Relay on ${isPostgres ? "PostgreSQL" : "SQLite"}`;

interface RelayCostRow {
  what: string;
  goal: string;
  calls: number;
  bareMicros: number;
  gatewayMicros: number;
  ratio: number;
}

const shapes: (Omit<CostedLoad, "rounds"> & { what: string; goals: readonly [string, string?] })[] =
  [
    {
      what: "JSON",
      calls,
      isStream: false,
      goals: isPostgres
        ? ["at most 3.0, aim 2.5", "at most 6.0, aim 4.5"]
        : ["at most 2.5, aim 2.0"],
    },
    {
      what: "stream of 50 events",
      calls: streams,
      isStream: true,
      goals: ["at most 1.4, aim 1.2"],
    },
    {
      what: `stream of ${longWords.toLocaleString("en")} events`,
      calls: longStreams,
      isStream: true,
      words: longWords,
      goals: ["at most 1.2, aim 1.1"],
    },
  ];

const asked = shapes.filter(({ what }) => what.startsWith(flags.only));

const cluster = isPostgres ? await startPostgresCluster({ fsync: true }) : undefined;
try {
  await withProcesses(async ({ start, startGateway, stop }) => {
    const upstream = await start("benchmark-upstream.ts");
    const serverPid =
      cluster &&
      Number(readFileSync(join(cluster.dataDir, "postmaster.pid"), "utf8").split("\n")[0]);
    const openGateway = async (name: string, main?: string) => {
      const env = cluster ? { DATABASE_URL: await cluster.createDatabase() } : undefined;
      const gateway = await startGateway(upstream, env, [], main);
      const operator = await signIn(urlOf(gateway), password);
      const server: MeasuredServer = {
        name,
        url: urlOf(gateway),
        key: await operator.prepare(urlOf(upstream)),
        micros: () => [cpuMicros(gateway.pid), ...(serverPid ? [treeMicros(serverPid)] : [])],
        rest: operator.settled,
      };
      return { gateway, server, operator };
    };
    if (flags.against) {
      const { commit, main } = buildCommit(flags.against);
      for (const pid of [process.pid, upstream.pid]) pinProcess(pid, false);
      const open = async (name: string, ofCommit?: string) => {
        const { gateway, server } = await openGateway(name, ofCommit);
        pinProcess(gateway.pid, true);
        return { ...server, pid: gateway.pid, close: () => stop(gateway) };
      };
      await compareCommits({
        shapes: asked,
        rounds,
        openBefore: () => open(`the gateway of ${commit}`, main),
        openAfter: () => open("the gateway"),
      });
      return;
    }
    const { server, operator } = await openGateway("the gateway");
    const bare = await start("bare-proxy.ts", [urlOf(upstream)]);
    const servers: MeasuredServer[] = [
      {
        name: "the bare proxy",
        url: urlOf(bare),
        key: server.key,
        micros: () => [cpuMicros(bare.pid)],
      },
      server,
    ];
    const rows: RelayCostRow[] = [];
    for (const shape of asked) rows.push(...(await compare(shape, servers, operator)));
    if (flags.check) check(rows);
    else report(rows);
  });
} finally {
  await cluster?.stop();
}

/** `compare` gives one row, and on PostgreSQL a second one with the time of its server. */
async function compare(
  { what, goals, ...load }: (typeof shapes)[number],
  servers: readonly MeasuredServer[],
  operator: OperatorClient,
): Promise<RelayCostRow[]> {
  const before = await operator.totals();
  const [bare, gateway] = await callCosts(servers, { ...load, rounds });
  if (!bare || !gateway) throw new Error("two servers were measured");
  const after = await operator.totals();
  const moved = before.balance - after.balance;
  if (after.rows - before.rows !== gateway.answered) {
    throw new Error(`${gateway.answered} answers, ${after.rows - before.rows} log rows`);
  }
  if (after.charged - before.charged !== moved)
    throw new Error("the charges differ from the change of the balance");

  const baseMicros = microsOf(bare);
  return goals.map((goal = "", index) => {
    const isWithServer = index > 0;
    const micros = microsOf(gateway, isWithServer ? undefined : [0]);
    const row = {
      what: isWithServer ? `${what}, PostgreSQL's own time included` : what,
      goal,
      calls: load.calls,
      bareMicros: median(baseMicros),
      gatewayMicros: median(micros),
      ratio: median(micros.map((cost, round) => cost / (baseMicros[round] ?? 0))),
    };
    console.log(
      `${row.what}: ${row.gatewayMicros.toFixed(0)} µs against ${row.bareMicros.toFixed(0)} µs, ratio ${row.ratio.toFixed(2)} (${goal})`,
    );
    return row;
  });
}

function check(rows: RelayCostRow[]): void {
  for (const { what, ratio } of rows) {
    const recorded = recordedFigure(title, what, "Ratio");
    if (recorded === undefined)
      throw new Error(`docs/benchmarks.md has no ratio of ${what} under "${title}"`);
    const isSlower = ratio > recorded * slowerMax;
    console.log(
      `${isSlower ? "SLOWER" : "ok"}: ${what} ${ratio.toFixed(2)}, recorded ${recorded.toFixed(2)}`,
    );
    if (isSlower) process.exitCode = 1;
  }
}

function report(rows: RelayCostRow[]): void {
  writeSection(title, [
    `CPU per call at concurrency ${concurrency}, storage threads included, median of ${rounds} alternating rounds, as a ratio to a`,
    "bare `node:http` and undici proxy in the same run. After each run every answer had its log row and the charges equalled",
    "the balance moved, or the run failed.",
    "",
    "| Call | Calls a round | Bare proxy | Gateway | Ratio | Goal |",
    "|---|---|---|---|---|---|",
    ...rows.map(
      ({ what, calls, bareMicros, gatewayMicros, ratio, goal }) =>
        `| ${what} | ${calls} | ${bareMicros.toFixed(0)} µs | ${gatewayMicros.toFixed(0)} µs | ${ratio.toFixed(2)} | ${goal} |`,
    ),
  ]);
}
