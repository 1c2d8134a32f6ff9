/**
 * The duration of a charge when 200 calls end at once: of one account, where they wait for the same
 * rows, and of 200 accounts. On both databases, with production durability. Writes
 * docs/benchmarks.md; exits with 1 when a goal is missed.
 *
 *   node benchmarks/src/settle-benchmark.ts [--calls 200] [--rounds 20]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Database } from "@tollgate/gateway/storage/database.ts";
import { openDatabase } from "@tollgate/gateway/storage/open-database.ts";
import {
  createTestAccount,
  holdOf,
  settleOf,
  type TestAccount,
} from "@tollgate/tests/support/money-fixtures.ts";
import { recordRun } from "@tollgate/trust/runs/run-record.ts";
import { startPostgresCluster } from "../../tests/src/harness/postgres-cluster.ts";
import { writeSection } from "./benchmark-report.ts";

const { values: flags } = parseArgs({
  options: { calls: { type: "string", default: "200" }, rounds: { type: "string", default: "20" } },
});
const calls = Number(flags.calls);
const rounds = Number(flags.rounds);
const goalMs = 250;
const charge = 40;
const balance = 1_000_000_000;

interface SettleRow {
  what: string;
  medianMs: number;
  p99Ms: number;
  perSecond: number;
}

const fail = (error: Error): never => {
  throw error;
};

async function measured(
  db: Database,
  what: string,
  accounts: readonly TestAccount[],
): Promise<SettleRow> {
  const took: number[] = [];
  let settlingMs = 0;
  // The first round fills caches and is not counted.
  for (let round = 0; round <= rounds; round += 1) {
    const open = Array.from({ length: calls }, (_, n) => ({
      account: accounts[n % accounts.length] as TestAccount,
      id: db.mintId(),
    }));
    await Promise.all(open.map(({ account, id }) => db.money(holdOf(account, id, charge))));
    const began = performance.now();
    await Promise.all(
      open.map(async ({ account, id }) => {
        const ended = await db.money(settleOf(account, id, charge));
        if (ended !== "settled") throw new Error(`a call was ${ended}`);
        if (round > 0) took.push(performance.now() - began);
      }),
    );
    if (round > 0) settlingMs += performance.now() - began;
  }
  took.sort((a, b) => a - b);
  const at = (share: number): number =>
    took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0;
  const row = {
    what,
    medianMs: at(0.5),
    p99Ms: at(0.99),
    perSecond: (calls * rounds * 1000) / settlingMs,
  };
  console.log(
    `${what}: median ${row.medianMs.toFixed(0)} ms, p99 ${row.p99Ms.toFixed(0)} ms, ${row.perSecond.toFixed(0)}/s`,
  );
  return row;
}

async function on(name: string, databaseUrl: string | undefined): Promise<SettleRow[]> {
  const dataDir = mkdtempSync(join(tmpdir(), "tollgate-bench-settle-"));
  const db = await openDatabase({ dataDir, databaseUrl }, { onError: fail, onFatal: fail });
  try {
    const hot = await createTestAccount(db, balance, [null]);
    const many: TestAccount[] = [];
    for (let n = 0; n < calls; n += 1) many.push(await createTestAccount(db, balance, [null]));
    return [
      await measured(db, `${name}, one account`, [hot]),
      await measured(db, `${name}, ${calls} accounts`, many),
    ];
  } finally {
    await db.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const rows = await on("SQLite", undefined);
const cluster = await startPostgresCluster({ fsync: true });
try {
  rows.push(...(await on("PostgreSQL", await cluster.createDatabase())));
} finally {
  await cluster.stop();
}
writeSection("One busy account", [
  `${calls} calls that end at the same moment, ${rounds} times: how long until a call is charged, its log row, trace and`,
  `roll-ups with it, from that moment on. The goal is ${goalMs} ms for the slowest of a hundred. PostgreSQL runs on the same`,
  "machine and syncs every commit.",
  "",
  "| Calls of | Median | p99 | Charges a second |",
  "|---|---|---|---|",
  ...rows.map(
    ({ what, medianMs, p99Ms, perSecond }) =>
      `| ${what} | ${medianMs.toFixed(0)} ms | ${p99Ms.toFixed(0)} ms | ${perSecond.toFixed(0)} |`,
  ),
]);
const passed = rows.every(({ p99Ms }) => p99Ms <= goalMs);
const metrics = rows.map(
  ({ what, p99Ms, perSecond }) =>
    `${what}: p99 ${p99Ms.toFixed(0)} ms, ${perSecond.toFixed(0)} charges/s`,
);
recordRun({ run: "one busy account", size: calls, passed, figures: metrics.join("; ") });
process.exitCode = passed ? 0 : 1;
