/** SQL on destinations of notices. */

import { roles, userStatus } from "@tollgate/contract/accounts/roles.ts";
import type { Reference } from "@tollgate/contract/api/ids.ts";
import type { AlertRuleName, Severity } from "@tollgate/contract/notices/alert-rule-table.ts";
import type { DestinationKind } from "@tollgate/contract/notices/destinations.ts";
import type { Insertable, Selectable } from "kysely";
import type { Database, Write } from "../../storage/database.ts";
import { byReference } from "../../storage/paged-list.ts";
import type { DestinationsTable } from "../../storage/tables/alert-tables.ts";

export type DestinationRow = Selectable<DestinationsTable> & {
  kind: DestinationKind;
  severity: Severity;
};
/** Address and language of an account; the address may be empty. */
export type NoticeHome = { email: string; language: string };

export const parseRules = ({ rules }: Pick<DestinationRow, "rules">): AlertRuleName[] =>
  rules === "" ? [] : (rules.split(",") as AlertRuleName[]);

export type DestinationStore = ReturnType<typeof createDestinationStore>;

export function createDestinationStore({ sql, read }: Pick<Database, "sql" | "read">) {
  return {
    /** User 0 stands for the site. */
    ofUsers: (userIds: readonly number[]): Promise<DestinationRow[]> =>
      read(
        sql.selectFrom("destinations").selectAll().where("user_id", "in", userIds).orderBy("id"),
      ) as Promise<DestinationRow[]>,

    async find(reference: Reference, userId: number): Promise<DestinationRow | undefined> {
      const named = sql
        .selectFrom("destinations")
        .selectAll()
        .where(byReference("destinations", reference));
      return (await read(named.where("user_id", "=", userId)))[0] as DestinationRow | undefined;
    },

    /** `byExternalId` is about the site. */
    async byExternalId(externalId: string): Promise<DestinationRow | undefined> {
      const named = sql
        .selectFrom("destinations")
        .selectAll()
        .where("external_id", "=", externalId);
      return (await read(named))[0] as DestinationRow | undefined;
    },

    /**
     * Adding one locks a row first, so that the guard counts what a concurrent request has
     * committed.
     */
    insert(row: Insertable<DestinationsTable> & { user_id: number }, max: number): Write[] {
      const locked =
        row.user_id === 0
          ? sql
              .updateTable("chores")
              .set(({ ref }) => ({ due_at: ref("due_at") }))
              .where("name", "=", "raise alerts")
          : sql
              .updateTable("users")
              .set(({ ref }) => ({ status: ref("status") }))
              .where("id", "=", row.user_id);
      const count = sql
        .selectFrom("destinations")
        .where("user_id", "=", row.user_id)
        .select(({ fn }) => fn.countAll<number>().as("count"));
      return [
        { query: locked },
        {
          query: sql.insertInto("destinations").values(row),
          rows: 1,
          conflict: { destinations_external_id: "external_id_taken" },
        },
        {
          query: sql
            .updateTable("destinations")
            .set({ updated_at: row.updated_at })
            .where("uuid", "=", row.uuid)
            .where(count, "<=", max),
          rows: 1,
          missed: "destinations_full",
        },
      ];
    },

    /** Misses when it changed after it was read, or was deleted. */
    update: ({ id, updated_at }: DestinationRow, change: Partial<DestinationRow>): Write => ({
      query: sql
        .updateTable("destinations")
        .set(change)
        .where("id", "=", id)
        .where("updated_at", "=", updated_at),
      rows: 1,
      missed: "changed_meanwhile",
    }),

    remove: (id: number): Write[] => [
      { query: sql.deleteFrom("notices").where("destination_id", "=", id) },
      {
        query: sql.deleteFrom("destinations").where("id", "=", id),
        rows: 1,
        missed: "destination_not_found",
      },
    ],

    /**
     * `homesOf` gives, by user, the home of mail without an address of its own: for the site, a
     * root with an address. Absent for disabled users.
     */
    async homesOf(userIds: readonly number[]): Promise<Map<number, NoticeHome>> {
      const enabled = sql.selectFrom("users").where("status", "=", userStatus.enabled);
      const roots = enabled
        .where("role", "=", roles.root)
        .where("email", "<>", "")
        .orderBy("id")
        .limit(1);
      const owners = enabled.where("id", "in", userIds);
      const [users, [root]] = await Promise.all([
        read(owners.select(["id", "email", "language"])),
        userIds.includes(0) ? read(roots.select(["id", "email", "language"])) : [],
      ]);
      return new Map(
        [...users, ...(root ? [{ ...root, id: 0 }] : [])].map(({ id, ...home }) => [id, home]),
      );
    },

    async withWaiting(): Promise<DestinationRow[]> {
      const waiting = sql
        .selectFrom("notices")
        .select("destination_id")
        .where("state", "=", "waiting");
      const rows = sql
        .selectFrom("destinations")
        .selectAll()
        .where("id", "in", waiting)
        .where("disabled", "=", 0);
      return (await read(rows)) as DestinationRow[];
    },

    async balanceBelow(userId: number): Promise<number> {
      const settings = sql
        .selectFrom("notice_settings")
        .select("balance_below")
        .where("user_id", "=", userId);
      return (await read(settings))[0]?.balance_below ?? 0;
    },

    setBalanceBelow: (user_id: number, balance_below: number): Write => ({
      query: sql
        .insertInto("notice_settings")
        .values({ user_id, balance_below })
        .onConflict((conflict) => conflict.column("user_id").doUpdateSet({ balance_below })),
      rows: 1,
    }),

    /** `purgeDeleted` gives those of deleted accounts, with what was sent there. */
    purgeDeleted(): Write[] {
      const deleted = sql.selectFrom("users").select("id").where("status", "=", userStatus.deleted);
      const theirs = sql.selectFrom("destinations").select("id").where("user_id", "in", deleted);
      return [
        { query: sql.deleteFrom("notices").where("destination_id", "in", theirs) },
        { query: sql.deleteFrom("destinations").where("user_id", "in", deleted) },
        { query: sql.deleteFrom("notice_settings").where("user_id", "in", deleted) },
      ];
    },

    setFailing: (id: number, failing: { from: number } | undefined): Write => {
      const row = sql.updateTable("destinations").where("id", "=", id);
      return {
        query: failing
          ? row.set({ failing_since: failing.from }).where("failing_since", "is", null)
          : row.set({ failing_since: null }).where("failing_since", "is not", null),
      };
    },

    disable: (id: number, reason: string): Write => ({
      query: sql
        .updateTable("destinations")
        .set({ disabled: 1, disabled_reason: reason })
        .where("id", "=", id),
    }),
  };
}
