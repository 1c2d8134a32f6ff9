/**
 * A run of an import, in an order in which each row finds those that it refers to. A broken-off run
 * is completed by the next.
 */
import type { AuditAction } from "@tollgate/contract/site/audit-actions.ts";
import { followDeletions } from "./follow-deletions.ts";
import type { ImportRun } from "./import-run.ts";
import { writeChannels } from "./writers/write-channels.ts";
import { writeCodes } from "./writers/write-codes.ts";
import { writeLogs } from "./writers/write-logs.ts";
import { writeGroupRatios, writeOptions } from "./writers/write-options.ts";
import { writeShadowCharges } from "./writers/write-shadow-charges.ts";
import { writeTeams } from "./writers/write-teams.ts";
import { writeTokens } from "./writers/write-tokens.ts";
import { writeUsers } from "./writers/write-users.ts";
import { writeVirtualModels } from "./writers/write-virtual-models.ts";

export async function runImport(run: ImportRun): Promise<void> {
  const { db, report, isPlan, now, sourceName, actor } = run;
  await writeOptions(run);
  await writeUsers(run);
  await writeTeams(run);
  await writeChannels(run);
  await writeVirtualModels(run);
  await writeGroupRatios(run);
  await writeTokens(run);
  await writeCodes(run);
  await followDeletions(run);
  await writeLogs(run);
  await writeShadowCharges(run);
  report.lose(...(await run.source.siteLosses()));
  if (isPlan) return;
  const counts = Object.fromEntries(
    Object.entries(report.counts).map(([entity, { added, changed }]) => [entity, added + changed]),
  );
  if (Object.values(counts).every((count) => count === 0)) return;
  const entry = {
    at: now,
    actorId: actor.id,
    address: actor.address,
    action: "import.run" satisfies AuditAction,
    target: sourceName,
  };
  await db.write(db.audit({ ...entry, change: { system: run.source.system, ...counts } }));
}
