/** SQL on passkeys and on the challenges that wait for one. */

import { passkeysPerUserMax } from "@tollgate/contract/accounts/passkeys.ts";
import type { Reference } from "@tollgate/contract/api/ids.ts";
import type { Insertable, Selectable } from "kysely";
import type { Database, Write } from "../../../storage/database.ts";
import type { PasskeyChallengeRow, PasskeysTable } from "../../../storage/tables/passkey-tables.ts";

export type StoredPasskey = Selectable<PasskeysTable>;
export type PasskeyStore = ReturnType<typeof createPasskeyStore>;

export function createPasskeyStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const ofUser = (userId: number) =>
    sql.selectFrom("passkeys").where("passkeys.user_id", "=", userId);
  /** Additions and removals of one user wait for each other here. */
  const lockUser = (userId: number) =>
    sql
      .updateTable("users")
      .set(({ ref }) => ({ role: ref("role") }))
      .where("users.id", "=", userId);

  return {
    ofUser: (userId: number): Promise<StoredPasskey[]> =>
      read(ofUser(userId).selectAll().orderBy("id")),

    async ownByReference(
      userId: number,
      { id, uuid }: Reference,
    ): Promise<StoredPasskey | undefined> {
      const own = ofUser(userId).selectAll();
      const [row] = await read(
        uuid === undefined ? own.where("id", "=", id) : own.where("uuid", "=", uuid),
      );
      return row;
    },

    async byCredential(credentialId: string): Promise<StoredPasskey | undefined> {
      const [row] = await read(
        sql.selectFrom("passkeys").selectAll().where("credential_id", "=", credentialId),
      );
      return row;
    },

    /** The second statement misses when the user has as many as one user may have. */
    add(row: Insertable<PasskeysTable>): Write[] {
      const count = ofUser(row.user_id).select(({ fn }) => fn.countAll<number>().as("count"));
      return [
        { query: lockUser(row.user_id) },
        {
          query: lockUser(row.user_id).where(count, "<", passkeysPerUserMax),
          rows: 1,
          missed: "passkey_limit",
        },
        { query: sql.insertInto("passkeys").values(row), rows: 1, conflict: "passkey_taken" },
      ];
    },

    rename: ({ id, user_id }: StoredPasskey, name: string): Write => ({
      query: sql
        .updateTable("passkeys")
        .set({ name })
        .where("id", "=", id)
        .where("user_id", "=", user_id),
      rows: 1,
      missed: "passkey_not_found",
    }),

    /**
     * Misses when a counting device says no more than before: two devices have the key then. Those
     * that do not count say 0 each time.
     */
    markUsed: (
      { id }: StoredPasskey,
      { counter, isBackedUp }: { counter: number; isBackedUp: boolean },
      now: number,
    ): Write => ({
      query: sql
        .updateTable("passkeys")
        .set({ counter, backed_up: isBackedUp ? 1 : 0, used_at: now })
        .where("id", "=", id)
        .where((row) => (counter === 0 ? row("counter", "=", 0) : row("counter", "<", counter))),
      rows: 1,
      missed: "passkey_copied",
    }),

    /** The last statement misses when the user would have no way left to sign in. */
    remove({ id, user_id }: StoredPasskey): Write[] {
      const others = ofUser(user_id).select("passkeys.id").where("passkeys.id", "<>", id);
      const external = sql
        .selectFrom("external_accounts")
        .select("provider")
        .where("user_id", "=", user_id);
      const password = sql
        .selectFrom("users")
        .select("users.id")
        .where("users.id", "=", user_id)
        .where("users.password_hash", "<>", "");
      return [
        { query: lockUser(user_id), rows: 1 },
        {
          query: lockUser(user_id).where(({ or, exists }) =>
            or([exists(others), exists(external), exists(password)]),
          ),
          rows: 1,
          missed: "external_last_way",
        },
        {
          query: sql.deleteFrom("passkeys").where("id", "=", id).where("user_id", "=", user_id),
          rows: 1,
          missed: "passkey_not_found",
        },
      ];
    },

    /**
     * `removeAll` serves a user who takes the account back: another way in is in the same batch.
     */
    removeAll: (userId: number): Write => ({
      query: sql.deleteFrom("passkeys").where("user_id", "=", userId),
    }),

    addChallenge: (row: PasskeyChallengeRow): Write => ({
      query: sql.insertInto("passkey_challenges").values(row),
      rows: 1,
    }),

    async challenge(hash: string): Promise<PasskeyChallengeRow | undefined> {
      const [row] = await read(
        sql.selectFrom("passkey_challenges").selectAll().where("challenge_hash", "=", hash),
      );
      return row;
    },

    /** `consumeChallenge` is about any number of answers to a challenge one is looked at. */
    consumeChallenge: (hash: string): Write => ({
      query: sql.deleteFrom("passkey_challenges").where("challenge_hash", "=", hash),
      rows: 1,
      missed: "passkey_challenge_invalid",
    }),
  };
}

/** Run by the purge of expired rows. */
export const purgePasskeyChallenges = ({ sql }: Pick<Database, "sql">, now: number): Write => ({
  query: sql.deleteFrom("passkey_challenges").where("expires_at", "<=", now),
});
