/**
 * Kills migrations of a large database at points all over, on both databases, and says whether each next start completed
 * what was begun. Ends with 1 when one did not.
 *
 *   node scripts/kill-migrations.ts [--rows 200000] [--kills 30]
 */
import { parseArgs } from "node:util";
import { startCluster } from "../tests/src/harness/postgres.ts";
import { type Killing, killMigration } from "../tests/src/trust/kill-migration.ts";

const { values: flags } = parseArgs({
  options: { rows: { type: "string", default: "200000" }, kills: { type: "string", default: "30" } },
});
const rows = Number(flags.rows);
const kills = Number(flags.kills);

async function report(killing: Killing): Promise<void> {
  const { midway, findings, wholeMs } = await killMigration(killing);
  console.log(
    `${killing.store}: ${rows} rows take ${(wholeMs / 1000).toFixed(1)} s; ${midway} of ${kills} kills came midway; ${findings.length} findings`,
  );
  for (const finding of findings) console.log(`  ${finding}`);
  if (findings.length > 0) process.exitCode = 1;
}

await report({ store: "sqlite", rows, kills });
const cluster = await startCluster();
try {
  await report({ store: "postgres", rows, kills, serverUrl: cluster.url });
} finally {
  await cluster.stop();
}
