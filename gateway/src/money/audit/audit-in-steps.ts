/**
 * The audit of the books in short statements, for a ledger of any length beside calls. Balances and
 * counters are compared page by page, each page in one snapshot. The sums of the ledger's settled
 * past, which no call changes any more, are added up before, slice by slice; only what is younger,
 * or of calls that still run, is summed in the page's own statement.
 */
import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../storage/database.ts";
import { computeIdFloor } from "../../storage/time-ids.ts";
import { type AuditFinding, describeFinding } from "./audit.ts";
import {
  afterLedgerRange,
  type BookCheck,
  beforeLedgerRange,
  listChecks,
  mismatchesMax,
} from "./book-checks.ts";

/** `BookPosition` says how far an audit has come. */
export interface BookPosition {
  /** `check` says which check of `listChecks`. */
  check: number;
  /** The last id that this check has passed; null at its beginning. */
  after: number | null;
  findings: readonly AuditFinding[];
}

export const bookBeginning: BookPosition = { check: 0, after: null, findings: [] };

/** Rows of a statement: some milliseconds of the database, and of this thread. */
const pageRows = 2_000;
/** Rows that one pass over the ledger proves: some ten megabytes of sums. */
const rowsPerPass = 50_000;
/**
 * A call has a reservation this long after its id was made, or is charged: until then its body may
 * be on its way, or a pool cover it.
 */
const settledAfterMs = 300_000;
/**
 * Running calls that are older, in the settled past of one pass: what is younger than the first one
 * beyond is summed with each page.
 */
const lateCallsMax = 5_000;
/** Below every id. */
const beforeIds = Number.MIN_SAFE_INTEGER;

type LedgerSums = Map<string, bigint>;
type StepsOfAudit<Result> = AsyncGenerator<void, Result>;

/** The rows after one id up to another. */
interface ReadPage {
  after: number;
  last: number;
  /**
   * Too few were there to fill it. What has come meanwhile is left out: a busy gateway would keep
   * an audit busy for ever.
   */
  isLast: boolean;
}

interface AuditedPass {
  end: ReadPage;
  findings: AuditFinding[];
}

/**
 * A whole audit, as the command and imports run it: one statement over a long ledger would pass
 * PostgreSQL's 30 seconds.
 */
export async function auditAllSteps(
  db: Pick<Database, "dialect" | "read" | "sql">,
  now: () => number,
): Promise<readonly AuditFinding[]> {
  const audit = auditInSteps(db, now, bookBeginning);
  let step = await audit.next();
  while (!step.done) step = await audit.next();
  return step.value;
}

/**
 * Continues an audit; yields how far it has come after each short statement or two, and returns
 * what disagrees.
 */
export async function* auditInSteps(
  db: Pick<Database, "dialect" | "read" | "sql">,
  now: () => number,
  from: BookPosition,
): AsyncGenerator<BookPosition, readonly AuditFinding[]> {
  const reader = createBookReader(db, now);
  const findings = [...from.findings];
  for (const [index, check] of listChecks(db.dialect).entries()) {
    if (index < from.check) continue;
    let after = index === from.check ? from.after : null;
    let found = findings.filter((finding) => finding.check === check.name).length;
    for (;;) {
      const pass =
        "rows" in check
          ? reader.rowPass(check, after ?? beforeIds)
          : reader.ledgerPass(check, after ?? beforeIds);
      let step = await pass.next();
      for (; !step.done; step = await pass.next()) yield { check: index, after, findings };
      const told = step.value.findings.slice(0, mismatchesMax - found);
      found += told.length;
      findings.push(...told);
      after = step.value.end.last;
      if (step.value.end.isLast) break;
      yield { check: index, after, findings };
    }
  }
  return findings;
}

