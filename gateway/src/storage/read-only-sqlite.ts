/**
 * SQLite's file as a command reads it that writes nothing: without the lock of the data folder, so
 * that the gateway may run meanwhile, and without a thread, for nobody else waits.
 */
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { appendAudit } from "./audit-chain.ts";
import { type Database, StorageUnavailable } from "./database.ts";
import { createIdClock } from "./id-clock.ts";
import { readSqliteFile } from "./open-database.ts";
import { configureSqliteMemory } from "./sqlite-connection.ts";
import { sqliteComposer } from "./sqlite-database.ts";
import { classifyFailure } from "./sqlite-protocol.ts";

/** `lockWaitMs` is for the moment in which the gateway replaces its write-ahead log. */
const lockWaitMs = 5_000;

/** The file must have the current schema. Its ids are of no table: nothing is stored. */
export function openReadOnlySqlite(dataDir: string): Database {
  const file = new DatabaseSync(readSqliteFile(dataDir), { readOnly: true });
  file.exec(`pragma busy_timeout = ${lockWaitMs}; pragma query_only = ON`);
  configureSqliteMemory(file, true);
  const { mintId, slowIds } = createIdClock(0, { newest: 0, spans: [], now: Date.now });
  const refuseWrite = async (): Promise<never> => {
    throw new Error("this command opened the database for reading alone");
  };
  return {
    dialect: "sqlite",
    node: 0,
    mintId,
    newestIdAt: mintId.newestAt,
    slowIds,
    sql: sqliteComposer,
    async read<Row>(query: { compile(): { sql: string; parameters: readonly unknown[] } }) {
      const { sql, parameters } = query.compile();
      try {
        return file.prepare(sql).all(...(parameters as SQLInputValue[])) as Row[];
      } catch (error) {
        const failure = classifyFailure(error);
        throw failure.kind === "unavailable"
          ? new StorageUnavailable(failure.message, { cause: error })
          : error;
      }
    },
    replica: undefined,
    write: refuseWrite,
    money: refuseWrite,
    dropMonthsBefore: refuseWrite,
    audit: (entry) => appendAudit(sqliteComposer, entry),
    onChange: () => undefined,
    observe: () => undefined,
    load: () => ({ active: 0, idle: 0, waiting: 0 }),
    isWritable: () => false,
    async close() {
      file.close();
    },
  };
}
