/**
 * What a call costs in the gateway with full accounting (authentication, hold, settle, log row, trace, roll-ups, all
 * threads), as a ratio to a bare proxy in the same run. Writes docs/benchmarks.md.
 *
 *   node benchmarks/src/relay.ts [--calls 4000] [--streams 1000] [--rounds 5] [--postgres postgres://…]
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { run } from "./load.ts";
import { type Operator, signIn } from "./operator.ts";
import { median, writeSection } from "./report.ts";

const { values: flags } = parseArgs({
  options: {
    calls: { type: "string", default: "4000" },
    streams: { type: "string", default: "1000" },
    rounds: { type: "string", default: "5" },
    postgres: { type: "string" },
  },
});
const concurrency = 64;
/** Calls before the first round: the compiler has done its work by then. */
const warmUp = 3_000;
const rounds = Number(flags.rounds);
const here = import.meta.dirname;
const password = "benchmark-password";
const children: ChildProcess[] = [];

interface Row {
  what: string;
  goal: string;
  calls: number;
  bareMicros: number;
  gatewayMicros: number;
  ratio: number;
}

const dataDir = mkdtempSync(join(tmpdir(), "tollgate-bench-"));
try {
  const upstream = await start("canned-upstream.ts", [], {});
  const bare = await start("bare-proxy.ts", [`http://127.0.0.1:${upstream.port}`], {});
  const gateway = await start("../../gateway/src/main.ts", ["serve"], {
    PORT: "0",
    DATA_DIR: dataDir,
    INITIAL_ROOT_PASSWORD: password,
    UPSTREAM_PRIVATE_HOSTS: `127.0.0.1:${upstream.port}`,
    LOG_LEVEL: "info",
    ...(flags.postgres ? { DATABASE_URL: flags.postgres } : {}),
  });
  const gatewayUrl = `http://127.0.0.1:${gateway.port}`;
  const operator = await signIn(gatewayUrl, password);
  const key = await operator.prepare(`http://127.0.0.1:${upstream.port}`);

  const rows = [
    await compare("JSON", "at most 3.5, aim 2.5", Number(flags.calls), false, bare, gateway, key, operator),
    await compare("stream of 50 events", "at most 1.5", Number(flags.streams), true, bare, gateway, key, operator),
  ];
  report(rows);
} finally {
  for (const child of children) child.kill("SIGTERM");
  await Promise.all(children.map((child) => new Promise((resolve) => child.once("exit", resolve))));
  rmSync(dataDir, { recursive: true, force: true });
}

async function compare(
  what: string,
  goal: string,
  calls: number,
  isStream: boolean,
  bare: Started,
  gateway: Started,
  key: string,
  operator: Operator,
): Promise<Row> {
  const load = { key, concurrency, isStream };
  for (const target of [bare, gateway]) {
    await run({ ...load, url: `http://127.0.0.1:${target.port}`, calls: warmUp });
  }
  await operator.settled();
  const before = await operator.books();
  let answered = 0;
  const pairs: [number, number][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const costs: number[] = [];
    for (const target of round % 2 === 0 ? [bare, gateway] : [gateway, bare]) {
      const used = cpuMicros(target.pid);
      const result = await run({ ...load, url: `http://127.0.0.1:${target.port}`, calls });
      if (target === gateway) {
        answered += result.answered;
        await operator.settled();
      }
      costs[target === bare ? 0 : 1] = (cpuMicros(target.pid) - used) / calls;
    }
    pairs.push([costs[0] ?? 0, costs[1] ?? 0]);
  }
  const after = await operator.books();
  const moved = before.balance - after.balance;
  if (answered !== calls * rounds) throw new Error(`${calls * rounds - answered} calls were not answered`);
  if (after.rows - before.rows !== answered)
    throw new Error(`${answered} answers, ${after.rows - before.rows} log rows`);
  if (after.charged - before.charged !== moved) throw new Error("the charges are not the balance that moved");

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

interface Started {
  port: number;
  pid: number;
}

/** Waits for the line that names the port. */
function start(file: string, args: string[], env: Record<string, string>): Promise<Started> {
  const child = spawn(process.execPath, [join(here, file), ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (part: Buffer) => {
      text += part.toString();
      const port = /"port":(\d+)|127\.0\.0\.1:(\d+)"/.exec(text);
      if (port) resolve({ port: Number(port[1] ?? port[2]), pid: child.pid ?? 0 });
    });
    child.once("exit", (code) => reject(new Error(`${file} ended with ${code}: ${text}`)));
  });
}

/** User and system time of the whole process, threads included (100 ticks a second on Linux). */
function cpuMicros(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

function report(rows: Row[]): void {
  const storage = flags.postgres ? "PostgreSQL (its server's own time not included)" : "SQLite";
  writeSection(`Relay on ${storage}`, [
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
