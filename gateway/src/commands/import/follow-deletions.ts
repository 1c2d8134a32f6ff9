/**
 * Deleting is how keys and people are revoked in the other systems: what was carried and is deleted
 * there is disabled here, at the end of a later run. Never a row that was changed here, never more
 * than a few without the operator's word, and one act undoes it.
 */
import type { AuditAction } from "@tollgate/contract/site/audit-actions.ts";
import type { Write } from "../../storage/database.ts";
import {
  type CarriedRow,
  compareWitnesses,
  computeDisabledStatus,
  isGone,
  planStatusWrite,
  streamCarriedRows,
} from "./carried-rows.ts";
import { type FollowedKind, followedKinds, type Loss } from "./import-items.ts";
import { commitTogether, type ImportRow, type ImportRun, splitIntoBatches } from "./import-run.ts";
import type { StoredReach } from "./import-store.ts";

/**
 * A site that is in use loses some rows in a week. More at once is rather a source that is not what
 * it was.
 */
const rowsUnasked = 20;
const shareUnasked = 0.05;
const rowsPerWrite = 100;

/** `stays` says why a row that is deleted in the source stays as it is here. */
const stays = { changed: "changed here", root: "root", undone: "undone" } as const;

interface FoundDeletions {
  /** `gone` goes by kind, what is to be disabled. */
  gone: Map<FollowedKind, CarriedRow[]>;
  carried: Map<FollowedKind, number>;
  losses: Loss[];
}

export async function followDeletions(run: ImportRun): Promise<void> {
  const reach = await run.source.reach();
  const stored = await run.imported.reach();
  const { gone, carried, losses } = await findDeletions(run, reach.made);
  const isCutOver = await run.imported.isCutOver();
  const unread = [...gone.keys()].filter((kind) => !isReadWhole(kind, reach.parts, stored));
  for (const kind of unread) {
    run.report.lose(
      buildSourceLoss(run, "deletions_not_read", [kind, gone.get(kind)?.length ?? 0]),
    );
    gone.delete(kind);
  }
  const rows = [...gone.values()].flat();
  const refusal =
    rows.length === 0 ? undefined : await findRefusal(run, { gone, carried, isCutOver });
  if (refusal) run.report.lose(refusal);
  else run.report.lose(...losses.filter(({ entity }) => !unread.includes(entity as FollowedKind)));
  // A plan names the rows that need the operator's word.
  if (!refusal || (run.isPlan && refusal.reason === "deletions_too_many"))
    run.report.lose(...rows.map((row) => buildRowLoss(row, "deleted_and_disabled")));
  if (!refusal)
    for (const batch of splitIntoBatches(rows, rowsPerWrite))
      await commitTogether(
        run,
        batch.map(
          (row): DisabledRow => ({
            entity: row.kind,
            sourceId: row.sourceId,
            name: row.name,
            outcome: "changed",
            row,
          }),
        ),
        (some) => planDisablingWrites(run, some),
      );
  if (run.isPlan) return;
  const writes = [
    ...run.imported.noteReach(reach.parts, stored),
    ...(run.isCutOver && !isCutOver ? [run.imported.noteCutOver(run.now)] : []),
  ];
  if (writes.length > 0) await run.db.write(writes);
}

async function findDeletions(run: ImportRun, made: readonly string[]): Promise<FoundDeletions> {
  const found: FoundDeletions = { gone: new Map(), carried: new Map(), losses: [] };
  for (const kind of followedKinds) {
    const gone: CarriedRow[] = [];
    let count = 0;
    for await (const page of streamCarriedRows(run, kind)) {
      count += page.length;
      for (const row of page) {
        if (!isGone(row, run.seen.presence, made)) {
          if (row.state.gone !== undefined && !row.isOpen)
            found.losses.push(buildRowLoss(row, "back_in_source"));
        } else if (row.isOpen) {
          const why = explainStay(row);
          if (why === undefined) gone.push(row);
          else found.losses.push(buildRowLoss(row, "deleted_stays", why));
        }
      }
    }
    if (gone.length > 0) found.gone.set(kind, gone);
    found.carried.set(kind, count);
  }
  return found;
}

