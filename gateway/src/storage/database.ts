/**
 * The interface to the database. SQLite (threads) and PostgreSQL implement it; no other code knows
 * which one runs.
 */
import type { ErrorCode } from "@tollgate/contract/api/errors.ts";
import type { Compilable, Kysely } from "kysely";
import type { MoneyCommand, MoneyResult } from "./money-commands.ts";
import type { DatabaseSchema } from "./schema.ts";
import type { LogRow } from "./tables/call-tables.ts";
import type { ClockSpanRow } from "./tables/record-tables.ts";

/** `Write` is one statement of a write batch. */
export interface Write {
  query: Compilable<unknown>;
  /**
   * Rows that must be affected; any other count rolls the whole batch back and rejects with
   * `StaleWrite`.
   */
  rows?: number;
  /**
   * `missed` says why `rows` may be missed: the code of the `StaleWrite`, which
   * http/rejected-writes.ts turns into a refusal.
   */
  missed?: ErrorCode;
  /**
   * `conflict` is the same for a value that a unique key already holds; by constraint where the
   * statement can meet several.
   */
  conflict?: ErrorCode | Readonly<Record<string, ErrorCode>>;
  /**
   * `counts` is the log row that the statement writes of a call without a hold: it joins the
   * roll-ups in the same transaction. Its time joins none of them.
   */
  counts?: LogRow;
}

export interface WriteResult {
  affected: number;
  /** `rows` are what `returning` gave, else empty. */
  rows: unknown[];
}

/** `ChangeTopic` is what processes cache in memory and re-read when it changed on any node. */
export type ChangeTopic =
  | "channels"
  | "tokens"
  | "users"
  | "options"
  | "prices"
  | "budgets"
  | "mcp_servers"
  | "runs"
  | "teams";

export type DatabaseVerb = "read" | "write" | MoneyCommand["verb"];

/**
 * Told how long statements and commands take; called on the path of calls, so it must be quick and
 * never throw.
 */
export interface DatabaseObserver {
  /** `ms` from the request to its result, waiting included, whether it failed or not. */
  ended(verb: DatabaseVerb, ms: number): void;
  failed(kind: "unavailable" | "bug"): void;
  /** A statement of `Database.replica` was answered. */
  figuresRead(source: FigureSource): void;
}

/** The standby, or the primary because the standby is behind or has failed. */
export type FigureSource = "replica" | "lagging" | "failed";

/** Connections to PostgreSQL; on SQLite, commands at its threads. */
export interface DatabaseLoad {
  active: number;
  idle: number;
  /** Statements that wait for a connection, or for the thread to be free. */
  waiting: number;
}

export const silentObserver: DatabaseObserver = {
  ended: () => undefined,
  failed: () => undefined,
  figuresRead: () => undefined,
};

/**
 * Reports what has begun at `beganAt` (`performance.now()`) and ended now. A lost race for a row is
 * no failure.
 */
export function reportEnd(
  observer: DatabaseObserver,
  verb: DatabaseVerb,
  beganAt: number,
  error?: unknown,
): void {
  observer.ended(verb, performance.now() - beganAt);
  if (error === undefined || error instanceof RejectedWrite) return;
  observer.failed(error instanceof StorageUnavailable ? "unavailable" : "bug");
}

/**
 * Runs it and reports its end; a failure is thrown, and reported, as the error that `errorOf` makes
 * of it.
 */
export async function reported<Result>(
  observer: DatabaseObserver,
  verb: DatabaseVerb,
  run: () => Promise<Result>,
  errorOf: (cause: unknown) => unknown = (cause) => cause,
): Promise<Result> {
  const beganAt = performance.now();
  try {
    const result = await run();
    reportEnd(observer, verb, beganAt);
    return result;
  } catch (cause) {
    const error = errorOf(cause);
    reportEnd(observer, verb, beganAt, error);
    throw error;
  }
}

export interface ReadReplica {
  read: Database["read"];
  /**
   * `lagMs` says how long ago the standby had all that the primary had; infinite where that is not
   * known.
   */
  lagMs(): number;
}

