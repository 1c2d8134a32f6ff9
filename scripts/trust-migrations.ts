// `npm run trust:migrations -- --store sqlite`: migrations of a large database, killed at points all over, and what each
// next start made of what was begun.
import { parseArgs } from "node:util";
import { killMigrations } from "../tests/src/trust/kill-migration.ts";
import { recordRun } from "../tests/src/trust/runs/run-record.ts";
import { withStore } from "../tests/src/trust/runs/with-store.ts";

const { values: flags } = parseArgs({
  options: {
    rows: { type: "string", default: "200000" },
    kills: { type: "string", default: "30" },
    store: { type: "string", default: "sqlite" },
    /** Nothing is written down. */
    try: { type: "boolean", default: false },
  },
});
const rows = Number(flags.rows);
const kills = Number(flags.kills);

await withStore(flags.store, async ({ store = "sqlite", postgresUrl }) => {
  const { interrupted, findings, wholeMs } = await killMigrations({
    store,
    rows,
    kills,
    ...(postgresUrl && { serverUrl: postgresUrl }),
  });
  for (const finding of findings) console.error(finding);
  const passed = findings.length === 0;
  const figures = [
    `${rows} rows take ${(wholeMs / 1000).toFixed(1)} s`,
    `${interrupted} of ${kills} kills came midway`,
    passed ? "each next start completed what was begun" : `then ${findings[0]}`,
  ].join("; ");
  if (flags.try) console.log(figures);
  else recordRun({ run: `killed migrations on ${store}`, size: rows, passed, figures });
  process.exitCode = passed ? 0 : 1;
});
