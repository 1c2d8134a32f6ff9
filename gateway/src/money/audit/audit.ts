/** Verifies the books: every balance against the ledger, every counter against the charges, every hold against its call. */
import { sql } from "kysely";
import type { Database } from "../storage/database.ts";
import { afterLedgerRange, type BookCheck, beforeLedgerRange, checksFor, mismatchesMax } from "./book-checks.ts";

export interface AuditFinding {
  check: string;
  /** What disagrees and by how much. */
  detail: string;
}

/**
 * Returns every mismatch; an empty list means that the books agree. All checks are one statement and read one snapshot, so the
 * database may be in use; it takes as long as the ledger is.
 */
export async function auditBooks(db: Database): Promise<AuditFinding[]> {
  const text = auditStatement(db.dialect);
  const mismatches = await db.read<AuditMismatch>({ compile: () => sql.raw<AuditMismatch>(text).compile(db.sql) });
  return mismatches.map(findingOf);
}

/** Its rows are `AuditMismatch`es. */
export const auditStatement = (dialect: Database["dialect"]): string =>
  checksFor(dialect)
    .map(
      (check, index) =>
        `select * from (${comparedWhole(check)} where stored <> proved limit ${mismatchesMax}) as wrong_${index}`,
    )
    .join(" union all ");

function comparedWhole(check: BookCheck): string {
  const [ctes, rows] =
    "rows" in check ? ["", check.rows] : [`${beforeLedgerRange}true${afterLedgerRange}`, provedRows(check)];
  return `${ctes} select '${check.name.replaceAll("'", "''")}' as name, what, cast(stored as text) as stored, cast(proved as text) as proved
    from (${rows}) as compared`;
}

const provedRows = ({ subjects, moves }: Extract<BookCheck, { moves: string }>): string =>
  `select subject.what, subject.stored, subject.base + coalesce(summed.amount, 0) as proved
   from (${subjects}) as subject
   left join (select part, sum(amount) as amount from (${moves}) as moves group by part) as summed on summed.part = subject.part`;

export interface AuditMismatch {
  name: string;
  what: string;
  /** Units as text: a wrong value may exceed the range of a number. */
  stored: string;
  proved: string;
}

export const findingOf = ({ name, what, stored, proved }: AuditMismatch): AuditFinding => ({
  check: name,
  detail: `${what}: stored ${stored}, proved ${proved}`,
});
