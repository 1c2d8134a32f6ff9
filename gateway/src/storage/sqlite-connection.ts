import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";

const lockWaitMs = 5_000;

/** Settings that every connection to the SQLite file shares. */
export function configureSqlite(db: DatabaseSync): DatabaseSync {
  db.exec(`pragma busy_timeout = ${lockWaitMs}; pragma journal_mode = WAL; pragma foreign_keys = ON`);
  db.exec("pragma cache_size = -32000; pragma temp_store = MEMORY; pragma mmap_size = 268435456");
  db.function("tollgate_sha256", { deterministic: true }, (text) =>
    createHash("sha256").update(String(text)).digest("hex"),
  );
  return db;
}
