/**
 * The latency that the gateway adds to the first byte of a response compared to a bare proxy: one
 * call at a time, with full accounting. Writes docs/benchmarks.md.
 *
 *   node benchmarks/src/latency-benchmark.ts [--calls 300] [--rounds 15] [--dialect sqlite|postgres]
 */
import { parseArgs } from "node:util";
import { type Dispatcher, Pool } from "undici";
import { startPostgresCluster } from "../../tests/src/harness/postgres-cluster.ts";
import { password, urlOf, withProcesses } from "./benchmark-processes.ts";
import { median, writeSection } from "./benchmark-report.ts";
import { requestOf } from "./load-generator.ts";
import { signIn } from "./operator-client.ts";

const { values: flags } = parseArgs({
  options: {
    calls: { type: "string", default: "300" },
    rounds: { type: "string", default: "15" },
    dialect: { type: "string", default: "sqlite" },
  },
});
const calls = Number(flags.calls);
const rounds = Number(flags.rounds);
/** Calls until the code is compiled. */
const warmUp = 3_000;
const isPostgres = flags.dialect === "postgres";
const goalMs = isPostgres ? 0.8 : 0.3;
/** The first content of the fixed response: a stream begins with an event without content. */
const firstWord = "word ";

interface LatencyRow {
  what: string;
  bareMs: number;
  gatewayMs: number;
  addedMs: number;
  /** The 99th percentile over all rounds. */
  slowMs: number;
}

const cluster = isPostgres ? await startPostgresCluster({ fsync: true }) : undefined;
try {
  await withProcesses(async ({ start, startGateway }) => {
    const upstream = await start("benchmark-upstream.ts");
    const bare = new Pool(urlOf(await start("bare-proxy.ts", [urlOf(upstream)])), {
      connections: 1,
    });
    const started = await startGateway(
      upstream,
      cluster ? { DATABASE_URL: await cluster.createDatabase() } : {},
    );
    const gateway = new Pool(urlOf(started), { connections: 1 });
    const operator = await signIn(urlOf(started), password);
    const key = await operator.prepare(urlOf(upstream));
    const rows: LatencyRow[] = [];
    for (const isStream of [false, true]) rows.push(await compare(bare, gateway, key, isStream));
    await operator.settled();
    await Promise.all([bare.close(), gateway.close()]);
    writeSection(`Latency on ${isPostgres ? "PostgreSQL on the same machine" : "SQLite"}`, [
      "Time to the first byte of the answer with one call at a time, over a connection that is open, through the gateway and",
      `through a bare \`node:http\` and undici proxy: medians of ${rounds} alternating rounds of ${calls} calls. Before that byte the`,
      "gateway has authenticated the key and committed the hold; the settlement comes after the answer.",
      "",
      "| Call | Bare proxy | Gateway | Added | One in a hundred | Goal for added |",
      "|---|---|---|---|---|---|",
      ...rows.map(
        ({ what, bareMs, gatewayMs, addedMs, slowMs }) =>
          `| ${what} | ${bareMs.toFixed(2)} ms | ${gatewayMs.toFixed(2)} ms | ${addedMs.toFixed(2)} ms | ${slowMs.toFixed(2)} ms | at most ${goalMs} ms |`,
      ),
    ]);
  });
} finally {
  await cluster?.stop();
}

async function compare(
  bare: Pool,
  gateway: Pool,
  key: string,
  isStream: boolean,
): Promise<LatencyRow> {
  const dispatchOptions = requestOf("chat", key, isStream);
  for (const pool of [bare, gateway]) await firstBytes(pool, dispatchOptions, warmUp);
  const pairs: { bare: number; gateway: number }[] = [];
  const all: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const times = { bare: 0, gateway: 0 };
    for (const which of round % 2 === 0
      ? (["bare", "gateway"] as const)
      : (["gateway", "bare"] as const)) {
      const measured = await firstBytes(which === "bare" ? bare : gateway, dispatchOptions, calls);
      times[which] = median(measured);
      if (which === "gateway") all.push(...measured);
    }
    pairs.push(times);
  }
  const row = {
    what: isStream ? "stream" : "JSON",
    bareMs: median(pairs.map((pair) => pair.bare)),
    gatewayMs: median(pairs.map((pair) => pair.gateway)),
    addedMs: median(pairs.map((pair) => pair.gateway - pair.bare)),
    slowMs: all.toSorted((a, b) => a - b)[Math.floor(all.length * 0.99)] ?? 0,
  };
  console.log(
    `${row.what}: ${row.addedMs.toFixed(2)} ms added to ${row.bareMs.toFixed(2)} ms (at most ${goalMs})`,
  );
  return row;
}

/** Milliseconds per call, one call at a time. */
async function firstBytes(
  pool: Pool,
  dispatchOptions: Dispatcher.DispatchOptions,
  times: number,
): Promise<number[]> {
  const measured: number[] = [];
  for (let call = 0; call < times; call += 1) measured.push(await firstByte(pool, dispatchOptions));
  return measured;
}

function firstByte(pool: Pool, dispatchOptions: Dispatcher.DispatchOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    const sentAt = performance.now();
    let took = 0;
    pool.dispatch(dispatchOptions, {
      onRequestStart: () => undefined,
      onResponseStart: (_controller, status) => {
        if (status !== 200) reject(new Error(`answered with ${status}`));
      },
      onResponseData: (_controller, chunk) => {
        if (took === 0 && chunk.includes(firstWord)) took = performance.now() - sentAt;
      },
      onResponseEnd: () => resolve(took),
      onResponseError: (_controller, error) => reject(error),
    });
  });
}
