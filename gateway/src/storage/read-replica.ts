/**
 * Lists, charts and exports are read from a standby of PostgreSQL while it follows the primary
 * closely, and from the primary otherwise. Authentication, money, limits and settings never come
 * here: see `Database.replica`.
 */
import type { Compilable } from "kysely";
import type pg from "pg";
import type { DatabaseObserver } from "./database.ts";
import type { NodeLease } from "./postgres-node.ts";

/** `lagMaxMs` are what a list may lack. */
export const lagMaxMs = 5_000;
/** A standby that takes longer counts as away. */
const checkTimeoutMs = 2_000;
/**
 * `positionsMax` is that of a standby that is far behind: one check a second fills them in ten
 * minutes.
 */
const positionsMax = 600;

/** Positions in the write-ahead log, in bytes since its beginning. */
export interface ReplicaServers {
  /** `written` says where the primary's log ends now. */
  written(): Promise<number>;
  /**
   * `applied` says how far the standby has applied the log, 0 until it has the lease of this
   * process; undefined where the server is no standby. Rejects where it does not answer.
   */
  applied(): Promise<number | undefined>;
}

/** The lease of this process tells a standby of its database from one of another. */
const appliedPosition = `select case when not pg_is_in_recovery() then null
  when exists (select from nodes where node = $1 and owner = $2) then pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')
  else 0 end as position`;
const writtenPosition = "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as position";

export function buildReplicaServers(
  primary: pg.Pool,
  standby: pg.Pool,
  { node, owner }: NodeLease,
): ReplicaServers {
  const position = async (
    server: pg.Pool,
    text: string,
    values: unknown[] = [],
  ): Promise<number | undefined> => {
    const timed = { text, values, query_timeout: checkTimeoutMs };
    const { rows } = await server.query<{ position: number | null }>(timed);
    return rows[0]?.position ?? undefined;
  };
  return {
    written: async () => (await position(primary, writtenPosition)) ?? Number.POSITIVE_INFINITY,
    applied: () => position(standby, appliedPosition, [node, owner]),
  };
}

export interface ReplicaWatch {
  /** Asks both servers how far they are; never rejects. To be called every second. */
  check(): Promise<void>;
  /**
   * `lagMs` says how long ago the primary had what the standby has now; infinite where that is not
   * known.
   */
  lagMs(): number;
  isFresh(): boolean;
  /** A statement failed on the standby: it is not asked again before the next check. */
  failed(): void;
}

/** `onError` learns, once each time, that the standby was not fresh for longer than it may lag. */
export function createReplicaWatch(
  { written, applied }: ReplicaServers,
  now: () => number,
  onError: (error: Error) => void,
): ReplicaWatch {
  /**
   * `ahead` are the ends of the primary's log at past checks, as far as the standby has not come.
   */
  let ahead: { at: number; position: number }[] = [];
  let currentAt = Number.NEGATIVE_INFINITY;
  let lastFreshAt = now();
  let isReported = false;

  const lagMs = (): number => now() - currentAt;
  const isFresh = (): boolean => lagMs() <= lagMaxMs;
  const failed = (): void => {
    currentAt = Number.NEGATIVE_INFINITY;
  };

  async function compare(): Promise<void> {
    const at = now();
    const end = await written();
    ahead = [...ahead, { at, position: end }].slice(-positionsMax);
    const position = await applied();
    if (position === undefined) throw new Error("DATABASE_READ_URL does not lead to a standby");
    const reached = ahead.findLast((one) => one.position <= position);
    if (!reached) return;
    currentAt = reached.at;
    ahead = ahead.filter((one) => one.at > reached.at);
  }

  return {
    lagMs,
    isFresh,
    failed,
    async check() {
      const cause = await compare().then(
        () => undefined,
        (error: Error) => error,
      );
      if (cause) failed();
      if (isFresh()) {
        lastFreshAt = now();
        isReported = false;
      } else if (!isReported && now() - lastFreshAt > lagMaxMs) {
        isReported = true;
        const why = cause?.message ?? `the standby is more than ${lagMaxMs / 1_000} s behind`;
        onError(
          new Error(`lists, charts and exports are read from the primary: ${why}`, { cause }),
        );
      }
    },
  };
}

type Read = <Row>(query: Compilable<Row>) => Promise<Row[]>;

/**
 * `readWhileFresh` gives what the standby fails, the primary answers: a wrong statement fails there
 * again.
 */
export const readWhileFresh =
  (
    watch: Pick<ReplicaWatch, "isFresh" | "failed">,
    onStandby: Read,
    onPrimary: Read,
    observer: () => Pick<DatabaseObserver, "figuresRead">,
  ): Read =>
  async (query) => {
    if (!watch.isFresh()) {
      observer().figuresRead("lagging");
      return onPrimary(query);
    }
    try {
      const rows = await onStandby(query);
      observer().figuresRead("replica");
      return rows;
    } catch {
      watch.failed();
      observer().figuresRead("failed");
      return onPrimary(query);
    }
  };
