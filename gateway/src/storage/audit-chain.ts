/**
 * The audit trail: each entry carries the hash of the one before it, computed by the database
 * itself.
 */
import { createHash } from "node:crypto";
import { type Kysely, type Selectable, sql } from "kysely";
import type { AuditInput, Database, Write } from "./database.ts";
import type { DatabaseSchema } from "./schema.ts";
import type { AuditRow } from "./tables/record-tables.ts";

const genesisHash = "0".repeat(64);

/** `auditPayload` gives what an entry's hash covers, after the hash of the entry before it. */
export const auditPayload = ({
  at,
  actorId,
  address,
  action,
  target,
  change,
}: AuditInput): string => JSON.stringify([at, actorId, address, action, target, change]);

/**
 * The payload of a stored entry. Its change is used as stored, not parsed: even a different space
 * breaks the hash.
 */
const readStoredPayload = ({
  at,
  actor_id,
  address,
  action,
  target,
  change,
}: Selectable<AuditRow>): string =>
  `${JSON.stringify([at, actor_id, address, action, target]).slice(0, -1)},${change}]`;

export function appendAudit(db: Kysely<DatabaseSchema>, entry: AuditInput, lock?: Write): Write[] {
  const { at, actorId, address, action, target } = entry;
  const change = JSON.stringify(entry.change);
  const previous = sql`coalesce((select hash from audit_entries order by id desc limit 1), cast(${genesisHash} as text))`;
  const query = sql`
    insert into audit_entries (at, actor_id, address, action, target, change, previous_hash, hash)
    select ${at}, ${actorId}, ${address}, ${action}, ${target}, ${change}, chain.previous,
      tollgate_sha256(chain.previous || cast(${auditPayload(entry)} as text))
    from (select ${previous} as previous) as chain`;
  const append: Write = { query: { compile: () => query.compile(db) }, rows: 1 };
  return lock ? [lock, append] : [append];
}

/** The last entry of the trail, as recorded outside of the database. */
export interface TrailHead {
  id: number;
  hash: string;
}

export interface TrailCheck {
  /** `entries` says how many entries are valid: all, or those before the first invalid one. */
  entries: number;
  /** The last valid entry; absent in an empty trail. */
  head?: TrailHead;
  /** `fault` is what is wrong with the first invalid entry. */
  fault?: string;
}

/** `TrailPosition` says how far a check has come. */
export interface TrailPosition {
  /** `entries` says how many entries are valid so far. */
  entries: number;
  /** The last of them. */
  head: TrailHead;
}

export interface TrailStep {
  position: TrailPosition;
  /** The trail ends here, or the check does, at a fault. */
  isEnd: boolean;
  fault?: string;
}

type TrailReader = Pick<Database, "sql" | "read">;

export const trailBeginning: TrailPosition = { entries: 0, head: { id: 0, hash: genesisHash } };
const batchSize = 1_000;

/**
 * Verifies the chain from its beginning. It detects entries that were changed, removed, inserted or
 * reordered. A trail that was truncated or rewritten up to its end is detected only with a head
 * recorded earlier.
 */
export async function checkTrail(db: TrailReader, expectedHead?: TrailHead): Promise<TrailCheck> {
  let step: TrailStep = { position: trailBeginning, isEnd: false };
  while (!step.isEnd) step = await checkTrailStep(db, step.position, expectedHead);
  const { entries, head } = step.position;
  return {
    entries,
    ...(entries > 0 && { head }),
    ...(step.fault !== undefined && { fault: step.fault }),
  };
}

/** Verifies at most a thousand entries from where an earlier step has come. */
export async function checkTrailStep(
  db: TrailReader,
  from: TrailPosition,
  expectedHead?: TrailHead,
): Promise<TrailStep> {
  let { entries, head } = from;
  const ended = (fault: string): TrailStep => ({ position: { entries, head }, isEnd: true, fault });
  const query = db.sql.selectFrom("audit_entries").selectAll().where("id", ">", head.id);
  const rows = await db.read(query.orderBy("id").limit(batchSize));
  for (const row of rows) {
    const fault = findFault(row, head);
    if (fault) return ended(fault);
    const isAtExpectedHead = expectedHead && head.id < expectedHead.id && row.id >= expectedHead.id;
    if (isAtExpectedHead && (row.id !== expectedHead.id || row.hash !== expectedHead.hash))
      return ended(
        `entry ${expectedHead.id} is not the one that was noted: the trail was written anew`,
      );
    head = { id: row.id, hash: row.hash };
    entries += 1;
  }
  if (rows.length > 0) return { position: { entries, head }, isEnd: false };
  if (expectedHead && head.id < expectedHead.id)
    return ended(
      `entry ${expectedHead.id} was noted and is gone: the end of the trail was cut off`,
    );
  return { position: { entries, head }, isEnd: true };
}

function findFault(row: Selectable<AuditRow>, previousHead: TrailHead): string | undefined {
  if (row.previous_hash !== previousHead.hash) {
    const position =
      previousHead.id === 0
        ? "is not the first one that was written"
        : `does not follow entry ${previousHead.id}`;
    return `entry ${row.id} ${position}: entries were removed, put in between or put in another order`;
  }
  const hash = createHash("sha256")
    .update(row.previous_hash + readStoredPayload(row))
    .digest("hex");
  return row.hash === hash
    ? undefined
    : `entry ${row.id} was changed: its hash is of something else`;
}