export interface Database {
  readonly dialect: "sqlite" | "postgres";
  /**
   * `node` is the number of the process among the nodes of one database: part of every id it mints.
   */
  readonly node: number;
  /** A new time id (storage/time-ids.ts): unique and increasing. */
  mintId(): number;
  /** The time of the newest id, stored or minted: later than the clock where a clock was wrong. */
  newestIdAt(): number;
  /**
   * `slowIds` lets ids that are ahead of the clock go on slower from now on; it gives the rows that
   * tell their times, for `followClock` of id-clock.ts.
   */
  slowIds(): ClockSpanRow[];
  /** Composes statements; nothing runs through it. */
  readonly sql: Kysely<DatabaseSchema>;
  /** The rows of one statement. */
  read<Row>(query: Compilable<Row>): Promise<Row[]>;
  /**
   * Rows that may be some seconds old, from a standby: for lists, charts and exports of calls, and
   * never for authentication, money, budgets, limits or settings. Undefined without a standby.
   */
  readonly replica: ReadReplica | undefined;
  /** `write` gives all statements in one transaction, in order: all of them or none. */
  write(
    batch: readonly Write[],
    options?: { changes?: readonly ChangeTopic[] },
  ): Promise<WriteResult[]>;
  /**
   * Hold, top-up, settle, release and so on: see storage/money-commands.ts. A command that ends a
   * hold may overtake commands sent just before it, so await the hold first.
   */
  money<Command extends MoneyCommand>(command: Command): Promise<MoneyResult<Command>>;
  /**
   * Drops the monthly partitions of log rows or traces that end before an id, where the database
   * has partitions, and returns what they held. The caller deletes the remaining rows.
   */
  dropMonthsBefore(
    table: "logs" | "traces",
    before: number,
  ): Promise<{ rows: number; quota: number }>;
  /**
   * Statements that append a chained audit entry; put them into the batch of the change they
   * record.
   */
  audit(entry: AuditInput): Write[];
  /**
   * Calls back after a committed write named the topic, on this node or (within a second) on
   * another one. The write waits for the listener's promise, so that the writer can rely on it. A
   * rejection fails no write; on PostgreSQL the listener is called again within a second.
   */
  onChange(topic: ChangeTopic, listener: () => unknown): void;
  /** Replaces the observer; without one nothing is measured. */
  observe(observer: DatabaseObserver): void;
  load(): DatabaseLoad;
  /**
   * `isWritable` says whether writes work, as far as is known; PostgreSQL tells it by its reads.
   */
  isWritable(): boolean;
  close(): Promise<void>;
}

export interface AuditInput {
  at: number;
  actorId: number;
  address: string;
  action: string;
  target: string;
  change: Record<string, unknown>;
}

/** A batch that was rolled back because of one of its statements. */
export abstract class RejectedWrite extends Error {
  /** `code` is what the client is refused with; undefined where the statement names nothing. */
  readonly code: ErrorCode | undefined;
  constructor(message: string, code: ErrorCode | undefined) {
    super(code === undefined ? message : `${message} (${code})`);
    this.code = code;
  }
}

/** A statement did not affect the rows that it had to: they changed since they were read. */
export class StaleWrite extends RejectedWrite {
  constructor(index: number, statement?: Write) {
    super(`statement ${index} of the batch missed its rows`, statement?.missed);
  }
}

/** A unique key already holds the value of a statement. */
export class Conflict extends RejectedWrite {
  readonly constraint: string;
  constructor(constraint: string, statement?: Write) {
    const { conflict } = statement ?? {};
    super(
      `already taken: ${constraint}`,
      typeof conflict === "object" ? conflict[constraint] : conflict,
    );
    this.constraint = constraint;
  }
}

/**
 * Like `write`, but returns a rejection instead of throwing it, for callers to which losing a race
 * is an ordinary result.
 */
export async function tryWrite(
  db: Pick<Database, "write">,
  ...batch: Parameters<Database["write"]>
): Promise<RejectedWrite | undefined> {
  try {
    await db.write(...batch);
    return undefined;
  } catch (error) {
    if (error instanceof RejectedWrite) return error;
    throw error;
  }
}

/**
 * The database cannot run the statement now (locked, full, connection lost). Safe to reply with
 * 503.
 */
export class StorageUnavailable extends Error {}
