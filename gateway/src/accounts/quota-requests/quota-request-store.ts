/**
 * SQL on requests of administrators for quota above their limit. A decided request has no row: the
 * record of changes keeps it.
 */
import { sql as raw, type Selectable } from "kysely";
import type { Database, Write } from "../../storage/database.ts";
import type { QuotaRequestRow } from "../../storage/tables/money-tables.ts";

/** `NamedQuotaRequest` comes with the names that root reads. */
export interface NamedQuotaRequest extends Selectable<QuotaRequestRow> {
  requested_by_name: string | null;
  user_name: string | null;
  code_name: string | null;
  /** `code_quota` is what the code is worth now. */
  code_quota: number | null;
}

/** The requests of one administrator that wait at once. */
export const waitingMax = 50;

export type QuotaRequestStore = ReturnType<typeof createQuotaRequestStore>;

export function createQuotaRequestStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const named = () =>
    sql
      .selectFrom("quota_requests")
      .leftJoin("users as admins", "admins.id", "quota_requests.user_id")
      .leftJoin("users as targets", "targets.uuid", "quota_requests.target_uuid")
      .leftJoin("redemptions", "redemptions.uuid", "quota_requests.target_uuid")
      .selectAll("quota_requests")
      .select([
        "admins.username as requested_by_name",
        "targets.username as user_name",
        "redemptions.name as code_name",
        "redemptions.quota as code_quota",
      ]);

  return {
    /** `waiting` gives all, or those of one administrator, oldest first. */
    waiting: (userId?: number): Promise<NamedQuotaRequest[]> =>
      read(
        named()
          .$if(userId !== undefined, (rows) =>
            rows.where("quota_requests.user_id", "=", userId ?? 0),
          )
          .orderBy("quota_requests.id")
          .limit(waitingMax * 10),
      ),

    async byId(id: number): Promise<QuotaRequestRow | undefined> {
      const [row] = await read(sql.selectFrom("quota_requests").selectAll().where("id", "=", id));
      return row;
    },

    /** Locks the administrator's account, so that concurrent requests see each other. */
    insert(row: QuotaRequestRow): Write[] {
      const locked = sql
        .updateTable("users")
        .set(({ ref }) => ({ status: ref("status") }))
        .where("id", "=", row.user_id);
      const waiting = raw<number>`(select count(*) from quota_requests where user_id = ${row.user_id})`;
      return [
        { query: locked },
        {
          query: locked.where(raw<boolean>`${waiting} < cast(${waitingMax} as integer)`),
          rows: 1,
          missed: "quota_requests_full",
        },
        { query: sql.insertInto("quota_requests").values(row), rows: 1 },
      ];
    },

    /** Misses when another call decided first. */
    remove: (id: number): Write => ({
      query: sql.deleteFrom("quota_requests").where("id", "=", id),
      rows: 1,
      missed: "quota_request_not_found",
    }),
  };
}
