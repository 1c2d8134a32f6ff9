/**
 * Holds on the main thread's own connection, while the writer thread rests: a hold writes three small rows and waits for no
 * disk, and the way to the thread and back takes twice as long as that. docs/decisions/0019-holds-on-the-main-thread.md
 */
import { DatabaseSync } from "node:sqlite";
import type { HoldCommand } from "./money-commands.ts";
import { configureSqlite } from "./sqlite-connection.ts";
import { createSqliteMoney } from "./sqlite-money.ts";

/** A hold that took longer than this met a disk that holds its writers up; the thread can wait for it better. */
const slowMs = 20;
const pauseMs = 10_000;

export interface InlineHolds {
  /** The answer of the verb; undefined when nothing was done and the writer thread has to be asked. */
  hold(command: HoldCommand): string | undefined;
  close(): void;
}

export function openInlineHolds(
  file: string,
  node: number,
  clock: () => number = () => performance.now(),
): InlineHolds {
  const db = configureSqlite(new DatabaseSync(file));
  // Whoever has the file now may have it for long, and copying the log into the file waits for the disk: both are the writer's.
  db.exec("pragma busy_timeout = 0; pragma wal_autocheckpoint = 0; pragma synchronous = NORMAL");
  const money = createSqliteMoney(db, node);
  const begin = db.prepare("begin immediate");
  const commit = db.prepare("commit");
  let pausedUntil = Number.NEGATIVE_INFINITY;
  /** One of a turn of the event loop: what else comes in it goes to the thread together. */
  let hasRunThisTick = false;

  function runHold(command: HoldCommand): string | undefined {
    try {
      begin.run();
      const result = money.run(command);
      commit.run();
      return result;
    } catch {
      // The thread meets the same trouble and says what it is.
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
