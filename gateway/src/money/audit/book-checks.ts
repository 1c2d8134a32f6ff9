/**
 * Figures that must agree in the books, as data: `audit.ts` proves all of it in one statement,
 * `audit-in-steps.ts` in many short ones.
 */
import type { Database } from "../../storage/database.ts";
import { EPOCH_MS, idsPerMs } from "../../storage/time-ids.ts";

/** Rows that sums of the ledger prove. */
interface LedgerCheck {
  name: string;
  /** The relation whose `id`s `subjects` has, for going through it in pages. */
  pages: string;
  /**
   * A relation of `id`, `part`, `what`, `stored` and `base`: proved is `base` and the amounts of
   * `part` in `moves`.
   */
  subjects: string;
  /** A relation of `part` and `amount` over some rows of the ledger, which it calls `moved`. */
  moves: string;
}

/** Rows that a few others prove. */
interface RowCheck {
  name: string;
  pages: string;
  /** A relation of `id`, `what`, `stored` and `proved`. */
  rows: string;
}

export type BookCheck = LedgerCheck | RowCheck;

/** Charges that PostgreSQL has settled but not folded into roll-ups and channels yet. */
const queuedQuota = {
  sqlite: "0",
  postgres: "coalesce((select sum(quota) from rollup_queue QUEUED), 0)",
};

/**
 * Nodes learn of a new budget within seconds; calls of the window in which it was made may have
 * begun without it.
 */
const firstWindowGraceMs = 60_000;

/** `heldOnBudgets` are what running calls hold on the hard budgets that their reservations name. */
const heldOnBudgets = {
  sqlite: `select json_extract(given.value, '$.id') as id, json_extract(given.value, '$.start') as start,
      coalesce(json_extract(given.value, '$.part'), '') as part,
      sum(coalesce(json_extract(given.value, '$.amount'), amount)) as amount
    from reservations join json_each(reservations.budgets) as given
    where json_extract(given.value, '$.max') is not null group by 1, 2, 3`,
  postgres: `select given.id as id, given."start" as start, coalesce(given.part, '') as part,
      sum(coalesce(given.amount, reservations.amount)) as amount
    from reservations
    cross join lateral jsonb_populate_recordset(null::tollgate_held_budget, reservations.budgets::jsonb) as given
    where given.max is not null group by 1, 2, 3`,
};

const openHolds = (column: "wallet_id" | "token_id", amount: "amount" | "token_amount"): string =>
  `(select ${column} as part, sum(${amount}) as amount from reservations group by ${column})`;

/** Amounts on accounts of one kind, by what raises their balance. */
const composeAccountMoves = (
  kind: "wallet" | "debt",
  raises: "credit" | "debit",
  lowers: "credit" | "debit",
): string =>
  `select ${raises} as part, amount from moved where ${raises} like '${kind}:%'
   union all select ${lowers}, -amount from moved where ${lowers} like '${kind}:%'`;

/** Charges by the column that says what they count for. */
const composeCharges = (column: "user_id" | "token_id" | "channel_id"): string =>
  `select ${column} as part, amount from moved where ${column} is not null`;

/** Charges of the calls that began in a window, of budgets whose subject is in the ledger. */
const composeChargedBudgets = (subject: string, matches: string): string =>
  `select counter.budget_id || ' from ' || counter.window_start as part, moved.amount
   from moved join budgets on budgets.subject = '${subject}' and ${matches}
   join near_counters as counter on counter.budget_id = budgets.id
     and moved.billing_id >= (counter.window_start - ${EPOCH_MS}) * ${idsPerMs}
     and moved.billing_id < (counter.window_end - ${EPOCH_MS}) * ${idsPerMs}
   where moved.kind in ('charge', 'debt', 'shortfall')`;

/** `with` for a statement that reads `moves`, around the condition on the rows of the ledger. */
export const beforeLedgerRange = "with moved as not materialized (select * from ledger where ";
/** A budget may have a window for each hour of years: those around the rows are found once. */
export const afterLedgerRange = `), moved_span as (select min(billing_id) as first, max(billing_id) as last from moved),
  near_counters as materialized (
    select budget_counters.* from budget_counters cross join moved_span
    where (window_start - ${EPOCH_MS}) * ${idsPerMs} <= last and (window_end - ${EPOCH_MS}) * ${idsPerMs} > first
  ) `;

