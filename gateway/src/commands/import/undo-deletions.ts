/**
 * Enables again what runs of an import disabled because it was deleted in the source; later runs
 * leave it alone.
 */
import type { AuditAction } from "@tollgate/contract/site/audit-actions.ts";
import { type Database, tryWrite } from "../../storage/database.ts";
import {
  type CarriedRow,
  computeDisabledStatus,
  planStatusWrite,
  streamCarriedRows,
} from "./carried-rows.ts";
import { followedKinds } from "./import-items.ts";
import { importChanges, splitIntoBatches } from "./import-run.ts";
import type { ImportStore } from "./import-store.ts";

interface UndoRun {
  db: Database;
  imported: ImportStore;
  sourceName: string;
  actor: { id: number; address: string };
  now: number;
}

export interface UndoneDeletions {
  enabled: CarriedRow[];
  /** Somebody changed them here since. */
  left: CarriedRow[];
}

const rowsPerWrite = 100;

export async function undoDeletions(run: UndoRun): Promise<UndoneDeletions> {
  const { db, imported, sourceName, actor, now } = run;
  const undone: UndoneDeletions = { enabled: [], left: [] };
  for (const kind of followedKinds) {
    for await (const page of streamCarriedRows(run, kind)) {
      for (const batch of splitIntoBatches(
        page.filter(({ state }) => state.gone !== undefined),
        rowsPerWrite,
      )) {
        const [same, changed] = [
          batch.filter(isAsDisabled),
          batch.filter((row) => !isAsDisabled(row)),
        ];
        undone.left.push(...changed);
        if (same.length === 0) continue;
        const writes = same.map((row) => {
          const { gone, ...state } = row.state;
          const at = Math.max(now, row.updatedAt + 1);
          const entry = {
            at: now,
            actorId: actor.id,
            address: actor.address,
            action: "import.enable" satisfies AuditAction,
            target: row.uuid,
            change: { source: sourceName, kind, source_id: row.sourceId, name: row.name },
          };
          return {
            row: [
              planStatusWrite(db, row, { status: Number(gone), at }),
              imported.put(kind, row.sourceId, row.ourId, { ...state, undone: 1, updatedAt: at }),
            ],
            audit: db.audit(entry),
          };
        });
        const all = [...writes.flatMap(({ row }) => row), ...writes.flatMap(({ audit }) => audit)];
        // A change in the same moment leaves the batch to the next try.
        const rejection = await tryWrite(db, all, { changes: importChanges });
        undone[rejection ? "left" : "enabled"].push(...same);
      }
    }
  }
  return undone;
}

const isAsDisabled = ({ kind, status, isChangedHere }: CarriedRow): boolean =>
  status === computeDisabledStatus(kind) && !isChangedHere;
