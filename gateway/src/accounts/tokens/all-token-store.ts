/** SQL on the tokens of all users, for administrators; playground keys are left out. */
import type { listAllTokens, TakenAction } from "@tollgate/contract/accounts/all-tokens.ts";
import { userStatus } from "@tollgate/contract/accounts/roles.ts";
import type { QueryOf } from "@tollgate/contract/api/endpoint.ts";
import type { Reference } from "@tollgate/contract/api/ids.ts";
import { type RawBuilder, sql as raw, type Updateable } from "kysely";
import type { Database, Write } from "../../storage/database.ts";
import {
  byReference,
  isOtherThan,
  matchesKeyword,
  type PagedRows,
  readPagedList,
} from "../../storage/paged-list.ts";
import { chooseOrder } from "../../storage/pagination.ts";
import type { TokensTable } from "../../storage/tables/token-tables.ts";
import type { OldKey } from "./key-rotation-rules.ts";
import type { PauseColumns } from "./pause-rules.ts";
import { showsStatus } from "./token-status-filter.ts";
import { hasKey, type TokenRow } from "./token-store.ts";

/** A token with what its owner is called, reached by and allowed. */
export type HeldTokenRow = TokenRow & {
  username: string;
  user_uuid: string;
  email: string;
  language: string;
  role: number;
};

const idColumn = raw.ref("tokens.id");
const sortColumns: Record<string, RawBuilder<unknown>> = {
  id: idColumn,
  name: raw.ref("tokens.name"),
  username: raw.ref("users.username"),
  status: raw.ref("tokens.status"),
  used_quota: raw.ref("tokens.used_quota"),
  created_time: raw.ref("tokens.created_at"),
  accessed_time: raw.ref("tokens.accessed_at"),
};

/** `isAboutOwners` is false where neither the filters nor the order read a column of users. */
const isAboutOwners = (query: QueryOf<typeof listAllTokens>): boolean =>
  query.keyword !== undefined ||
  query.owner !== undefined ||
  chooseOrder(query, sortColumns, idColumn).column === sortColumns.username;

export type AllTokenStore = ReturnType<typeof createAllTokenStore>;

export function createAllTokenStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const held = () =>
    sql
      .selectFrom("tokens")
      .innerJoin("users", "users.id", "tokens.user_id")
      .where("tokens.session_hash", "is", null)
      .where(isOtherThan("users.status", userStatus.deleted));
  /**
   * The same tokens without their owners: to find a late page, PostgreSQL would look each of them
   * up. The key of a service has no owner.
   */
  const alone = (status: QueryOf<typeof listAllTokens>["status"], nowMs: number) =>
    sql
      .selectFrom("tokens")
      .select("tokens.id")
      .where("tokens.session_hash", "is", null)
      .where("tokens.user_id", "<>", 0)
      .where(({ eb, selectFrom }) =>
        eb(
          "tokens.user_id",
          "not in",
          selectFrom("users")
            .select("users.id")
            .where("users.status", "=", raw.lit(userStatus.deleted)),
        ),
      )
      .where(showsStatus(status, nowMs));
  const owner = [
    "users.username",
    "users.uuid as user_uuid",
    "users.email",
    "users.language",
    "users.role",
  ] as const;

  return {
    page(query: QueryOf<typeof listAllTokens>, nowMs: number): Promise<PagedRows<HeldTokenRow>> {
      const { owner: username } = query;
      const matches = [
        matchesKeyword("tokens", ["name", "key_ending"], query.keyword),
        matchesKeyword("users", ["username", "display_name", "email"], query.keyword),
      ];
      const found = held()
        .where(raw<boolean>`(${raw.join(matches, raw` or `)})`)
        .where(showsStatus(query.status, nowMs))
        .$if(username !== undefined, (tokens) =>
          tokens.where("users.username", "=", username ?? ""),
        );
      return readPagedList(
        { sql, read },
        {
          rows: found.selectAll("tokens").select(owner),
          counted: isAboutOwners(query) ? found.select("tokens.id") : alone(query.status, nowMs),
          sortColumns,
          idColumn,
          query,
          findsIdsFirst: true,
        },
      );
    },

    async byHash(hash: string): Promise<HeldTokenRow | undefined> {
      const [row] = await read(held().selectAll("tokens").select(owner).where(hasKey(hash)));
      return row;
    },

    async find(reference: Reference): Promise<HeldTokenRow | undefined> {
      const [row] = await read(
        held().selectAll("tokens").select(owner).where(byReference("tokens", reference)),
      );
      return row;
    },

    /** Misses when the token changed after it was read. Spending does not count as a change. */
    take(
      { id, updated_at }: TokenRow,
      action: TakenAction | null,
      change: Pick<
        Updateable<TokensTable>,
        | "status"
        | "key_hash"
        | "key_sealed"
        | "key_ending"
        | "key_made_at"
        | keyof OldKey
        | keyof PauseColumns
      >,
      now: number,
    ): Write {
      const takenAction = action === null ? {} : { taken_action: action, taken_action_at: now };
      const columns = { ...change, ...takenAction, updated_at: Math.max(now, updated_at + 1) };
      const unchanged = sql
        .updateTable("tokens")
        .where("id", "=", id)
        .where("updated_at", "=", updated_at);
      return { query: unchanged.set(columns), rows: 1, missed: "changed_meanwhile" };
    },

    /** `notices` gives what the owner has not confirmed, newest first. */
    async notices(userId: number) {
      const rows = await read(
        sql
          .selectFrom("tokens")
          .where("user_id", "=", userId)
          .where("taken_action", "is not", null)
          .select(["uuid", "name", "taken_action", "taken_action_at"])
          .orderBy("taken_action_at", "desc"),
      );
      return rows.map(({ uuid, name, taken_action, taken_action_at }) => ({
        uuid,
        name,
        action: taken_action as TakenAction,
        at: taken_action_at ?? 0,
      }));
    },

    confirmNotices: (userId: number, until: number): Write => ({
      query: sql
        .updateTable("tokens")
        .set({ taken_action: null, taken_action_at: null })
        .where("user_id", "=", userId)
        .where("taken_action_at", "<=", until),
    }),
  };
}
