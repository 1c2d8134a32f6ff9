/**
 * The writer thread: everything that changes the SQLite file, but for lone holds (sqlite-holds.ts). Everything that waits
 * goes into one transaction, so a hundred calls share one fsync; each call still stands or falls alone.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { openSqliteConnection } from "./sqlite-connection.ts";
import { sqliteMoney } from "./sqlite-money.ts";
import { type Answer, failureOf, type ThreadData, type WriterCall, type WriteStatement } from "./sqlite-protocol.ts";

/** More than this in one transaction would make the first caller wait for the last. */
const batchMax = 512;
const statementsMax = 500;

if (parentPort) serve(parentPort, workerData as ThreadData);

function serve(port: NonNullable<typeof parentPort>, { file, node }: ThreadData): void {
  const db = openSqliteConnection(new DatabaseSync(file));
  const money = sqliteMoney(db, node);
  const prepared = new Map<string, StatementSync>();
  const synchronous = {
    NORMAL: db.prepare("pragma synchronous = NORMAL"),
    FULL: db.prepare("pragma synchronous = FULL"),
  };
  let mode: keyof typeof synchronous | undefined;

  port.on("message", (message: WriterCall[] | "close") => {
    let next: WriterCall[] | "close" | undefined = message;
    const waiting: WriterCall[] = [];
    while (next !== undefined && next !== "close") {
      waiting.push(...next);
      if (waiting.length >= batchMax) break;
      next = receiveMessageOnPort(port)?.message as WriterCall[] | "close" | undefined;
    }
    if (waiting.length > 0) port.postMessage(together(waiting) ?? waiting.map((call) => alone(call)));
    if (next === "close") {
      db.close();
      port.close();
    }
  });

  /** One transaction for all; undefined when any of them threw and everything was undone. */
  function together(calls: WriterCall[]): Answer[] | undefined {
    try {
      begin(calls);
    } catch (error) {
      undo();
      // Another process holds the file, and holds it from each alone: nobody waits as often as there are others.
      return calls.map(([sequence]) => [sequence, failureOf(error), null]);
    }
    try {
      const answers = calls.map(([sequence, work]): Answer => {
        if (!Array.isArray(work)) return [sequence, null, money.run(work)];
        return apart(sequence, work);
      });
      commit();
      return answers;
    } catch {
      undo();
      return undefined;
    }
  }

  function alone(call: WriterCall): Answer {
    const [sequence, work] = call;
    try {
      begin([call]);
      const value = Array.isArray(work) ? writeAll(work) : money.run(work);
      commit();
      return [sequence, null, value];
    } catch (error) {
      undo();
      return [sequence, error instanceof Missed ? { kind: "missed", index: error.index } : failureOf(error), null];
    }
  }

  /** A statement batch inside the shared transaction, undone alone when it fails. */
  function apart(sequence: number, work: WriteStatement[]): Answer {
    db.exec("savepoint batch");
    try {
      const value = writeAll(work);
      db.exec("release batch");
      return [sequence, null, value];
    } catch (error) {
      const failure = error instanceof Missed ? ({ kind: "missed", index: error.index } as const) : failureOf(error);
      // Out of space or locked: the transaction itself is in doubt, so everybody goes again alone.
      if (failure.kind === "unavailable") throw error;
      db.exec("rollback to batch; release batch");
      return [sequence, failure, null];
    }
  }

  function writeAll(work: WriteStatement[]): { affected: number; rows: unknown[] }[] {
    return work.map(([sql, parameters, expected], index) => {
      const statement = statementFor(sql);
      const rows = statement.columns().length > 0 ? statement.all(...parameters) : null;
      const affected = rows ? rows.length : Number(statement.run(...parameters).changes);
      if (expected !== null && affected !== expected) throw new Missed(index);
      return { affected, rows: rows ?? [] };
    });
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

  function begin(calls: WriterCall[]): void {
    // Holds and progress may be lost with the machine (the calls are lost too); everything else must reach the disk.
    const mayBeLost = calls.every(
      ([, work]) =>
        !Array.isArray(work) && (work.verb === "hold" || work.verb === "top_up_hold" || work.verb === "progress"),
    );
    const wanted = mayBeLost ? "NORMAL" : "FULL";
    if (mode !== wanted) {
      synchronous[wanted].run();
      mode = wanted;
    }
    db.exec("begin immediate");
  }

  function commit(): void {
    money.flush();
    db.exec("commit");
  }

  function undo(): void {
    money.forget();
    if (db.isTransaction) db.exec("rollback");
  }
}

class Missed extends Error {
  readonly index: number;
  constructor(index: number) {
    super("missed");
    this.index = index;
  }
}
