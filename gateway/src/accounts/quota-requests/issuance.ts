/**
 * Issues of an administrator on one UTC day are bounded by `AdminIssueLimit`: codes, top-ups, edits
 * of quota and first quotas of accounts. An issue that exceeds it is not done and waits for root.
 * Root issues without a bound. An issue that is taken back or deleted counts nevertheless, or a
 * limit could be used again and again.
 */

import { roles } from "@tollgate/contract/accounts/roles.ts";
import { quotaMax } from "@tollgate/contract/api/scalars.ts";
import { sql as raw } from "kysely";
import { hasScope } from "../../http/management-key-access.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext, Principal } from "../../http/request-context.ts";
import { formatQuotaText } from "../../money/quota-text.ts";
import { planAlertEvent } from "../../notices/alerts/alert-events.ts";
import { unitsPerDollar } from "../../notices/alerts/dollars-of.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import { type ChangeTopic, type Database, tryWrite, type Write } from "../../storage/database.ts";
import type { QuotaRequestRow } from "../../storage/tables/money-tables.ts";
import type { QuotaRequestStore } from "./quota-request-store.ts";

export const dayMs = 86_400_000;

/** `Issue` is the act of issuing, as root would have to repeat it. */
export interface Issue
  extends Pick<QuotaRequestRow, "kind" | "target_uuid" | "name" | "quota" | "count"> {
  /** Units in total; what is not positive counts for nothing. */
  amount: number;
}

interface IssueBatch {
  batch: readonly Write[];
  /** Statements that are written with the request where the batch is not. */
  otherwise?: readonly Write[];
  changes?: readonly ChangeTopic[];
}

export interface Issuance {
  /**
   * Writes the batch and counts what it issues. Where that exceeds the limit of the caller, a
   * request is stored in its place. A batch that is rejected for another reason rejects as
   * `Database.write` does.
   */
  issue(call: AuthenticatedContext, issue: Issue, batch: IssueBatch): Promise<"issued" | "waits">;
  /**
   * `issueMany` does the same for many targets in one batch, refused as a whole above the limit: a
   * request stands for one target.
   */
  issueMany(call: AuthenticatedContext, amount: number, batch: readonly Write[]): Promise<void>;
}

interface IssuanceDeps {
  db: Database;
  store: QuotaRequestStore;
  options: OptionReader;
}

export function createIssuance({ db, store, options }: IssuanceDeps): Issuance {
  async function request(
    call: AuthenticatedContext,
    issue: Issue,
    { otherwise = [], changes = [] }: IssueBatch,
  ) {
    const { amount, ...asked } = issue;
    const { id: userId, username } = call.principal;
    if (amount > quotaMax) throw refuse("quota_too_high");
    const id = db.mintId();
    await db.write(
      [
        ...store.insert({ id, user_id: userId, ...asked, created_at: call.now }),
        ...otherwise,
        planAlertEvent(
          db,
          {
            rule: "quota.waiting",
            subject: { kind: "user", id: userId, name: username },
            state: "firing",
            facts: {
              kind: "quota_waits",
              administrator: username,
              amount: formatQuotaText(amount, options),
            },
            measure: {
              value: amount / unitsPerDollar,
              threshold: options.number("AdminIssueLimit") / unitsPerDollar,
            },
          },
          call.now,
        ),
        ...call.audit("quota_request.create", asked.target_uuid, { request: id, amount, ...asked }),
      ],
      { changes },
    );
  }

  /** The statements that count the amount. */
  function countWrites({ principal, now }: AuthenticatedContext, amount: number): Write[] {
    // Codes are quota as well. What only takes quota back moves money too.
    if (amount !== 0 && !hasScope(principal, "wallets:grant"))
      throw refuse("management_key_scope", { data: { scope: "wallets:grant" } });
    return issueWrites(db, principal, {
      amount,
      at: now,
      limit: options.number("AdminIssueLimit"),
    });
  }

  return {
    async issueMany(call, amount, batch) {
      await db.write([...countWrites(call, amount), ...batch]);
    },

    async issue(call, issue, batch) {
      const counted = countWrites(call, issue.amount);
      const rejected = await tryWrite(db, [...counted, ...batch.batch], {
        changes: batch.changes ?? [],
      });
      if (!rejected) return "issued";
      if (rejected.code !== "issue_limit_reached") throw rejected;
      await request(call, issue, batch);
      return "waits";
    },
  };
}

/**
 * Counts units against the limit of the day; the guard is in the statement. It comes first in its
 * batch, so that the acts of one administrator wait for each other before they lock anything else.
 */
export function issueWrites(
  { sql }: Pick<Database, "sql">,
  { id, role }: Pick<Principal, "id" | "role">,
  { amount, at, limit }: { amount: number; at: number; limit: number },
): Write[] {
  if (role >= roles.root || amount <= 0) return [];
  const bounded = raw`cast(${Math.min(amount, quotaMax + 1)} as bigint)`;
  const max = raw`cast(${limit} as bigint)`;
  const count = raw`
    insert into admin_issues (user_id, day, amount)
    select cast(${id} as bigint), cast(${Math.floor(at / dayMs)} as bigint), ${bounded} where ${bounded} <= ${max}
    on conflict (user_id, day) do update set amount = admin_issues.amount + excluded.amount
    where admin_issues.amount + excluded.amount <= ${max}`;
  return [{ query: { compile: () => count.compile(sql) }, rows: 1, missed: "issue_limit_reached" }];
}

/** A count is needed on its day alone. */
const countsKeptDays = 7;

/** Run by the purge of expired rows. */
export const purgeIssueCounts = ({ sql }: Pick<Database, "sql">, now: number): Write => ({
  query: sql.deleteFrom("admin_issues").where("day", "<", Math.floor(now / dayMs) - countsKeptDays),
});
