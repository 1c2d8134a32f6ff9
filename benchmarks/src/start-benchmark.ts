/**
 * How long the gateway takes until it listens on a database that exists, and the memory that it
 * occupies while no call comes. Writes docs/benchmarks.md.
 *
 *   node benchmarks/src/start-benchmark.ts [--starts 7]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { withProcesses } from "./benchmark-processes.ts";
import { median, writeSection } from "./benchmark-report.ts";
import { cpuMicros, residentBytes } from "./process-time.ts";

const { values: flags } = parseArgs({ options: { starts: { type: "string", default: "7" } } });
const starts = Number(flags.starts);
/** Until the garbage of the start is collected. */
const idleMs = 60_000;
const mebibyte = 1024 * 1024;

const dataDir = mkdtempSync(join(tmpdir(), "tollgate-bench-start-"));
try {
  await withProcesses(async ({ start, startGateway, stop }) => {
    const upstream = await start("benchmark-upstream.ts");
    const begin = () => startGateway(upstream, { DATA_DIR: dataDir });
    // Makes the database and compiles the program.
    await stop(await begin());
    const seconds: number[] = [];
    const cpuSeconds: number[] = [];
    for (let count = 0; count < starts; count += 1) {
      const beganAt = performance.now();
      const gateway = await begin();
      seconds.push((performance.now() - beganAt) / 1000);
      cpuSeconds.push(cpuMicros(gateway.pid) / 1e6);
      await stop(gateway);
    }
    const idle = await begin();
    await wait(idleMs);
    const rows = [
      `| Time until it listens | ${median(seconds).toFixed(2)} s | at most 1.0 s |`,
      `| Processor time until then, all threads | ${median(cpuSeconds).toFixed(2)} s | |`,
      `| Memory after ${idleMs / 1000} s without a call | ${(residentBytes(idle.pid) / mebibyte).toFixed(0)} MB | at most 120 MB |`,
    ];
    for (const row of rows) console.log(row);
    writeSection("Start", [
      `The program as \`npm start\` runs it, on a SQLite database that exists: medians of ${starts} starts; memory is resident.`,
      "",
      "| What | Measured | Goal |",
      "|---|---|---|",
      ...rows,
    ]);
  });
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
