import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import {
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { appendAudit } from "./audit-chain.ts";
import { createChangeListeners } from "./change-listeners.ts";
import {
  Conflict,
  type Database,
  reportEnd,
  reported,
  StaleWrite,
  StorageUnavailable,
  silentObserver,
  type Write,
  type WriteResult,
} from "./database.ts";
import { clockSpansQuery, createIdClock } from "./id-clock.ts";
import type { MoneyCommand, MoneyResult } from "./money-commands.ts";
import { packLog } from "./packed-log.ts";
import type { DatabaseSchema } from "./schema.ts";
import { openInlineHolds } from "./sqlite-inline-holds.ts";
import type { MoneyWork, WriteStatement } from "./sqlite-protocol.ts";
import { RejectedStatement, startSqliteThread } from "./sqlite-thread.ts";
import { type ClockJump, watchMachineClock } from "./steady-clock.ts";
import type { ClockSpanRow } from "./tables/record-tables.ts";
import { newestIdQuery } from "./time-ids.ts";
import { watchWrites } from "./write-health.ts";

export const lockFile = "tollgate.lock";

/**
 * `lockDataDir` gives one process owns the file: it alone mints ids and sweeps reservations, so a
 * second process must not start.
 */
export function lockDataDir(dataDir: string): () => void {
  const lock = new DatabaseSync(join(dataDir, lockFile));
  try {
    lock.exec("pragma locking_mode = EXCLUSIVE; begin exclusive");
  } catch {
    lock.close();
    throw new StorageUnavailable(
      `another Tollgate is running on ${dataDir}; stop it or set DATA_DIR`,
    );
  }
  return () => lock.close();
}

/** `sqliteComposer` writes the text of statements; nothing runs through it. */
export const sqliteComposer = new Kysely<DatabaseSchema>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

/** `file` must already have the current schema. `hasLittleMemory`: see sqlite-connection.ts. */
export async function openSqlite(
  file: string,
  onError: (error: Error) => void,
  onFatal: (error: Error) => void,
  {
    hasLittleMemory = false,
    onClockJump,
  }: { hasLittleMemory?: boolean | undefined; onClockJump(jump: ClockJump): void },
): Promise<Database> {
  const node = 0;
  const writer = startSqliteThread<[MoneyWork | WriteStatement[]]>(
    new URL("./sqlite-writer.ts", import.meta.url),
    { file, node, hasLittleMemory },
    onFatal,
    { batches: true },
  );
  const reader = startSqliteThread<[string, SQLInputValue[]]>(
    new URL("./sqlite-reader.ts", import.meta.url),
    { file, node, hasLittleMemory },
    onFatal,
    { batches: false },
  );
  const inlineHolds = openInlineHolds(file, node);
  let observer = silentObserver;
  const probe = sqliteComposer
    .insertInto("chores")
    .values({ name: "write probe", due_at: 0 })
    .onConflict((row) =>
      row.column("name").doUpdateSet({ due_at: ({ eb }) => eb("chores.due_at", "+", 1) }),
    )
    .compile();
  const writes = watchWrites(() =>
    writer.call([[probe.sql, probe.parameters as SQLInputValue[], null]]),
  );
  const noteRejection = (error: unknown, batch: readonly Write[]): unknown => {
    const rejection = buildRejection(error, batch);
    writes.noteEnd(rejection);
    return rejection;
  };
  const changes = createChangeListeners(onError);

  const newest = (await reader.call(newestIdQuery, [])) as { id: number }[];

  const clock = watchMachineClock({ onJump: onClockJump });
  const spans = (await reader.call(clockSpansQuery, [])) as ClockSpanRow[];
  const { mintId, slowIds } = createIdClock(node, {
    newest: newest[0]?.id ?? 0,
    spans,
    now: clock.now,
  });

  return {
    dialect: "sqlite",
    node,
    mintId,
    newestIdAt: mintId.newestAt,
    slowIds,
    sql: sqliteComposer,
    async read<Row>(query: { compile(): { sql: string; parameters: readonly unknown[] } }) {
      const { sql, parameters } = query.compile();
      return (await reported(observer, "read", () =>
        reader.call(sql, parameters as SQLInputValue[]),
      )) as Row[];
    },
    async write(batch, { changes: topics = [] } = {}) {
      const statements = batch.map(({ query, rows, counts }): WriteStatement => {
        const { sql, parameters } = query.compile();
        const statement: WriteStatement = [sql, parameters as SQLInputValue[], rows ?? null];
        if (counts) statement.push(packLog(counts));
        return statement;
      });
      const write = () => writer.call(statements);
      const results = await reported(observer, "write", write, (error) =>
        noteRejection(error, batch),
      );
      writes.noteEnd();
      await changes.tell(topics);
      return results as WriteResult[];
    },
    async money<Command extends MoneyCommand>(command: Command) {
      // A client waits for the hold, but not for the settlement: that comes after the whole reply.
      const moneyCommand: MoneyCommand = command;
      const beganAt = performance.now();
      const held =
        moneyCommand.verb === "hold" && writer.isIdle()
          ? inlineHolds.hold(moneyCommand)
          : undefined;
      if (held !== undefined) {
        reportEnd(observer, "hold", beganAt);
        writes.noteEnd();
        return held as MoneyResult<Command>;
      }
      const isEnding = moneyCommand.verb === "settle" || moneyCommand.verb === "release";
      const work: MoneyWork =
        moneyCommand.verb === "settle"
          ? { ...moneyCommand, log: packLog(moneyCommand.log) }
          : moneyCommand;
      const run = () => (isEnding ? writer.enqueue(work) : writer.call(work));
      const result = await reported<unknown>(observer, moneyCommand.verb, run, (error) =>
        noteRejection(error, []),
      );
      writes.noteEnd();
      return result as MoneyResult<Command>;
    },
    replica: undefined,
    dropMonthsBefore: async () => ({ rows: 0, quota: 0 }),
    audit: (entry) => appendAudit(sqliteComposer, entry),
    onChange: changes.add,
    observe(given) {
      observer = given;
    },
    load() {
      const loads = [writer.load(), reader.load()];
      const sum = (of: "active" | "waiting"): number =>
        loads.reduce((total, one) => total + one[of], 0);
      return { active: sum("active"), idle: 0, waiting: sum("waiting") };
    },
    isWritable: writes.isWritable,
    async close() {
      clock.stop();
      writes.stop();
      inlineHolds.close();
      await writer.close();
      await reader.close();
    },
  };
}

function buildRejection(error: unknown, batch: readonly Write[]): unknown {
  if (!(error instanceof RejectedStatement)) return error;
  const { failure } = error;
  const statement = failure.statement === undefined ? undefined : batch[failure.statement];
  return failure.kind === "missed"
    ? new StaleWrite(failure.statement, statement)
    : new Conflict(failure.constraint, statement);
}
