/**
 * Runs holds on the main thread's own connection while the writer thread is idle: a hold writes
 * three small rows and does not wait for the disk, and the message to the thread and back takes
 * twice as long. docs/decisions/0019-holds-on-the-main-thread.md
 */
import { DatabaseSync } from "node:sqlite";
import type { HoldCommand } from "./money-commands.ts";
import { configureSqlite } from "./sqlite-connection.ts";
import { createSqliteMoney } from "./sqlite-money.ts";

/**
 * After a hold that took longer, the disk is slow and the writer thread takes over, so that the
 * main thread does not block.
 */
const slowMs = 20;
const pauseMs = 10_000;

export interface InlineHolds {
  /**
   * The result of the command; undefined when nothing was done and the writer thread must run it.
   */
  hold(command: HoldCommand): string | number | undefined;
  close(): void;
}

export function openInlineHolds(
  file: string,
  node: number,
  clock: () => number = () => performance.now(),
): InlineHolds {
  const db = configureSqlite(new DatabaseSync(file));
  // Waiting for a lock and checkpointing the log could block for long: both are left to the writer
  // thread.
  db.exec("pragma busy_timeout = 0; pragma wal_autocheckpoint = 0; pragma synchronous = NORMAL");
  const money = createSqliteMoney(db, node);
  const begin = db.prepare("begin immediate");
  const commit = db.prepare("commit");
  let pausedUntil = Number.NEGATIVE_INFINITY;
  /**
   * `hasRunThisTick` is one hold per tick of the event loop: further holds go to the thread as one
   * batch.
   */
  let hasRunThisTick = false;

  function runHold(command: HoldCommand): string | number | undefined {
    try {
      begin.run();
      const result = money.run(command);
      money.flush();
      commit.run();
      return result;
    } catch {
      // The thread will meet the same error and report it.
      money.discard();
      if (db.isTransaction) db.exec("rollback");
      return undefined;
    }
  }

  return {
    hold(command) {
      const startedAt = clock();
      if (hasRunThisTick || startedAt < pausedUntil) return undefined;
      hasRunThisTick = true;
      setImmediate(() => {
        hasRunThisTick = false;
      });
      const result = runHold(command);
      const endedAt = clock();
      if (endedAt - startedAt > slowMs) pausedUntil = endedAt + pauseMs;
      return result;
    },
    close: () => db.close(),
  };
}
