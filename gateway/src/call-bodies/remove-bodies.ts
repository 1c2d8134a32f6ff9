/**
 * The scheduled removal of kept contents: of keys and users that are deleted, and of calls that are
 * older than the setting keeps. A body is unreadable as soon as its row has no key; its object goes
 * after that.
 */
import type { OptionReader } from "../settings/live-options.ts";
import { type Database, tryWrite } from "../storage/database.ts";
import { type BodyObjects, formatBodyObjectName } from "./body-objects.ts";
import type { BodyStore } from "./body-store.ts";

/** The interval between runs, over all nodes. */
const everyMs = 60_000;
const dayMs = 86_400_000;
const batchSize = 500;
/** `batchesMax` is that of one run: the next one continues. */
const batchesMax = 40;
const removedAtOnceMax = 8;

export interface RemoveBodiesDeps {
  db: Database;
  store: BodyStore;
  /** Undefined where nothing is kept any more: then objects stay, and nothing can read them. */
  objects: BodyObjects | undefined;
  options: Pick<OptionReader, "number">;
  /** Stops the work between two steps. */
  signal: AbortSignal;
}

export async function removeBodies(deps: RemoveBodiesDeps, now: number): Promise<void> {
  if (!(await claimRun(deps.db, now))) return;
  await eraseDue(deps, now);
  for (let batch = 0; batch < batchesMax && !deps.signal.aborted; batch += 1) {
    if (!(await removeErased(deps))) return;
  }
}

async function eraseDue(
  { db, store, options, signal }: RemoveBodiesDeps,
  now: number,
): Promise<void> {
  const days = options.number("BodyRetentionDays");
  const cutoff = days > 0 ? now - days * dayMs : 0;
  const erasing = [
    () => store.eraseBefore(cutoff, batchSize),
    ...(await store.deletedTokens(batchSize)).map((id) => () => store.eraseOfToken(id, batchSize)),
  ];
  let batches = 0;
  for (const next of erasing) {
    for (let affected = batchSize; affected === batchSize && batches < batchesMax; batches += 1) {
      if (signal.aborted) return;
      const [result] = await db.write([next()]);
      affected = result?.affected ?? 0;
    }
  }
}

/** Answers whether there may be more. */
async function removeErased({ db, store, objects }: RemoveBodiesDeps): Promise<boolean> {
  if (!objects) return false;
  const rows = await store.erased(batchSize);
  const waiting = [...rows];
  const removed: number[] = [];
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (let row = waiting.shift(); row; row = waiting.shift()) {
      try {
        await objects.remove(formatBodyObjectName(row.id, row.created_at));
        removed.push(row.id);
      } catch (error) {
        // The place does not answer: the others would fail too.
        failures.push(error);
        waiting.length = 0;
      }
    }
  };
  await Promise.all(Array.from({ length: removedAtOnceMax }, worker));
  if (removed.length > 0) await db.write([store.forget(removed)]);
  if (failures.length > 0) throw failures[0];
  return rows.length === batchSize;
}

/** Several nodes may wake up at once: the node that moves the due date does the work. */
async function claimRun(db: Database, now: number): Promise<boolean> {
  const due = db.sql
    .updateTable("chores")
    .set({ due_at: now + everyMs })
    .where("name", "=", "call bodies")
    .where("due_at", "<=", now);
  return (await tryWrite(db, [{ query: due, rows: 1 }])) === undefined;
}