export const listChecks = (dialect: Database["dialect"]): readonly BookCheck[] => [
  {
    name: "balance is the ledger's sum",
    pages: "wallets",
    subjects:
      "select id, 'wallet:' || id as part, 'wallet ' || id as what, balance as stored, 0 as base from wallets",
    moves: composeAccountMoves("wallet", "credit", "debit"),
  },
  {
    name: "a debt is the ledger's sum",
    pages: "wallets",
    subjects:
      "select id, 'debt:' || id as part, 'wallet ' || id as what, debt as stored, 0 as base from wallets",
    moves: composeAccountMoves("debt", "debit", "credit"),
  },
  {
    name: "held is the sum of open reservations",
    pages: "wallets",
    rows: `select wallets.id, 'wallet ' || wallets.id as what, wallets.held as stored, coalesce(opened.amount, 0) as proved
      from wallets left join ${openHolds("wallet_id", "amount")} as opened on opened.part = wallets.id`,
  },
  {
    name: "a token's held quota is the sum of its open reservations",
    pages: "tokens",
    rows: `select tokens.id, 'token ' || tokens.id as what, tokens.held_quota as stored, coalesce(opened.amount, 0) as proved
      from tokens left join ${openHolds("token_id", "token_amount")} as opened on opened.part = tokens.id`,
  },
  {
    name: "a user's used quota is the sum of the charges",
    pages: "users",
    subjects:
      "select id, id as part, 'user ' || id as what, used_quota as stored, 0 as base from users",
    moves: composeCharges("user_id"),
  },
  {
    name: "a token's used quota is the sum of the charges",
    pages: "tokens",
    subjects:
      "select id, id as part, 'token ' || id as what, used_quota as stored, 0 as base from tokens",
    moves: composeCharges("token_id"),
  },
  {
    name: "a channel's used quota is the sum of the charges",
    pages: "channels",
    subjects: `select id, id as part, 'channel ' || id as what,
        used_quota + ${queuedQuota[dialect].replace("QUEUED", "where channel_id = channels.id")} as stored, 0 as base from channels`,
    moves: composeCharges("channel_id"),
  },
  {
    name: "the daily roll-ups hold every charge",
    pages: "(select cast(1 as bigint) as id) as site",
    subjects: `select cast(1 as bigint) as id, 1 as part, 'all charges' as what,
        coalesce((select sum(quota) from rollup_day_model), 0) + ${queuedQuota[dialect].replace("QUEUED", "")} as stored,
        coalesce((select sum(quota) from imported_log_sums where kind = 'day'), 0) as base`,
    moves: "select 1 as part, amount from moved where credit = 'revenue'",
  },
  {
    // A call without an outcome was charged by another system before an import.
    name: "every logged charge is in the ledger",
    pages: "logs",
    rows: `select logs.id, 'log ' || logs.id as what, logs.quota as stored,
        coalesce((select sum(amount) from ledger where billing_id = logs.id and credit = 'revenue'), 0) as proved
      from logs where type in (2, 7) and outcome <> ''`,
  },
  {
    name: "a used code has paid its quota, any other nothing",
    pages: "redemptions",
    rows: `select redemptions.id, 'code ' || redemptions.id as what, case when status = 3 then quota else 0 end as stored,
        coalesce((select sum(amount) from ledger where billing_id = redemptions.billing_id and kind = 'redemption'), 0) as proved
      from redemptions`,
  },
  {
    name: "what a budget holds is the sum of open reservations",
    pages: "(select budget_id as id from budget_counters) as counters",
    rows: `select budget_id as id, 'budget ' || budget_id || ' from ' || window_start as what, budget_counters.held as stored,
        coalesce(proved.amount, 0) as proved
      from budget_counters left join (${heldOnBudgets[dialect]}) as proved
        on proved.id = budget_id and proved.start = window_start and proved.part = budget_counters.part`,
  },
  {
    name: "what a whole window of a budget spent is the sum of the charges",
    pages: "(select budget_id as id from budget_counters) as counters",
    subjects: `select budget_id as id, budget_id || ' from ' || window_start as part,
        'budget ' || budget_id || ' from ' || window_start as what, budget_counters.spent as stored, 0 as base
      from budget_counters join budgets on budgets.id = budget_id
      where budgets.subject in ('site', 'user', 'token') and budgets.models = ''
        and not exists (
          select 1 from team_members where budgets.subject = 'user' and team_members.user_id = budgets.subject_id
        ) and window_start >= budgets.counts_from + ${firstWindowGraceMs}`,
    moves: [
      composeChargedBudgets("site", "1 = 1"),
      composeChargedBudgets("user", "moved.user_id = budgets.subject_id"),
      composeChargedBudgets("token", "moved.token_id = budgets.subject_id"),
    ].join(" union all "),
  },
];

/** The tail of a list of disagreements that is not told: one cause makes many. */
export const mismatchesMax = 20;
