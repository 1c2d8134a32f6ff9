/** Appends to the audit trail: each entry carries the hash of the one before it, computed by the database itself. */
import { type Kysely, sql } from "kysely";
import type { AuditInput, Write } from "./database.ts";
import type { Schema } from "./schema.ts";

const genesis = "0".repeat(64);

/** What an entry's hash covers, after the hash of the entry before it. */
export const auditPayload = ({ at, actorId, address, action, target, change }: AuditInput): string =>
  JSON.stringify([at, actorId, address, action, target, change]);

export function appendAudit(db: Kysely<Schema>, entry: AuditInput, lock?: Write): Write[] {
  const { at, actorId, address, action, target } = entry;
  const change = JSON.stringify(entry.change);
  const previous = sql`coalesce((select hash from audit_entries order by id desc limit 1), cast(${genesis} as text))`;
  const query = sql`
    insert into audit_entries (at, actor_id, address, action, target, change, previous_hash, hash)
    select ${at}, ${actorId}, ${address}, ${action}, ${target}, ${change}, chain.previous,
      tollgate_sha256(chain.previous || cast(${auditPayload(entry)} as text))
    from (select ${previous} as previous) as chain`;
  const append: Write = { query: { compile: () => query.compile(db) }, rows: 1 };
  return lock ? [lock, append] : [append];
}
