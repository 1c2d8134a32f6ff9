/**
 * Verifies the books: every balance against the ledger, every counter against the charges, every
 * hold against its call.
 */
import { sql } from "kysely";
import type { Database } from "../../storage/database.ts";
import {
  afterLedgerRange,
  type BookCheck,
  beforeLedgerRange,
  listChecks,
  mismatchesMax,
} from "./book-checks.ts";

export interface AuditFinding {
  check: string;
  /** `detail` is what disagrees and by how much. */
  detail: string;
}

/**
 * Returns every mismatch; an empty list means that the books agree. All checks are one statement
 * and read one snapshot, so the database may be in use; it takes as long as the ledger is.
 */
export async function auditBooks(db: Database): Promise<AuditFinding[]> {
  const text = auditStatement(db.dialect);
  const mismatches = await db.read<AuditMismatch>({
    compile: () => sql.raw<AuditMismatch>(text).compile(db.sql),
  });
  return mismatches.map(describeFinding);
}

/** Its rows are `AuditMismatch`es. */
export const auditStatement = (dialect: Database["dialect"]): string =>
  listChecks(dialect)
    .map(
      (check, index) =>
        `select * from (${composeWholeComparison(check)} where stored <> proved limit ${mismatchesMax}) as wrong_${index}`,
    )
    .join(" union all ");

function composeWholeComparison(check: BookCheck): string {
  const [ctes, rows] =
    "rows" in check
      ? ["", check.rows]
      : [`${beforeLedgerRange}true${afterLedgerRange}`, composeProvedRows(check)];
  return `${ctes} select '${check.name.replaceAll("'", "''")}' as name, what, cast(stored as text) as stored, cast(proved as text) as proved
    from (${rows}) as compared`;
}

const composeProvedRows = ({ subjects, moves }: Extract<BookCheck, { moves: string }>): string =>
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

export const describeFinding = ({ name, what, stored, proved }: AuditMismatch): AuditFinding => ({
  check: name,
  detail: `${what}: stored ${stored}, proved ${proved}`,
});
