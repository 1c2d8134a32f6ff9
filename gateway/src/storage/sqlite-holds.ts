/**
 * Holds on the main thread's own connection, while the writer thread rests: a hold writes three small rows and waits for no
 * disk, and the way to the thread and back takes twice as long as that. docs/decisions/0019-holds-on-the-main-thread.md
 */
import { DatabaseSync } from "node:sqlite";
import type { Hold } from "./money-commands.ts";
import { openSqliteConnection } from "./sqlite-connection.ts";
import { sqliteMoney } from "./sqlite-money.ts";

/** A hold that took longer than this met a disk that holds its writers up; the thread can wait for it better. */
const slowMs = 20;
const restMs = 10_000;

export interface HoldsHere {
  /** The answer of the verb; undefined when nothing was done and the writer thread has to be asked. */
  hold(command: Hold): string | undefined;
  close(): void;
}

export function holdsHere(file: string, node: number, clock: () => number = () => performance.now()): HoldsHere {
  const db = openSqliteConnection(new DatabaseSync(file));
  // Whoever has the file now may have it for long, and copying the log into the file waits for the disk: both are the writer's.
  db.exec("pragma busy_timeout = 0; pragma wal_autocheckpoint = 0; pragma synchronous = NORMAL");
  const money = sqliteMoney(db, node);
  const begin = db.prepare("begin immediate");
  const commit = db.prepare("commit");
  let restsUntil = Number.NEGATIVE_INFINITY;
  /** One of a turn of the event loop: what else comes in it goes to the thread together. */
  let hadTurn = false;

  function carryOut(command: Hold): string | undefined {
    try {
      begin.run();
      const answer = money.run(command);
      commit.run();
      return answer;
    } catch {
      // The thread meets the same trouble and says what it is.
      if (db.isTransaction) db.exec("rollback");
      return undefined;
    }
  }

  return {
    hold(command) {
      const startedAt = clock();
      if (hadTurn || startedAt < restsUntil) return undefined;
      hadTurn = true;
      setImmediate(() => {
        hadTurn = false;
      });
      const answer = carryOut(command);
      const endedAt = clock();
      if (endedAt - startedAt > slowMs) restsUntil = endedAt + restMs;
      return answer;
    },
    close: () => db.close(),
  };
}
