/**
 * Removes old log rows or traces: whole months where the database has partitions, the rest in small
 * steps.
 */
import { setTimeout as wait } from "node:timers/promises";
import type { Database } from "../../storage/database.ts";
import type { LogStore } from "./log-store.ts";

export interface RemovedRows {
  rows: number;
  /** The charges of the removed rows. */
  quota: number;
}

/** Pause between two steps, so that running calls get most of the writer's time. */
const pauseMs = 10;

export async function removeOldRows(
  db: Database,
  logs: LogStore,
  table: "logs" | "traces",
  before: number,
  signal?: AbortSignal,
): Promise<RemovedRows> {
  const removed = await db.dropMonthsBefore(table, before);
  while (!signal?.aborted) {
    const [step] = await db.write([logs.removeSome(table, before)]);
    if (!step || step.affected === 0) break;
    removed.rows += step.affected;
    for (const { quota } of step.rows as { quota?: number }[]) removed.quota += quota ?? 0;
    await wait(pauseMs);
  }
  return removed;
}
