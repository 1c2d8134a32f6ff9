/**
 * SQL on tokens. Every statement carries the owner, so a user never reaches another user's token.
 */

import { type searchTokens, tokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import type { QueryOf } from "@tollgate/contract/api/endpoint.ts";
import type { Reference } from "@tollgate/contract/api/ids.ts";
import {
  type Insertable,
  type RawBuilder,
  sql as raw,
  type Selectable,
  type Updateable,
} from "kysely";
import { planInheritedBudgets } from "../../money/holds/inherited-budgets.ts";
import type { Database, Write } from "../../storage/database.ts";
import {
  byLetters,
  byReference,
  matchesKeyword,
  type PagedRows,
  readPagedList,
} from "../../storage/paged-list.ts";
import { isPaidBy, type PayerScope } from "../../storage/payer-scope.ts";
import { planFewerRows } from "../../storage/rows-per-user.ts";
import type { TokensTable } from "../../storage/tables/token-tables.ts";
import { noOldKey } from "./key-rotation-rules.ts";
import { showsStatus } from "./token-status-filter.ts";

export type TokenRow = Selectable<TokensTable>;
type TokenListQuery = QueryOf<typeof searchTokens>;

/** The token that has this key, or had it before its last rotation. */
export const hasKey = (hash: string) =>
  raw<boolean>`(tokens.key_hash = ${hash} or tokens.old_key_hash = ${hash})`;

/** Tokens that never expire sort last. */
const farFuture = Number.MAX_SAFE_INTEGER;
const sortColumns: Record<string, RawBuilder<unknown>> = {
  id: raw.ref("id"),
  uuid: raw.ref("uuid"),
  name: byLetters("name"),
  key: raw.ref("id"),
  status: raw.ref("status"),
  expired_time: raw`coalesce(expired_at, ${raw.lit(farFuture)})`,
  remain_quota: raw.ref("remain_quota"),
  used_quota: raw.ref("used_quota"),
  created_at: raw.ref("created_at"),
  created_time: raw.ref("created_at"),
  accessed_time: raw.ref("accessed_at"),
  updated_at: raw.ref("updated_at"),
};
const idColumn = raw.ref("id");

export type TokenStore = ReturnType<typeof createTokenStore>;

export function createTokenStore(db: Pick<Database, "sql" | "read" | "dialect">) {
  const { sql, read } = db;
  /**
   * `owned` gives those that the account itself pays for: a key of a team is reached by the team.
   */
  const owned = (userId: number) => paidBy({ userId });
  const paidBy = (payer: PayerScope) =>
    sql.selectFrom("tokens").where(isPaidBy(payer)).where("session_hash", "is", null);

  return {
    page(payer: PayerScope, query: TokenListQuery, nowMs: number): Promise<PagedRows<TokenRow>> {
      const found = paidBy(payer)
        .where(showsStatus(query.status, nowMs))
        .where(matchesKeyword("tokens", ["name"], query.keyword))
        .$if(query.external_id !== undefined, (tokens) =>
          tokens.where("external_id", "=", query.external_id ?? ""),
        );
      return readPagedList(
        { sql, read },
        { rows: found.selectAll(), counted: found.select("id"), sortColumns, idColumn, query },
      );
    },

    /** `holders` are the accounts of keys by their id; a service of a team has none. */
    async holders(
      rows: readonly TokenRow[],
    ): Promise<ReadonlyMap<number, { uuid: string; username: string }>> {
      const ids = [...new Set(rows.map(({ user_id }) => user_id))];
      if (ids.length === 0) return new Map();
      const found = await read(
        sql.selectFrom("users").select(["id", "uuid", "username"]).where("id", "in", ids),
      );
      return new Map(found.map(({ id, ...holder }) => [id, holder]));
    },

    async find(userId: number, reference: Reference): Promise<TokenRow | undefined> {
      const [row] = await read(owned(userId).selectAll().where(byReference("tokens", reference)));
      return row;
    },

    async byExternalId(userId: number, externalId: string): Promise<TokenRow | undefined> {
      const [row] = await read(owned(userId).selectAll().where("external_id", "=", externalId));
      return row;
    },

    async byHash(userId: number, hash: string): Promise<TokenRow | undefined> {
      const [row] = await read(owned(userId).selectAll().where(hasKey(hash)));
      return row;
    },

    /** The playground key of a session. */
    async ofSession(sessionHash: string): Promise<TokenRow | undefined> {
      const [row] = await read(
        sql.selectFrom("tokens").selectAll().where("session_hash", "=", sessionHash),
      );
      return row;
    },

    removeOfSession: (sessionHash: string): Write => ({
      query: sql.deleteFrom("tokens").where("session_hash", "=", sessionHash),
      rows: 1,
    }),

    /** Misses when the user has `max` tokens. */
    requireFewerThan(userId: number, max: number): Write[] {
      const count = owned(userId).select(({ fn }) => fn.countAll<number>().as("count"));
      return planFewerRows({ sql }, userId, count, { max, missed: "too_many_tokens" });
    },

    /**
     * `insert` adds the budgets that templates give them. All of them are made at the same moment.
     */
    insert: (rows: readonly Insertable<TokensTable>[]): Write[] => [
      {
        query: sql.insertInto("tokens").values(rows),
        rows: rows.length,
        conflict: { tokens_user_id_external_id: "external_id_taken" },
      },
      ...planInheritedBudgets(db, "token", rows),
    ],

    /**
     * A key of the playground: it ends in minutes, each session gets a new one, and templates give
     * it nothing.
     */
    insertOfSession: (row: Insertable<TokensTable> & { session_hash: string }): Write => ({
      query: sql.insertInto("tokens").values(row),
      rows: 1,
    }),

    /** Misses when the token changed after it was read. Spending does not count as a change. */
    update(
      { id, user_id, updated_at }: TokenRow,
      change: Omit<Updateable<TokensTable>, "id" | "held_quota" | "used_quota" | "session_hash">,
    ): Write {
      const unchanged = sql
        .updateTable("tokens")
        .where("id", "=", id)
        .where("user_id", "=", user_id);
      const query = unchanged.where("updated_at", "=", updated_at).set(change);
      return {
        query,
        rows: 1,
        missed: "changed_meanwhile",
        conflict: { tokens_user_id_external_id: "external_id_taken" },
      };
    },

    /** Adds in the statement, so that concurrent spending is not lost; never below 0. */
    moveQuota({ id, user_id }: TokenRow, difference: number): Write {
      const moved = raw<number>`case when remain_quota + ${difference} < 0 then 0 else remain_quota + ${difference} end`;
      return {
        query: sql
          .updateTable("tokens")
          .set({ remain_quota: moved })
          .where("id", "=", id)
          .where("user_id", "=", user_id),
        rows: 1,
        missed: "changed_meanwhile",
      };
    },

    remove: ({ id, user_id }: TokenRow): Write => ({
      query: sql.deleteFrom("tokens").where("id", "=", id).where("user_id", "=", user_id),
      rows: 1,
      missed: "token_not_found",
    }),
  };
}

/** Disables every token of a user that can be used; playground keys end with their sessions. */
export const disableTokens = (
  { sql }: Pick<Database, "sql">,
  userId: number,
  now: number,
): Write => ({
  query: sql
    .updateTable("tokens")
    .set({ status: tokenStatus.disabled, updated_at: now })
    .where("user_id", "=", userId)
    .where("session_hash", "is", null)
    .where("status", "=", tokenStatus.enabled),
});

/** Calls with an old key are told for a month that it was replaced; then its hash is forgotten. */
const oldKeyRememberedMs = 30 * 86_400_000;

/** `purgeOldKeys` is for the schedule. */
export const purgeOldKeys = ({ sql }: Pick<Database, "sql">, now: number): Write => ({
  query: sql
    .updateTable("tokens")
    .set(noOldKey)
    .where("old_key_hash", "is not", null)
    .where("old_key_until", "<", now - oldKeyRememberedMs),
});