function createBookReader(db: Pick<Database, "read" | "sql">, now: () => number) {
  const rowsOf = <Row>(query: RawBuilder<Row>): Promise<Row[]> =>
    db.read<Row>({ compile: () => query.compile(db.sql) });
  const text = sql.raw;

  async function nextPage(
    relation: string,
    after: number,
    condition = sql`true`,
  ): Promise<ReadPage> {
    const ids = sql`select id from ${text(relation)} where id > ${after} and ${condition} order by id limit ${text(String(pageRows))}`;
    const [page] = await rowsOf(
      sql<{
        last: number | null;
        found: number;
      }>`select max(id) as last, count(*) as found from (${ids}) as page`,
    );
    return { after, last: page?.last ?? after, isLast: (page?.found ?? 0) < pageRows };
  }

  async function* rowPass(
    check: Extract<BookCheck, { rows: string }>,
    after: number,
  ): StepsOfAudit<AuditedPass> {
    const end = await nextPage(check.pages, after);
    yield;
    const wrong = await rowsOf(
      sql<Record<"what" | "stored" | "proved", string>>`
        select what, cast(stored as text) as stored, cast(proved as text) as proved from (${text(check.rows)}) as compared
        where id > ${after} and id <= ${end.last} and stored <> proved limit ${text(String(mismatchesMax))}`,
    );
    return { end, findings: wrong.map((row) => describeFinding({ name: check.name, ...row })) };
  }

  async function* ledgerPass(check: LedgerProof, after: number): StepsOfAudit<AuditedPass> {
    let end = await nextPage(check.pages, after);
    const pages = [end];
    const sums: LedgerSums = new Map();
    for (;;) {
      const parts = sql<{
        part: string;
      }>`select cast(part as text) as part from (${text(check.subjects)}) as subject
        where id > ${end.after} and id <= ${end.last}`;
      for (const { part } of await rowsOf(parts)) sums.set(part, 0n);
      if (end.isLast || sums.size >= rowsPerPass) break;
      yield;
      end = await nextPage(check.pages, end.last);
      pages.push(end);
    }
    const wrong = yield* disagreements(check, pages, sums);
    if (wrong.length === 0) return { end, findings: [] };
    // A charge may have come later than any should. Then the second pass has it among its sums.
    const again: LedgerSums = new Map(wrong.slice(0, mismatchesMax).map(({ part }) => [part, 0n]));
    const findings = yield* disagreements(check, pages, again);
    return { end, findings: findings.map((row) => describeFinding({ name: check.name, ...row })) };
  }

  /** `disagreements` is about the rows whose parts `sums` has; adds the settled past to these. */
  async function* disagreements(check: LedgerProof, pages: readonly ReadPage[], sums: LedgerSums) {
    const { end, late } = yield* sumSettled(check, sums);
    const younger = sql`billing_id > ${end}`;
    const unsettled =
      late.length === 0 ? younger : sql`(${younger} or billing_id in (${sql.join(late)}))`;
    const wrong: { part: string; what: string; stored: string; proved: string }[] = [];
    for (const { after, last } of pages) {
      const rows = await rowsOf(sql<Record<"part" | "what" | "stored" | "proved", string>>`
        ${text(beforeLedgerRange)}${unsettled}${text(afterLedgerRange)}
        select cast(subject.part as text) as part, subject.what, cast(subject.stored as text) as stored,
          cast(subject.base + coalesce(summed.amount, 0) as text) as proved
        from (select * from (${text(check.subjects)}) as whole where id > ${after} and id <= ${last}) as subject
        left join (select part, sum(amount) as amount from (${text(check.moves)}) as moves group by part) as summed
          on summed.part = subject.part`);
      for (const { part, what, stored, proved } of rows) {
        const settled = sums.get(part);
        const sum = String(BigInt(proved) + (settled ?? 0n));
        if (settled !== undefined && stored !== sum)
          wrong.push({ part, what, stored, proved: sum });
      }
      yield;
    }
    return wrong;
  }

  /**
   * Adds up the ledger to `end`, but for the `late` calls that run: their rows are still to come.
   */
  async function* sumSettled(
    { moves }: LedgerProof,
    sums: LedgerSums,
  ): StepsOfAudit<{ end: number; late: number[] }> {
    const late: number[] = [];
    let end = beforeIds;
    for (;;) {
      const settled = sql`id < ${computeIdFloor(now() - settledAfterMs)}`;
      const { last, isLast } = await nextPage(
        "(select billing_id as id from ledger) as calls",
        end,
        settled,
      );
      // Asked first: a call that ends now is in the list, so that its rows are left out below and
      // summed with the page.
      const running = await rowsOf(
        sql<{
          id: number;
        }>`select id from reservations where id > ${end} and id <= ${last} limit ${text(String(lateCallsMax + 1))}`,
      );
      if (late.length + running.length > lateCallsMax) return { end, late };
      const runningIds = running.map(({ id }) => id);
      const others =
        running.length === 0 ? sql`` : sql`and billing_id not in (${sql.join(runningIds)})`;
      const rows = await rowsOf(sql<Record<"part" | "amount", string>>`
        ${text(beforeLedgerRange)}billing_id > ${end} and billing_id <= ${last} ${others}${text(afterLedgerRange)}
        select cast(part as text) as part, cast(sum(amount) as text) as amount from (${text(moves)}) as moves group by part`);
      for (const { part, amount } of rows) {
        const sum = sums.get(part);
        if (sum !== undefined) sums.set(part, sum + BigInt(amount));
      }
      late.push(...runningIds);
      end = last;
      if (isLast) return { end, late };
      yield;
    }
  }

  return { rowPass, ledgerPass };
}

type LedgerProof = Extract<BookCheck, { moves: string }>;
