/** SQL on management keys. */
import type { Reference } from "@tollgate/contract/api/ids.ts";
import { type Insertable, type RawBuilder, sql as raw, type Selectable } from "kysely";
import type { Database, Write } from "../../storage/database.ts";
import { byReference, type PagedRows, readPagedList } from "../../storage/paged-list.ts";
import type { PageQuery } from "../../storage/pagination.ts";
import { planFewerRows } from "../../storage/rows-per-user.ts";
import type { ManagementKeysTable } from "../../storage/tables/management-key-table.ts";

export type ManagementKeyRow = Selectable<ManagementKeysTable>;
export type HeldManagementKey = ManagementKeyRow & { username: string; team: string | null };

/** More are no longer looked after by anyone. */
const keysPerUserMax = 50;
/** An expired key stays in the list for a month, so that its maker sees why a program stopped. */
const expiredKeptMs = 30 * 86_400_000;

const idColumn: RawBuilder<unknown> = raw.ref("management_keys.id");

export type ManagementKeyStore = ReturnType<typeof createManagementKeyStore>;

export function createManagementKeyStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const held = () =>
    sql
      .selectFrom("management_keys")
      .innerJoin("users", "users.id", "management_keys.user_id")
      .leftJoin("teams", "teams.id", "management_keys.team_id");
  const shown = (found: ReturnType<typeof held>) =>
    found.selectAll("management_keys").select(["users.username", "teams.name as team"]);

  return {
    /** Keys of one maker or of one team, or of all for neither. */
    page(
      { makerId, teamId }: { makerId?: number | undefined; teamId?: number | undefined },
      query: PageQuery,
    ): Promise<PagedRows<HeldManagementKey>> {
      const found = held()
        .$if(makerId !== undefined, (keys) =>
          keys.where("management_keys.user_id", "=", makerId ?? 0),
        )
        .$if(teamId !== undefined, (keys) =>
          keys.where("management_keys.team_id", "=", teamId ?? 0),
        );
      const rows = shown(found);
      const counted = found.select("management_keys.id");
      return readPagedList({ sql, read }, { rows, counted, sortColumns: {}, idColumn, query });
    },

    async find(reference: Reference): Promise<HeldManagementKey | undefined> {
      const named = held().where(byReference("management_keys", reference));
      const [row] = await read(shown(named));
      return row;
    },

    /** A key that is neither disabled nor deleted. */
    async enabledByHash(hash: string): Promise<ManagementKeyRow | undefined> {
      const found = sql.selectFrom("management_keys").selectAll().where("key_hash", "=", hash);
      const [row] = await read(found.where("disabled", "=", 0));
      return row;
    },

    /** Of a team, it misses where the maker is no longer an admin there. */
    insert(row: Insertable<ManagementKeysTable>): Write[] {
      const { team_id, user_id } = row;
      // The membership stays locked until the batch ends, so that nobody is removed meanwhile.
      const membership: Write = {
        query: sql
          .updateTable("team_members")
          .set(({ ref }) => ({ role: ref("role") }))
          .where("team_id", "=", team_id ?? 0)
          .where("user_id", "=", user_id)
          .where("left_at", "is", null)
          .where("role", "=", "admin"),
        rows: 1,
        missed: "team_not_found",
      };
      const count = sql
        .selectFrom("management_keys")
        .where("user_id", "=", user_id)
        .select(({ fn }) => fn.countAll<number>().as("count"));
      return [
        ...(team_id == null ? [] : [membership]),
        ...planFewerRows({ sql }, user_id, count, {
          max: keysPerUserMax,
          missed: "too_many_management_keys",
        }),
        { query: sql.insertInto("management_keys").values(row), rows: 1 },
      ];
    },

    setDisabled: (id: number, disabled: 0 | 1): Write => ({
      query: sql.updateTable("management_keys").set({ disabled }).where("id", "=", id),
      rows: 1,
      missed: "management_key_not_found",
    }),

    remove: (id: number): Write => ({
      query: sql.deleteFrom("management_keys").where("id", "=", id),
      rows: 1,
      missed: "management_key_not_found",
    }),

    markUsed: (id: number, now: number): Write => ({
      query: sql.updateTable("management_keys").set({ used_at: now }).where("id", "=", id),
    }),
  };
}

/** Run by the purge of expired rows. */
export const purgeManagementKeys = ({ sql }: Pick<Database, "sql">, now: number): Write => ({
  query: sql.deleteFrom("management_keys").where("expires_at", "<", now - expiredKeptMs),
});
