import { createHash } from "node:crypto";
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql as template,
} from "kysely";
import type pg from "pg";
import { appendAudit } from "./audit-chain.ts";
import { createChangeListeners } from "./change-listeners.ts";
import { createCommandBatches } from "./command-batches.ts";
import {
  type ChangeTopic,
  Conflict,
  type Database,
  RejectedWrite,
  reported,
  StaleWrite,
  StorageUnavailable,
  silentObserver,
  type Write,
  type WriteResult,
} from "./database.ts";
import { clockSpansQuery, createIdClock } from "./id-clock.ts";
import type { HoldCommand, MoneyCommand, MoneyResult, SettleCommand } from "./money-commands.ts";
import { openPool, type PostgresAccess } from "./postgres-connections.ts";
import {
  type MoneyQuery,
  planHoldsQuery,
  planMoneyQuery,
  planSettlesQuery,
  queueUntimed,
  readMoneyResult,
} from "./postgres-money.ts";
import { leaseNode } from "./postgres-node.ts";
import { dropPartitions, ensurePartitions } from "./postgres-partitions.ts";
import { findPoolerError, requireSessions } from "./postgres-pooler.ts";
import { watchVersions } from "./postgres-versions.ts";
import { buildReplicaServers, createReplicaWatch, readWhileFresh } from "./read-replica.ts";
import { callRollupFolds } from "./rollups.ts";
import { runEvery } from "./run-every.ts";
import type { DatabaseSchema } from "./schema.ts";
import { type ClockJump, watchMachineClock } from "./steady-clock.ts";
import type { ClockSpanRow } from "./tables/record-tables.ts";
import { newestIdQuery } from "./time-ids.ts";

const foldEveryMs = 1_000;
const checkReplicaEveryMs = 1_000;
const partitionsEveryMs = 6 * 3_600_000;
const attemptsMax = 6;
/**
 * Longer lists of values are seldom as long again, and the plan of a named statement stays what
 * suited the table when it was small.
 */
const namedParametersMax = 64;
/** A server that answers later than this gets several batches at once. */
const patienceMs = 10;
/** Clients wait for holds, but for no settlement: it comes after the whole answer. */
const holdBatches = { delayMs: 0, sizeMax: 64, inFlightMax: 4, patienceMs };
const settleBatches = { delayMs: 4, sizeMax: 64, inFlightMax: 4, patienceMs };

const composer = new Kysely<DatabaseSchema>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/**
 * The database must already have the current schema. `onError` receives errors of background work;
 * `onFatal` ends this process.
 */
