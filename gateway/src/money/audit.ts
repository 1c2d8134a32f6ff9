/** Verifies the books: every balance against the ledger, every counter against the charges, every hold against its call. */
import { sql } from "kysely";
import type { Database } from "../storage/database.ts";
import { EPOCH_MS, idsPerMs } from "../storage/time-ids.ts";

export interface AuditFinding {
  check: string;
  /** What disagrees and by how much. */
  detail: string;
}

interface AuditCheck {
  name: string;
  /** Rows with `what`, `stored` and `proved`. */
  query: string;
}

/** Charges that PostgreSQL has settled but not folded into roll-ups and channels yet. */
const queuedQuota = { sqlite: "0", postgres: "coalesce((select sum(quota) from rollup_queue QUEUED), 0)" };

const account = "'wallet:' || wallets.id";

/** The ledger's sums by one of its columns, in one pass: a look-up for each row would read the ledger as often. */
const ledgerBy = (column: "credit" | "debit" | "user_id" | "token_id"): string =>
  `(select ${column} as part, sum(amount) as amount from ledger group by ${column})`;

const checksFor = (dialect: Database["dialect"]): readonly AuditCheck[] => [
  {
    name: "balance is the ledger's sum",
    query: `select 'wallet ' || wallets.id as what, wallets.balance as stored,
        coalesce(credited.amount, 0) - coalesce(debited.amount, 0) as proved
      from wallets
      left join ${ledgerBy("credit")} as credited on credited.part = ${account}
      left join ${ledgerBy("debit")} as debited on debited.part = ${account}`,
  },
  {
    name: "a debt is the ledger's sum",
    query: `select 'wallet ' || wallets.id as what, wallets.debt as stored,
        coalesce(debited.amount, 0) - coalesce(credited.amount, 0) as proved
      from wallets
      left join ${ledgerBy("debit")} as debited on debited.part = 'debt:' || wallets.id
      left join ${ledgerBy("credit")} as credited on credited.part = 'debt:' || wallets.id`,
  },
  {
    name: "held is the sum of open reservations",
    query: `select 'wallet ' || wallets.id as what, wallets.held as stored,
        coalesce((select sum(amount) from reservations where wallet_id = wallets.id), 0) as proved from wallets`,
  },
  {
    name: "a token's held quota is the sum of its open reservations",
    query: `select 'token ' || tokens.id as what, tokens.held_quota as stored,
        coalesce((select sum(token_amount) from reservations where token_id = tokens.id), 0) as proved from tokens`,
  },
  {
    name: "a user's used quota is the sum of the charges",
    query: `select 'user ' || users.id as what, users.used_quota as stored,
        coalesce(charged.amount, 0) as proved
      from users left join ${ledgerBy("user_id")} as charged on charged.part = users.id`,
  },
  {
    name: "a token's used quota is the sum of the charges",
    query: `select 'token ' || tokens.id as what, tokens.used_quota as stored,
        coalesce(charged.amount, 0) as proved
      from tokens left join ${ledgerBy("token_id")} as charged on charged.part = tokens.id`,
  },
  {
    name: "a channel's used quota is the sum of the charges",
    query: `select 'channel ' || channels.id as what,
        channels.used_quota + ${queuedQuota[dialect].replace("QUEUED", "where channel_id = channels.id")} as stored,
        coalesce((select sum(amount) from ledger where channel_id = channels.id), 0) as proved from channels`,
  },
  {
    name: "the daily roll-ups hold every charge",
    query: `select 'all charges' as what,
        coalesce((select sum(quota) from rollup_day_model), 0) + ${queuedQuota[dialect].replace("QUEUED", "")} as stored,
        coalesce((select sum(amount) from ledger where credit = 'revenue'), 0)
          + coalesce((select sum(quota) from imported_log_sums where kind = 'day'), 0) as proved`,
  },
  {
    // A call without an outcome was charged by another system before an import.
    name: "every logged charge is in the ledger",
    query: `select 'log ' || logs.id as what, logs.quota as stored,
        coalesce((select sum(amount) from ledger where billing_id = logs.id and credit = 'revenue'), 0) as proved
      from logs where type in (2, 7) and outcome <> ''`,
  },
  {
    name: "a used code has paid its quota, any other nothing",
    query: `select 'code ' || redemptions.id as what, case when status = 3 then quota else 0 end as stored,
        coalesce((select sum(amount) from ledger where billing_id = redemptions.billing_id and kind = 'redemption'), 0) as proved
      from redemptions`,
  },
  {
    name: "what a budget holds is the sum of open reservations",
    query: `select 'budget ' || budget_id || ' from ' || window_start as what, budget_counters.held as stored,
        coalesce(proved.amount, 0) as proved
      from budget_counters left join (${heldOnBudgets[dialect]}) as proved
        on proved.id = budget_id and proved.start = window_start`,
  },
  {
    name: "what a whole window of a budget spent is the sum of the charges",
    query: `select 'budget ' || budget_id || ' from ' || window_start as what, budget_counters.spent as stored,
        coalesce(charged.amount, 0) as proved
      from budget_counters join budgets on budgets.id = budget_id
      left join (${chargedToBudgets}) as charged on charged.id = budget_id and charged.start = window_start
      where budgets.subject not in ('model', 'tag') and window_start >= budgets.counts_from + ${firstWindowGraceMs}`,
  },
];

