/**
 * Faults of keys that work, as conditions on rows of tokens and their counted networks: they say
 * which keys are listed, and which of them hold for each. No log is read.
 */

import {
  type ExaminedToken,
  type examinedTokenSorts,
  type KeyFinding,
  keyFindings,
  type listKeyFindings,
  oldKeyDays,
  unusedDaysDefault,
} from "@tollgate/contract/accounts/key-hygiene.ts";
import { userStatus } from "@tollgate/contract/accounts/roles.ts";
import { tokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import type { QueryOf } from "@tollgate/contract/api/endpoint.ts";
import { type RawBuilder, sql as raw } from "kysely";
import type { Database } from "../../storage/database.ts";
import { byLetters, type PagedRows, readPagedList } from "../../storage/paged-list.ts";
import type { HeldTokenRow } from "./all-token-store.ts";

const dayMs = 86_400_000;

type FindingsQuery = QueryOf<typeof listKeyFindings>;
type FindingColumns = Record<KeyFinding, 0 | 1>;
interface BusiestDayColumns {
  busiest_day: number | null;
  busiest_networks: number | null;
}
export type ExaminedRow = HeldTokenRow & BusiestDayColumns;

const keyMadeAt = raw<number>`coalesce(tokens.key_made_at, tokens.created_at)`;

/**
 * Only a token that calls can be made with: a disabled, expired or exhausted one needs no
 * attention.
 */
const defineWorks = (now: number): RawBuilder<boolean> =>
  raw`tokens.status = ${raw.lit(tokenStatus.enabled)} and users.status = ${raw.lit(userStatus.enabled)}
    and (tokens.expired_at is null or tokens.expired_at > ${now})
    and (tokens.unlimited_quota = 1 or tokens.remain_quota > 0)`;

/**
 * The days of one key with their networks. Those up to the day on which a key was replaced tell of
 * its predecessor.
 */
const countedDays = raw`from key_networks where key_networks.token_id = tokens.id
  and (tokens.key_made_at is null or key_networks.day > tokens.key_made_at / ${raw.lit(dayMs)})
  group by key_networks.day`;
const selectBusiestDay = (column: RawBuilder<unknown>): RawBuilder<number | null> =>
  raw`(select ${column} ${countedDays} order by count(*) desc, key_networks.day desc limit 1)`;

interface Limits {
  unusedDays: number;
  /** 0 where networks are not counted. */
  networks: number;
  now: number;
}

const defineConditions = ({
  unusedDays,
  networks,
  now,
}: Limits): Record<KeyFinding, RawBuilder<boolean>> => ({
  unused: raw`tokens.accessed_at < ${now - unusedDays * dayMs}`,
  // A hard budget on the token limits it as well as a quota does.
  unlimited: raw`tokens.unlimited_quota = 1 and not exists (select 1 from budgets
    where budgets.subject = 'token' and budgets.subject_id = tokens.id and budgets.hard = 1 and budgets.enabled = 1)`,
  old: raw`${keyMadeAt} < ${now - oldKeyDays * dayMs}`,
  never_expires: raw`tokens.expired_at is null`,
  many_networks:
    networks === 0
      ? raw`1 = 0`
      : raw`exists (select 1 ${countedDays} having count(*) > ${networks})`,
});

const sortColumns: Record<(typeof examinedTokenSorts)[number], RawBuilder<unknown>> = {
  id: raw.ref("tokens.id"),
  name: byLetters("tokens.name"),
  accessed_time: raw.ref("tokens.accessed_at"),
  created_time: raw.ref("tokens.created_at"),
};

export type ExaminedPage = PagedRows<{ row: ExaminedRow; findings: ExaminedToken["findings"] }>;

/** The keys of one user, or of all users. */
export async function readKeyFindingsPage(
  { sql, read }: Pick<Database, "sql" | "read">,
  {
    query,
    userId,
    networks,
    now,
  }: { query: FindingsQuery; userId?: number; networks: number; now: number },
): Promise<ExaminedPage> {
  const found = defineConditions({
    unusedDays: query.unused_days ?? unusedDaysDefault,
    networks,
    now,
  });
  const wanted = query.finding === undefined ? keyFindings : [query.finding];
  const matching = sql
    .selectFrom("tokens")
    .innerJoin("users", "users.id", "tokens.user_id")
    .where("tokens.session_hash", "is", null)
    .where(defineWorks(now))
    .where(
      raw<boolean>`(${raw.join(
        wanted.map((finding) => raw`(${found[finding]})`),
        raw` or `,
      )})`,
    )
    .$if(userId !== undefined, (tokens) => tokens.where("tokens.user_id", "=", userId ?? 0));
  const { rows, ...total } = await readPagedList(
    { sql, read },
    {
      rows: matching
        .selectAll("tokens")
        .select([
          "users.username",
          "users.uuid as user_uuid",
          "users.email",
          "users.language",
          "users.role",
        ])
        .select([
          (networks === 0 ? raw<null>`null` : selectBusiestDay(raw`key_networks.day`)).as(
            "busiest_day",
          ),
          (networks === 0 ? raw<null>`null` : selectBusiestDay(raw`count(*)`)).as(
            "busiest_networks",
          ),
        ])
        .select(
          keyFindings.map((finding) =>
            raw<0 | 1>`case when ${found[finding]} then 1 else 0 end`.as(finding),
          ),
        ),
      counted: matching.select("tokens.id"),
      sortColumns,
      idColumn: sortColumns.id,
      query,
    },
  );
  return {
    rows: (rows as (ExaminedRow & FindingColumns)[]).map((row) => ({
      row,
      findings: keyFindings.filter((finding) => row[finding] === 1),
    })),
    ...total,
  };
}
