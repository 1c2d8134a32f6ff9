/**
 * The writer thread runs every write to the SQLite file, except single holds
 * (sqlite-inline-holds.ts). All waiting requests share one transaction, so a hundred calls share
 * one fsync; each request still succeeds or fails alone.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { configureSqlite } from "./sqlite-connection.ts";
import { createSqliteMoney } from "./sqlite-money.ts";
import {
  classifyFailure,
  type SqliteFailure,
  type SqliteReply,
  type SqliteThreadData,
  type WriterRequest,
  type WriteStatement,
} from "./sqlite-protocol.ts";

/** A larger transaction would delay its first request for too long. */
const batchMax = 512;
const statementsMax = 500;
/**
 * `lossAcceptable` may be lost by a crash of the machine, because the calls are lost too. All other
 * writes are synced.
 */
const lossAcceptable: ReadonlySet<string> = new Set([
  "hold",
  "top_up_hold",
  "enter_channel",
  "leave_pool",
  "progress",
]);

if (parentPort) serve(parentPort, workerData as SqliteThreadData);

function serve(
  port: NonNullable<typeof parentPort>,
  { file, node, hasLittleMemory }: SqliteThreadData,
): void {
  const db = configureSqlite(new DatabaseSync(file), hasLittleMemory);
  const money = createSqliteMoney(db, node);
  const prepared = new Map<string, StatementSync>();
  const synchronous = {
    NORMAL: db.prepare("pragma synchronous = NORMAL"),
    FULL: db.prepare("pragma synchronous = FULL"),
  };
  let mode: keyof typeof synchronous | undefined;

  port.on("message", (message: WriterRequest[] | "close") => {
    let next: WriterRequest[] | "close" | undefined = message;
    const queued: WriterRequest[] = [];
    while (next !== undefined && next !== "close") {
      queued.push(...next);
      if (queued.length >= batchMax) break;
      next = receiveMessageOnPort(port)?.message as WriterRequest[] | "close" | undefined;
    }
    if (queued.length > 0)
      port.postMessage(runBatch(queued) ?? queued.map((request) => runAlone(request)));
    if (next === "close") {
      db.close();
      port.close();
    }
  });

  /**
   * `runBatch` gives one transaction for all requests; undefined when one of them threw and
   * everything was rolled back.
   */
  function runBatch(requests: WriterRequest[]): SqliteReply[] | undefined {
    try {
      begin(requests);
    } catch (error) {
      rollback();
      // Another process has locked the file. It would be locked for each request alone too, so none
      // of them waits again.
      return requests.map(([sequence]) => [sequence, classifyFailure(error), null]);
    }
    try {
      const replies = requests.map(([sequence, work]): SqliteReply => {
        if (!Array.isArray(work)) return [sequence, null, money.run(work)];
        money.flushBudgets();
        return runInSavepoint(sequence, work);
      });
      commit();
      return replies;
    } catch {
      rollback();
      return undefined;
    }
  }

  function runAlone(request: WriterRequest): SqliteReply {
    const [sequence, work] = request;
    try {
      begin([request]);
      const value = Array.isArray(work) ? writeAll(work) : money.run(work);
      commit();
      return [sequence, null, value];
    } catch (error) {
      rollback();
      return [sequence, readFailure(error), null];
    }
  }

  /** A statement batch inside the shared transaction, rolled back alone when it fails. */
  function runInSavepoint(sequence: number, work: WriteStatement[]): SqliteReply {
    db.exec("savepoint batch");
    try {
      const value = writeAll(work);
      db.exec("release batch");
      return [sequence, null, value];
    } catch (error) {
      const failure = readFailure(error);
      // Out of space or locked: the state of the transaction is unknown, so every request runs
      // again alone.
      if (failure.kind === "unavailable") throw error;
      db.exec("rollback to batch; release batch");
      return [sequence, failure, null];
    }
  }

  function writeAll(work: WriteStatement[]): { affected: number; rows: unknown[] }[] {
    const results = work.map(([sql, parameters, expected], index) => {
      try {
        const statement = statementFor(sql);
        const rows = statement.columns().length > 0 ? statement.all(...parameters) : null;
        const affected = rows ? rows.length : Number(statement.run(...parameters).changes);
        if (expected !== null && affected !== expected) throw new RowCountMismatch();
        return { affected, rows: rows ?? [] };
      } catch (cause) {
        throw new FailedStatement(index, cause);
      }
    });
    // What is counted outlives a rollback of the savepoint, so nothing may fail after it.
    for (const [, , , counted] of work) if (counted) money.count(counted);
    return results;
  }

  function statementFor(sql: string): StatementSync {
    let statement = prepared.get(sql);
    if (!statement) {
      if (prepared.size >= statementsMax) prepared.clear();
      statement = db.prepare(sql);
      prepared.set(sql, statement);
    }
    return statement;
  }

  function begin(requests: WriterRequest[]): void {
    const isLossAcceptable = requests.every(
      ([, work]) => !Array.isArray(work) && lossAcceptable.has(work.verb),
    );
    const wantedMode = isLossAcceptable ? "NORMAL" : "FULL";
    if (mode !== wantedMode) {
      synchronous[wantedMode].run();
      mode = wantedMode;
    }
    db.exec("begin immediate");
  }

  function commit(): void {
    money.flush();
    db.exec("commit");
  }

  function rollback(): void {
    money.discard();
    if (db.isTransaction) db.exec("rollback");
  }
}

class RowCountMismatch extends Error {}

/** `FailedStatement` says which statement of a batch failed. */
class FailedStatement extends Error {
  readonly index: number;
  constructor(index: number, cause: unknown) {
    super("a statement of a batch failed", { cause });
    this.index = index;
  }
}

function readFailure(error: unknown): SqliteFailure {
  if (!(error instanceof FailedStatement)) return classifyFailure(error);
  if (error.cause instanceof RowCountMismatch) return { kind: "missed", statement: error.index };
  const failure = classifyFailure(error.cause);
  return failure.kind === "conflict" ? { ...failure, statement: error.index } : failure;
}
