/** SQL on redemption codes. Redeeming one is a money command: storage/money-commands.ts. */
import type { QueryOf } from "@tollgate/contract/endpoint.ts";
import type { Reference } from "@tollgate/contract/ids.ts";
import { redemptionStatus, type searchRedemptions } from "@tollgate/contract/redemptions.ts";
import { type Insertable, type RawBuilder, sql as raw, type Selectable } from "kysely";
import type { Database, Write } from "../storage/database.ts";
import { escapeLike, orderOf, pageOf, totalMax, totalOf } from "../storage/pagination.ts";
import type { RedemptionsTable } from "../storage/schema.ts";

export type RedemptionRow = Selectable<RedemptionsTable>;
/** With the uuid of its creator. */
export type RedemptionWithCreator = RedemptionRow & { user_uuid: string | null };
type RedemptionListQuery = QueryOf<typeof searchRedemptions>;

const byId = raw.ref("redemptions.id");
const sortColumns: Record<string, RawBuilder<unknown>> = {
  id: byId,
  name: raw.ref("redemptions.name"),
  key: byId,
  status: raw.ref("redemptions.status"),
  quota: raw.ref("redemptions.quota"),
  created_at: raw.ref("redemptions.created_at"),
  created_time: raw.ref("redemptions.created_at"),
  redeemed_time: raw`coalesce(redemptions.redeemed_at, 0)`,
  updated_at: raw.ref("redemptions.updated_at"),
};
const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export type RedemptionStore = ReturnType<typeof redemptionStore>;

export function redemptionStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const all = () => sql.selectFrom("redemptions").leftJoin("users", "users.id", "redemptions.user_id");
  const withCreator = () => all().selectAll("redemptions").select("users.uuid as user_uuid");

  const matches = (keyword: string) =>
    uuidPattern.test(keyword)
      ? raw<boolean>`redemptions.uuid = ${keyword.toLowerCase()}`
      : raw<boolean>`lower(redemptions.name) like lower(${`${escapeLike(keyword)}%`}) escape '!'`;

  return {
    async page(
      query: RedemptionListQuery,
    ): Promise<{ rows: RedemptionWithCreator[]; total: number; total_capped?: boolean }> {
      const { column, direction } = orderOf(query, sortColumns, byId);
      const { limit, offset } = pageOf(query);
      const condition = query.keyword === undefined ? raw<boolean>`1 = 1` : matches(query.keyword);
      const page = withCreator().where(condition).orderBy(column, direction).orderBy("redemptions.id", direction);
      const matching = sql
        .selectFrom("redemptions")
        .where(condition)
        .select("id")
        .limit(totalMax + 1);
      const [rows, [counted]] = await Promise.all([
        read(page.limit(limit).offset(offset)),
        read(sql.selectFrom(matching.as("some")).select(({ fn }) => fn.countAll<number>().as("count"))),
      ]);
      return { rows, ...totalOf(Number(counted?.count ?? 0)) };
    },

    async find({ id, uuid }: Reference): Promise<RedemptionWithCreator | undefined> {
      const query =
        id === undefined
          ? withCreator().where("redemptions.uuid", "=", uuid)
          : withCreator().where("redemptions.id", "=", id);
      const [row] = await read(query);
      return row;
    },

    async byHash(hash: string): Promise<RedemptionRow | undefined> {
      const [row] = await read(sql.selectFrom("redemptions").selectAll().where("key_hash", "=", hash));
      return row;
    },

    withUuids: (uuids: readonly string[]): Promise<RedemptionRow[]> =>
      read(sql.selectFrom("redemptions").selectAll().where("uuid", "in", uuids).orderBy("id")),

    /** One statement: all of them or none. */
    insert: (rows: Insertable<RedemptionsTable>[]): Write => ({
      query: sql.insertInto("redemptions").values(rows),
      rows: rows.length,
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