function explainStay({ state, isRoot, isChangedHere }: CarriedRow): string | undefined {
  if (state.undone !== undefined) return stays.undone;
  if (isRoot) return stays.root;
  return isChangedHere ? stays.changed : undefined;
}

/** A place that an earlier run read and this one did not may still have the row. */
function isReadWhole(
  kind: FollowedKind,
  parts: Readonly<Partial<Record<FollowedKind, readonly string[]>>>,
  stored: StoredReach,
): boolean {
  const read = parts[kind];
  const before = stored.get(kind);
  // An earlier version did not note where channels came from.
  if (read === undefined || before === undefined) return read !== undefined && kind !== "channel";
  return before.every((part) => read.includes(part));
}

async function findRefusal(
  run: ImportRun,
  { gone, carried, isCutOver }: Pick<FoundDeletions, "gone" | "carried"> & { isCutOver: boolean },
): Promise<Loss | undefined> {
  const counts = [...gone].flatMap(([kind, rows]): [FollowedKind, number][] => [
    [kind, rows.length],
  ]);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  if (isCutOver) return buildSourceLoss(run, "deletions_after_cut_over", ...counts);
  if (!(await isSameSource(run))) return buildSourceLoss(run, "deletions_not_proved", ...counts);
  const isMuch = counts.some(
    ([kind, count]) =>
      count > Math.max(rowsUnasked, Math.floor((carried.get(kind) ?? 0) * shareUnasked)),
  );
  if (!isMuch || run.followedDeletions === total) return undefined;
  return { ...buildSourceLoss(run, "deletions_too_many", ...counts), field: String(total) };
}

/**
 * The rows of another site have the same small numbers and other keys. A key may have been renewed
 * here.
 */
async function isSameSource(run: ImportRun): Promise<boolean> {
  const { witnesses, confirmedUsers } = run.seen.presence;
  const { same, other } = await compareWitnesses(run, [...witnesses.token, ...witnesses.code]);
  return same + confirmedUsers > other;
}

interface DisabledRow extends ImportRow {
  row: CarriedRow;
}

/** The chain of the audit trail is locked last, after all rows. */
function planDisablingWrites(
  { db, imported, now, actor, sourceName }: ImportRun,
  disabled: readonly DisabledRow[],
): Write[] {
  const statuses = disabled.flatMap(({ row }) => {
    const { kind, sourceId, ourId, state, status, updatedAt } = row;
    const at = Math.max(now, updatedAt + 1);
    return [
      planStatusWrite(db, row, { status: computeDisabledStatus(kind), at }),
      imported.put(kind, sourceId, ourId, { ...state, gone: status, updatedAt: at }),
    ];
  });
  const audits = disabled.flatMap(({ row: { kind, sourceId, uuid, name } }) =>
    db.audit({
      at: now,
      actorId: actor.id,
      address: actor.address,
      action: "import.disable" satisfies AuditAction,
      target: uuid,
      change: { source: sourceName, kind, source_id: sourceId, name },
    }),
  );
  return [...statuses, ...audits];
}

const buildRowLoss = (
  { kind, sourceId, name }: CarriedRow,
  reason: Loss["reason"],
  value = "",
): Loss => ({
  entity: kind,
  sourceId,
  name,
  field: "",
  reason,
  value,
});

const buildSourceLoss = (
  { sourceName }: ImportRun,
  reason: Loss["reason"],
  ...counts: readonly (readonly [FollowedKind, number])[]
): Loss => ({
  entity: "source",
  sourceId: sourceName,
  name: "",
  field: "",
  reason,
  value: counts.map(([kind, count]) => `${count} of ${kind}`).join(", "),
});
