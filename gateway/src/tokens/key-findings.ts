/**
 * What is wrong with keys that work, as conditions on rows of tokens: they say which keys are listed, and which of them hold for
 * each. No log is read.
 */

import type { QueryOf } from "@tollgate/contract/endpoint.ts";
import {
  type ExaminedToken,
  type examinedTokenSorts,
  type KeyFinding,
  keyFindings,
  type listKeyFindings,
  oldKeyDays,
  unusedDaysDefault,
} from "@tollgate/contract/key-hygiene.ts";
import { userStatus } from "@tollgate/contract/roles.ts";
import { tokenStatus } from "@tollgate/contract/tokens.ts";
import { type RawBuilder, sql as raw } from "kysely";
import type { Database } from "../storage/database.ts";
import { byLetters, type PagedRows, pagedList } from "../storage/paged-list.ts";
import type { HeldTokenRow } from "./all-token-store.ts";

const dayMs = 86_400_000;

type FindingsQuery = QueryOf<typeof listKeyFindings>;
type FindingColumns = Record<KeyFinding, 0 | 1>;
type ExaminedRow = HeldTokenRow & FindingColumns;

const keyMadeAt = raw<number>`coalesce(tokens.key_made_at, tokens.created_at)`;

/** Only a token that calls can be made with: a disabled, expired or exhausted one needs no attention. */
const works = (now: number): RawBuilder<boolean> =>
  raw`tokens.status = ${raw.lit(tokenStatus.enabled)} and users.status = ${raw.lit(userStatus.enabled)}
    and (tokens.expired_at is null or tokens.expired_at > ${now})
    and (tokens.unlimited_quota = 1 or tokens.remain_quota > 0)`;

const conditions = (unusedDays: number, now: number): Record<KeyFinding, RawBuilder<boolean>> => ({
  unused: raw`tokens.accessed_at < ${now - unusedDays * dayMs}`,
  // A hard budget on the token limits it as well as a quota does.
  unlimited: raw`tokens.unlimited_quota = 1 and not exists (select 1 from budgets
    where budgets.subject = 'token' and budgets.subject_id = tokens.id and budgets.hard = 1 and budgets.enabled = 1)`,
  old: raw`${keyMadeAt} < ${now - oldKeyDays * dayMs}`,
  never_expires: raw`tokens.expired_at is null`,
});

const sortColumns: Record<(typeof examinedTokenSorts)[number], RawBuilder<unknown>> = {
  id: raw.ref("tokens.id"),
  name: byLetters("tokens.name"),
  accessed_time: raw.ref("tokens.accessed_at"),
  created_time: raw.ref("tokens.created_at"),
};

export type ExaminedPage = PagedRows<{ row: HeldTokenRow; findings: ExaminedToken["findings"] }>;

/** The keys of one user, or of all users. */
export async function keyFindingsPage(
  { sql, read }: Pick<Database, "sql" | "read">,
  { query, userId, now }: { query: FindingsQuery; userId?: number; now: number },
): Promise<ExaminedPage> {
  const found = conditions(query.unused_days ?? unusedDaysDefault, now);
  const wanted = query.finding === undefined ? keyFindings : [query.finding];
  const matching = sql
    .selectFrom("tokens")
    .innerJoin("users", "users.id", "tokens.user_id")
    .where("tokens.session_hash", "is", null)
    .where(works(now))
    .where(
      raw<boolean>`(${raw.join(
        wanted.map((finding) => raw`(${found[finding]})`),
        raw` or `,
      )})`,
    )
    .$if(userId !== undefined, (tokens) => tokens.where("tokens.user_id", "=", userId ?? 0));
  const { rows, ...total } = await pagedList(
    { sql, read },
    {
      rows: matching
        .selectAll("tokens")
        .select(["users.username", "users.uuid as user_uuid", "users.email", "users.language", "users.role"])
        .select(keyFindings.map((finding) => raw<0 | 1>`case when ${found[finding]} then 1 else 0 end`.as(finding))),
      counted: matching.select("tokens.id"),
      sortColumns,
      idColumn: sortColumns.id,
      query,
    },
  );
  return {
    rows: (rows as ExaminedRow[]).map((row) => ({
      row,
      findings: keyFindings.filter((finding) => row[finding] === 1),
    })),
    ...total,
  };
}