export async function openPostgres(
  access: PostgresAccess,
  onError: (error: Error) => void,
  onFatal: (error: Error) => void,
  onClockJump: (jump: ClockJump) => void = () => undefined,
): Promise<Database> {
  const pool = openPool(access, onError);
  const changes = createChangeListeners(onError);
  let observer = silentObserver;

  if (!access.isPooled)
    await requireSessions(pool).catch((error: unknown) => Promise.reject(buildStorageError(error)));
  await ensurePartitions(pool, Date.now());
  const lease = await leaseNode(pool, onError, onFatal);
  const newest = await pool.query<{ id: number }>(newestIdQuery);
  const versions = await watchVersions(pool, access.listenUrl, changes.tell, onError);
  const jobs = [
    runEvery(foldEveryMs, () => pool.query(`select ${callRollupFolds.join(", ")}`), onError),
    runEvery(partitionsEveryMs, () => ensurePartitions(pool, Date.now()), onError),
  ];

  async function run<Row extends pg.QueryResultRow>(
    sql: string,
    parameters: readonly unknown[],
    server = pool,
  ): Promise<pg.QueryResult<Row>> {
    const isNamed = !access.isPooled && parameters.length <= namedParametersMax;
    const name = isNamed ? formatStatementName(sql) : undefined;
    return await server.query<Row>({ ...(name && { name }), text: sql, values: [...parameters] });
  }

  const readFrom =
    (server: pg.Pool): Database["read"] =>
    async <Row>(query: { compile(): { sql: string; parameters: readonly unknown[] } }) => {
      const { sql, parameters } = query.compile();
      const { rows } = await reported(
        observer,
        "read",
        () => run(sql, parameters, server),
        buildStorageError,
      );
      return rows as Row[];
    };
  const read = readFrom(pool);

  async function openReplica(databaseUrl: string) {
    const standby = openPool({ ...access, databaseUrl }, onError);
    const watch = createReplicaWatch(buildReplicaServers(pool, standby, lease), Date.now, onError);
    await watch.check();
    const stop = runEvery(checkReplicaEveryMs, watch.check, onError);
    return {
      read: readWhileFresh(watch, readFrom(standby), read, () => observer),
      lagMs: watch.lagMs,
      async close() {
        await stop();
        await standby.end();
      },
    };
  }
  const replica = access.readUrl === undefined ? undefined : await openReplica(access.readUrl);

  // Every verb is idempotent by its id, so a command whose outcome was lost with the connection is
  // sent again.
  const runAlone = (command: MoneyCommand, isRepeated: boolean): Promise<string | number> =>
    runWithRetry(async (attempt) => {
      const [sql, parameters] = planMoneyQuery(command, lease.node, isRepeated || attempt > 0);
      const { rows } = await run<{ result: string }>(sql, parameters);
      return readMoneyResult(rows[0]?.result ?? "noted");
    }, true);
  const runTogether = <Command>(
    commands: readonly Command[],
    queryOf: (commands: readonly Command[], isRepeated: boolean) => MoneyQuery,
  ): Promise<(string | number)[]> =>
    runWithRetry(async (attempt) => {
      const [sql, parameters] = queryOf(commands, attempt > 0);
      const { rows } = await run<{ place: number; result: string }>(sql, parameters);
      return rows
        .sort((one, other) => one.place - other.place)
        .map(({ result }) => readMoneyResult(result));
    }, true);
  const hold = createCommandBatches({
    ...holdBatches,
    runAlone,
    runTogether: (commands: readonly HoldCommand[]) =>
      runTogether(commands, (all, isRepeated) => planHoldsQuery(all, lease.node, isRepeated)),
  });
  const settle = createCommandBatches({
    ...settleBatches,
    runAlone,
    runTogether: (commands: readonly SettleCommand[]) => runTogether(commands, planSettlesQuery),
  });

  const clock = watchMachineClock({
    onJump: onClockJump,
    async askServer() {
      const { rows } = await pool.query<{ now: number }>(
        "select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now",
      );
      return Number(rows[0]?.now);
    },
  });
  const spans = await pool.query<ClockSpanRow>(clockSpansQuery);
  const { mintId, slowIds } = createIdClock(lease.node, {
    newest: newest.rows[0]?.id ?? 0,
    spans: spans.rows,
    now: clock.now,
  });

  return {
    dialect: "postgres",
    node: lease.node,
    mintId,
    newestIdAt: mintId.newestAt,
    slowIds,
    sql: composer,
    read,
    replica,
    async write(batch, { changes: topics = [] } = {}) {
      const results = await reported(observer, "write", () =>
        runWithRetry(() => runTransaction(pool, batch, topics)),
      );
      await changes.tell(topics);
      return results;
    },
    async money<Command extends MoneyCommand>(command: Command) {
      const moneyCommand: MoneyCommand = command;
      // One that counts for budgets goes alone: in a batch it would hold their counters while it
      // waits for further wallets.
      const runOne = () => {
        if (moneyCommand.verb === "hold" && !moneyCommand.budgets) return hold(moneyCommand);
        if (moneyCommand.verb === "settle" && !moneyCommand.hasBudgets) return settle(moneyCommand);
        return runAlone(moneyCommand, false);
      };
      return (await reported<unknown>(observer, moneyCommand.verb, runOne)) as MoneyResult<Command>;
    },
    dropMonthsBefore: (table, before) => dropPartitions(pool, table, before),
    audit: (entry) => {
      // The chain has one end, so writers append one after another.
      const lock = template`lock table audit_entries in share row exclusive mode`;
      return appendAudit(composer, entry, { query: { compile: () => lock.compile(composer) } });
    },
    onChange: changes.add,
    observe(given) {
      observer = given;
    },
    isWritable: () => true,
    load: () => ({
      active: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    async close() {
      clock.stop();
      for (const stop of jobs) await stop();
      await replica?.close();
      await versions.stop();
      await lease.stop();
      await pool.end();
    },
  };
}

async function runTransaction(
  pool: pg.Pool,
  batch: Parameters<Database["write"]>[0],
  topics: readonly ChangeTopic[],
): Promise<WriteResult[]> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query("begin");
    const results: WriteResult[] = [];
    for (const [index, statement] of batch.entries()) {
      const { sql, parameters } = statement.query.compile();
      const { rowCount, rows } = await client
        .query({ text: sql, values: [...parameters] })
        .catch((error: unknown) => Promise.reject(findConflict(error, statement) ?? error));
      if (statement.rows !== undefined && rowCount !== statement.rows)
        throw new StaleWrite(index, statement);
      results.push({ affected: rowCount ?? 0, rows });
      if (statement.counts) await client.query(queueUntimed(statement.counts));
    }
    for (const topic of topics) {
      await client.query("update versions set version = version + 1 where topic = $1", [topic]);
      await client.query("select pg_notify('tollgate', $1)", [topic]);
    }
    await client.query("commit");
    return results;
  } catch (error) {
    if (isConnectionLost(error)) broken = error as Error;
    else {
      await client.query("rollback").catch((cause: Error) => {
        broken = cause;
      });
    }
    throw error;
  } finally {
    client.release(broken);
  }
}

