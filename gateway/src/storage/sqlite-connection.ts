import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";

const lockWaitMs = 5_000;

/** `usualMemory` is for a gateway, whose reads are spread over all of the file. */
const usualMemory =
  "pragma cache_size = -32000; pragma temp_store = MEMORY; pragma mmap_size = 268435456";
/**
 * `littleMemory` is that of a command that passes through the file once: pages that it has left
 * behind would only count as its memory.
 */
const littleMemory = "pragma cache_size = -4000; pragma temp_store = FILE; pragma mmap_size = 0";

/** Settings that every connection to the SQLite file shares. */
export function configureSqlite(db: DatabaseSync, hasLittleMemory = false): DatabaseSync {
  db.exec(
    `pragma busy_timeout = ${lockWaitMs}; pragma journal_mode = WAL; pragma foreign_keys = ON`,
  );
  return configureSqliteMemory(db, hasLittleMemory);
}

/** `configureSqliteMemory` leaves the file as it is, and so is for one that is only read. */
export function configureSqliteMemory(db: DatabaseSync, hasLittleMemory: boolean): DatabaseSync {
  db.exec(hasLittleMemory ? littleMemory : usualMemory);
  db.function("tollgate_sha256", { deterministic: true }, (text) =>
    createHash("sha256").update(String(text)).digest("hex"),
  );
  return db;
}