/** What running calls hold on the hard budgets that their reservations name. */
const heldOnBudgets = {
  sqlite: `select json_extract(given.value, '$.id') as id, json_extract(given.value, '$.start') as start, sum(amount) as amount
    from reservations join json_each(reservations.budgets) as given
    where json_extract(given.value, '$.max') is not null group by 1, 2`,
  postgres: `select given.id as id, given."start" as start, sum(amount) as amount
    from reservations
    cross join lateral jsonb_populate_recordset(null::tollgate_held_budget, reservations.budgets::jsonb) as given
    where given.max is not null group by 1, 2`,
};

/** Nodes learn of a new budget within seconds; calls of the window in which it was made may have begun without it. */
const firstWindowGraceMs = 60_000;

/** Charges of the calls that began in a window, of budgets whose subject is in the ledger. */
const chargedTo = (subject: string, matches: string): string =>
  `select counter.budget_id as id, counter.window_start as start, sum(ledger.amount) as amount
   from budgets join ledger on ${matches}
   join budget_counters as counter on counter.budget_id = budgets.id
     and ledger.billing_id >= (counter.window_start - ${EPOCH_MS}) * ${idsPerMs}
     and ledger.billing_id < (counter.window_end - ${EPOCH_MS}) * ${idsPerMs}
   where budgets.subject = '${subject}' and ledger.kind in ('charge', 'debt', 'shortfall') group by 1, 2`;
const chargedToBudgets = [
  chargedTo("site", "1 = 1"),
  chargedTo("user", "ledger.user_id = budgets.subject_id"),
  chargedTo("token", "ledger.token_id = budgets.subject_id"),
].join(" union all ");

const mismatchesMax = 20;

/**
 * Returns every mismatch; an empty list means that the books agree. All checks are one statement and read one snapshot, so the
 * database may be in use.
 */
export async function auditBooks(db: Database): Promise<AuditFinding[]> {
  const text = auditStatement(db.dialect);
  const mismatches = await db.read<AuditMismatch>({ compile: () => sql.raw<AuditMismatch>(text).compile(db.sql) });
  return mismatches.map(({ name, what, stored, proved }) => ({
    check: name,
    detail: `${what}: stored ${stored}, proved ${proved}`,
  }));
}

/** Its rows are `AuditMismatch`es. */
export const auditStatement = (dialect: Database["dialect"]): string =>
  checksFor(dialect)
    .map(
      ({ name, query }, index) =>
        `select * from (select '${name.replaceAll("'", "''")}' as name, what, cast(stored as text) as stored, cast(proved as text) as proved
         from (${query}) as compared_${index}
         where stored <> proved limit ${mismatchesMax}) as wrong_${index}`,
    )
    .join(" union all ");

export interface AuditMismatch {
  name: string;
  what: string;
  /** Units as text: a wrong value may exceed the range of a number. */
  stored: string;
  proved: string;
}
