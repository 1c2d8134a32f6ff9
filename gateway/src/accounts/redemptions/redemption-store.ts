/** SQL on redemption codes. Redeeming one is a money command: storage/money-commands.ts. */

import {
  redemptionStatus,
  type searchRedemptions,
} from "@tollgate/contract/accounts/redemptions.ts";
import type { QueryOf } from "@tollgate/contract/api/endpoint.ts";
import type { Reference } from "@tollgate/contract/api/ids.ts";
import { type Insertable, type RawBuilder, sql as raw, type Selectable } from "kysely";
import type { Database, Write } from "../../storage/database.ts";
import {
  byLetters,
  byReference,
  matchesKeyword,
  type PagedRows,
  readPagedList,
} from "../../storage/paged-list.ts";
import type { RedemptionsTable } from "../../storage/tables/money-tables.ts";

export type RedemptionRow = Selectable<RedemptionsTable>;
export type NewRedemption = Insertable<RedemptionsTable>;
/** `RedemptionWithUsers` has the uuid of its creator, and the name of its redeemer. */
export type RedemptionWithUsers = RedemptionRow & {
  user_uuid: string | null;
  redeemer: string | null;
};
type RedemptionListQuery = QueryOf<typeof searchRedemptions>;

const idColumn = raw.ref("redemptions.id");
const sortColumns: Record<string, RawBuilder<unknown>> = {
  id: idColumn,
  name: byLetters("redemptions.name"),
  key: idColumn,
  status: raw.ref("redemptions.status"),
  quota: raw.ref("redemptions.quota"),
  created_at: raw.ref("redemptions.created_at"),
  created_time: raw.ref("redemptions.created_at"),
  redeemed_time: raw`coalesce(redemptions.redeemed_at, 0)`,
  updated_at: raw.ref("redemptions.updated_at"),
};

export type RedemptionStore = ReturnType<typeof createRedemptionStore>;

export function createRedemptionStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const withUsers = () =>
    sql
      .selectFrom("redemptions")
      .leftJoin("users", "users.id", "redemptions.user_id")
      .leftJoin("users as redeemers", "redeemers.id", "redemptions.redeemed_by")
      .selectAll("redemptions")
      .select(["users.uuid as user_uuid", "redeemers.username as redeemer"]);

  return {
    page(query: RedemptionListQuery): Promise<PagedRows<RedemptionWithUsers>> {
      const { keyword, external_id, status } = query;
      const conditions = [
        matchesKeyword("redemptions", ["name"], keyword),
        ...(external_id === undefined ? [] : [raw`redemptions.external_id = ${external_id}`]),
        ...(status === undefined ? [] : [raw`redemptions.status = ${status}`]),
      ];
      const condition = raw<boolean>`(${raw.join(conditions, raw` and `)})`;
      const rows = withUsers().where(condition);
      const counted = sql.selectFrom("redemptions").where(condition).select("id");
      return readPagedList({ sql, read }, { rows, counted, sortColumns, idColumn, query });
    },

    async find(reference: Reference): Promise<RedemptionWithUsers | undefined> {
      const [row] = await read(withUsers().where(byReference("redemptions", reference)));
      return row;
    },

    async byExternalId(externalId: string): Promise<RedemptionWithUsers | undefined> {
      const [row] = await read(withUsers().where("redemptions.external_id", "=", externalId));
      return row;
    },

    async byHash(hash: string): Promise<RedemptionRow | undefined> {
      const [row] = await read(
        sql.selectFrom("redemptions").selectAll().where("key_hash", "=", hash),
      );
      return row;
    },

    withUuids: (uuids: readonly string[]): Promise<RedemptionRow[]> =>
      read(sql.selectFrom("redemptions").selectAll().where("uuid", "in", uuids).orderBy("id")),

    /** `insert` gives one statement: all of them or none. */
    insert: (rows: NewRedemption[]): Write => ({
      query: sql.insertInto("redemptions").values(rows),
      rows: rows.length,
      conflict: { redemptions_external_id: "external_id_taken" },
    }),

    /** Misses when the code was changed or redeemed after it was read. */
    update: (
      { id, updated_at }: RedemptionRow,
      change: Pick<RedemptionsTable, "name" | "quota" | "status" | "updated_at">,
    ): Write => ({
      query: sql
        .updateTable("redemptions")
        .set(change)
        .where("id", "=", id)
        .where("updated_at", "=", updated_at)
        .where("status", "<>", redemptionStatus.used),
      rows: 1,
      missed: "changed_meanwhile",
    }),

    remove: ({ id }: RedemptionRow): Write => ({
      query: sql.deleteFrom("redemptions").where("id", "=", id),
      rows: 1,
      missed: "changed_meanwhile",
    }),
  };
}
