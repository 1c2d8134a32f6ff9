/** SQL on external accounts and on the states of OAuth flows. */
import type { ExternalAccountProvider } from "@tollgate/contract/accounts/external-sign-in.ts";
import { userStatus } from "@tollgate/contract/accounts/roles.ts";
import type { Insertable, Selectable } from "kysely";
import type { Database, Write } from "../../../storage/database.ts";
import type { ExternalAccountRow, OauthStateRow } from "../../../storage/tables/account-tables.ts";

export interface ExternalAccountOwner {
  userId: number;
  isDeleted: boolean;
}
export type ExternalAccount = Selectable<ExternalAccountRow>;
export type OauthState = Selectable<OauthStateRow>;
export type ExternalStore = ReturnType<typeof createExternalStore>;

export function createExternalStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const stateOf = (hash: string) => sql.updateTable("oauth_states").where("state_hash", "=", hash);

  return {
    /**
     * Finds deleted owners too: their row stays, so that a user gets the welcome quota only once.
     */
    async ownerOf(
      provider: ExternalAccountProvider,
      externalId: string,
    ): Promise<ExternalAccountOwner | undefined> {
      const [row] = await read(
        sql
          .selectFrom("external_accounts")
          .innerJoin("users", "users.id", "external_accounts.user_id")
          .select(["users.id", "users.status"])
          .where("provider", "=", provider)
          .where("external_accounts.external_id", "=", externalId),
      );
      return row && { userId: row.id, isDeleted: row.status === userStatus.deleted };
    },

    async ofUser(userId: number): Promise<ExternalAccount[]> {
      const mine = sql.selectFrom("external_accounts").selectAll().where("user_id", "=", userId);
      return read(mine.orderBy("provider"));
    },

    /**
     * The user may be created in the same batch. Takes the external account over from a deleted
     * user.
     */
    bind(
      row: Omit<
        Insertable<ExternalAccountRow>,
        "user_id" | "given_role" | "given_group" | "signed_in_at"
      >,
      userUuid: string,
      deleted: ExternalAccountOwner | undefined,
    ): Write {
      const user_id = sql.selectFrom("users").select("id").where("uuid", "=", userUuid);
      const conflict = "external_bound_already";
      if (!deleted)
        return {
          query: sql.insertInto("external_accounts").values({ ...row, user_id }),
          rows: 1,
          conflict,
        };
      const { provider, external_id, ...columns } = row;
      const moved = sql
        .updateTable("external_accounts")
        .set({ ...columns, user_id, given_role: null, given_group: null });
      const same = moved.where("provider", "=", provider).where("external_id", "=", external_id);
      return { query: same.where("user_id", "=", deleted.userId), rows: 1, conflict };
    },

    /** `signedIn` is for keys that rest without one. */
    signedIn: (provider: ExternalAccountProvider, externalId: string, now: number): Write => ({
      query: sql
        .updateTable("external_accounts")
        .set({ signed_in_at: now })
        .where("provider", "=", provider)
        .where("external_id", "=", externalId),
    }),

    /** Remembers what the provider's rules gave. */
    setGiven: (
      {
        provider,
        external_id,
        user_id,
      }: Pick<ExternalAccount, "provider" | "external_id" | "user_id">,
      given: Pick<ExternalAccount, "given_role" | "given_group">,
    ): Write => ({
      query: sql
        .updateTable("external_accounts")
        .set(given)
        .where("provider", "=", provider)
        .where("external_id", "=", external_id)
        .where("user_id", "=", user_id),
      rows: 1,
      missed: "changed_meanwhile",
    }),

    /**
     * The second statement misses when the user would have no way left to sign in. The first one
     * locks the user, so that two concurrent removals cannot both count on what the other one
     * removes.
     */
    unbind(userId: number, provider: ExternalAccountProvider): Write[] {
      const lockUser = sql.updateTable("users").set(({ ref }) => ({ role: ref("role") }));
      const others = sql.selectFrom("external_accounts as other").select("other.user_id");
      const password = sql.selectFrom("users").select("users.id").where("users.id", "=", userId);
      const passkeys = sql
        .selectFrom("passkeys")
        .select("passkeys.user_id")
        .where("passkeys.user_id", "=", userId);
      return [
        { query: lockUser.where("id", "=", userId), rows: 1 },
        {
          query: sql
            .deleteFrom("external_accounts")
            .where("user_id", "=", userId)
            .where("provider", "=", provider)
            .where(({ or, exists }) =>
              or([
                exists(
                  others
                    .where("other.user_id", "=", userId)
                    .where("other.provider", "<>", provider),
                ),
                exists(password.where("users.password_hash", "<>", "")),
                exists(passkeys),
              ]),
            ),
          rows: 1,
          missed: "external_last_way",
        },
      ];
    },

    /** `remove` serves a user who takes the account back: another way in is in the same batch. */
    remove: ({ provider, external_id, user_id }: ExternalAccount): Write => ({
      query: sql
        .deleteFrom("external_accounts")
        .where("provider", "=", provider)
        .where("external_id", "=", external_id)
        .where("user_id", "=", user_id),
    }),

    addState: (
      row: Pick<
        OauthState,
        "state_hash" | "browser_hash" | "bind_user_id" | "expires_at" | "flow_sealed"
      >,
    ): Write => ({
      query: sql.insertInto("oauth_states").values(row),
      rows: 1,
    }),

    async state(hash: string): Promise<OauthState | undefined> {
      const [row] = await read(
        sql.selectFrom("oauth_states").selectAll().where("state_hash", "=", hash),
      );
      return row;
    },

    /**
     * `claim` is about any number of callbacks one succeeds; the same callback may try again after
     * it failed to reach the provider.
     */
    claim: (hash: string, request: string, now: number, attemptUntil: number): Write => ({
      query: stateOf(hash)
        .where("result", "is", null)
        .where("attempt_until", "<=", now)
        .where((row) =>
          row.or([row("request_hash", "is", null), row("request_hash", "=", request)]),
        )
        .set(({ fn, val }) => ({
          request_hash: request,
          used_at: fn.coalesce("used_at", val(now)),
          attempt_until: attemptUntil,
        })),
      rows: 1,
    }),

    release: (hash: string): Write => ({
      query: stateOf(hash).where("result", "is", null).set({ attempt_until: 0 }),
    }),

    storeResult: (hash: string, result: string): Write => ({
      query: stateOf(hash).where("result", "is", null).set({ result }),
      rows: 1,
    }),

    /**
     * Takes a result back that a code has settled, for the sign-in that follows. Misses when
     * another one was first.
     */
    reopen: ({ state_hash, result }: OauthState, now: number): Write => ({
      query: stateOf(state_hash).where("result", "=", result).set({ result: null, used_at: now }),
      rows: 1,
      missed: "oauth_state_invalid",
    }),

    /** Keeps a state as long as the code that was mailed for it. */
    keepUntil: (hash: string, expires_at: number): Write => ({
      query: stateOf(hash).set({ expires_at }),
    }),

    /** Consumes a result that works once. */
    consumeState: (hash: string): Write => ({
      query: sql.deleteFrom("oauth_states").where("state_hash", "=", hash),
      rows: 1,
      missed: "oauth_state_invalid",
    }),
  };
}

/** Run by the purge of expired rows. */
export const purgeOauthStates = ({ sql }: Pick<Database, "sql">, before: number): Write => ({
  query: sql.deleteFrom("oauth_states").where("expires_at", "<", before),
});
