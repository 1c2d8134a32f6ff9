/** SQL of the statement of a team: what came and went by the ledger, and its calls by roll-ups. */
import { sql as raw } from "kysely";
import type { Database } from "../../storage/database.ts";
import type { MonthSpan } from "../dashboard/report-rules.ts";
import { selectTeamDays, teamSums } from "../dashboard/team-days.ts";

const dayMs = 86_400_000;

/** `StatementMove` sums entries of the ledger other than those of calls. */
export interface StatementMove {
  kind: string;
  direction: "in" | "out";
  /** 1 for those from before the month. */
  is_before: number;
  entries: number;
  quota: number;
}

/** `MemberModelSums` are the calls of one account (0 for services) with one model. */
export interface MemberModelSums {
  user_id: number;
  username: string | null;
  model_name: string;
  requests: number;
  failures: number;
  quota: number;
  prompt_tokens: number;
  cached_prompt_tokens: number;
  completion_tokens: number;
}

export type StatementStore = ReturnType<typeof createStatementStore>;

export function createStatementStore({ sql, read }: Pick<Database, "sql" | "read">) {
  return {
    /**
     * `listMoves` are of the wallet and of its debt together, so that the payment of a debt moves
     * nothing. What a call cost beyond what a team may owe is a shortfall; its entry names no
     * wallet, and is found by the charge or the debt of the same call. The conditions on `kind`
     * are words that the indexes of migration 103 need.
     */
    async listMoves(walletId: number, { first, end }: MonthSpan): Promise<StatementMove[]> {
      const accounts = raw`(${`wallet:${walletId}`}, ${`debt:${walletId}`})`;
      const until = raw`created_at < ${end * dayMs}`;
      const others = raw`kind <> 'charge' and kind not in ('debt', 'debt_payment') and ${until}`;
      const query = raw<StatementMove>`
        select kind, direction, is_before, count(*) as entries,
          sum(cast(amount as double precision)) as quota
        from (
          select kind, direction, amount,
            case when created_at < ${first * dayMs} then 1 else 0 end as is_before
          from (
            select kind, 'in' as direction, amount, created_at from ledger
              where ${others} and credit in ${accounts}
            union all
            select kind, 'out' as direction, amount, created_at from ledger
              where ${others} and debit in ${accounts}
            union all
            select kind, 'in' as direction, amount, created_at from ledger as lost
              where kind = 'shortfall' and ${until} and exists (
                select 1 from ledger as paid where paid.billing_id = lost.billing_id
                  and paid.kind in ('charge', 'debt') and paid.debit in ${accounts})
          ) as entered
        ) as moved
        group by kind, direction, is_before`;
      const rows = await read<StatementMove>({ compile: () => query.compile(sql) });
      return rows.map(({ entries, quota, is_before, ...row }) => ({
        ...row,
        is_before: Number(is_before),
        entries: Number(entries),
        quota: Number(quota),
      }));
    },

    /** `readSpentBefore` is what all calls before the month were charged. */
    async readSpentBefore(teamId: number, { first }: MonthSpan): Promise<number> {
      const days = selectTeamDays({ sql }, { teamId }, { first: 0, last: first - 1 });
      const spent = raw<number>`coalesce(sum(cast(used.quota as double precision)), 0)`;
      const [row] = await read(days.select(spent.as("quota")));
      return Number(row?.quota ?? 0);
    },

    /** `listCalls` are one read, so that sums by member and by model are those of the same calls. */
    async listCalls(teamId: number, { first, end }: MonthSpan): Promise<MemberModelSums[]> {
      const rows = await read(
        selectTeamDays({ sql }, { teamId }, { first, last: end - 1 })
          .leftJoin("users as named", "named.id", "used.user_id")
          .groupBy(["used.user_id", "named.username", "used.model_name"])
          .select(["used.user_id", "named.username", "used.model_name"])
          .select(teamSums),
      );
      return rows.map((row) => ({
        ...row,
        requests: Number(row.requests),
        failures: Number(row.failures),
        quota: Number(row.quota),
        prompt_tokens: Number(row.prompt_tokens),
        cached_prompt_tokens: Number(row.cached_prompt_tokens),
        completion_tokens: Number(row.completion_tokens),
      }));
    },
  };
}