/**
 * Codes of failures after which nothing is written: serialization, deadlock, and no connection left
 * (`too_many_connections`).
 */
const failuresWithoutEffect = ["40001", "40P01", "53300"];
const connectionLost = /^(08|57P0|53300)|ECONN|EPIPE|terminated|timeout|closed|ended|not queryable/;

const isConnectionLost = (error: unknown): boolean => {
  const { code = "", message = "" } = error as { code?: string; message?: string };
  return connectionLost.test(code) || connectionLost.test(message);
};

/**
 * Retries failures without effect, with jitter; `isIdempotent` also retries after a lost
 * connection.
 */
async function runWithRetry<Result>(
  work: (attempt: number) => Promise<Result>,
  isIdempotent = false,
): Promise<Result> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      const code = (error as { code?: string }).code ?? "";
      if (findPoolerError(error)) throw buildStorageError(error);
      const repeatable =
        failuresWithoutEffect.includes(code) || (isIdempotent && isConnectionLost(error));
      if (!repeatable || attempt >= attemptsMax) throw buildStorageError(error);
      await new Promise((resolve) =>
        setTimeout(resolve, (0.5 + Math.random()) * 2 ** attempt * 10),
      );
    }
  }
}

function buildStorageError(error: unknown): unknown {
  if (error instanceof RejectedWrite) return error;
  const conflict = findConflict(error);
  if (conflict) return conflict;
  const unnamedPooler = findPoolerError(error);
  if (unnamedPooler) return unnamedPooler;
  return isConnectionLost(error) ? new StorageUnavailable((error as Error).message) : error;
}

const uniqueViolation = "23505";

function findConflict(error: unknown, statement?: Write): Conflict | undefined {
  const { code, constraint = "" } = error as { code?: string; constraint?: string };
  return code === uniqueViolation
    ? new Conflict(constraint.replace(/_(key|pkey)$/, ""), statement)
    : undefined;
}

const statementNames = new Map<string, string>();
/** A short name under which the server caches the prepared statement. */
function formatStatementName(sql: string): string {
  let name = statementNames.get(sql);
  if (!name) {
    name = createHash("sha256").update(sql).digest("base64url").slice(0, 24);
    if (statementNames.size > 2_000) statementNames.clear();
    statementNames.set(sql, name);
  }
  return name;
}
