/**
 * SQL on second factors. The statements themselves decide what may happen only once, never an
 * earlier read.
 */
import type { Selectable } from "kysely";
import type { Database, Write } from "../../../storage/database.ts";
import type { SecondFactorRow } from "../../../storage/tables/account-tables.ts";

export type SecondFactor = Selectable<SecondFactorRow>;
export type TotpStore = ReturnType<typeof createTotpStore>;

export function createTotpStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const ofUser = (userId: number) =>
    sql.updateTable("second_factors").where("user_id", "=", userId);
  /** The factor that was read, and not one that replaced it meanwhile. */
  const unchanged = ({ user_id, secret_sealed }: SecondFactor) =>
    ofUser(user_id).where("secret_sealed", "=", secret_sealed);

  /** Signing in without a code and enabling the factor wait for each other here. */
  const lockUser = (userId: number): Write => ({
    query: sql
      .updateTable("users")
      .set(({ ref }) => ({ role: ref("role") }))
      .where("id", "=", userId),
  });

  return {
    lockUser,

    /** The second statement misses when a factor was enabled since the last read. */
    requireNoFactor(userId: number): Write[] {
      const on = sql.selectFrom("second_factors").select("user_id").where("user_id", "=", userId);
      const unprotected = sql
        .updateTable("users")
        .set(({ ref }) => ({ role: ref("role") }))
        .where("id", "=", userId)
        .where(({ not, exists }) => not(exists(on.where("enabled_at", "is not", null))));
      return [lockUser(userId), { query: unprotected, rows: 1, missed: "totp_required" }];
    },

    async find(userId: number): Promise<SecondFactor | undefined> {
      const [row] = await read(
        sql.selectFrom("second_factors").selectAll().where("user_id", "=", userId),
      );
      return row;
    },

    async recoveryCodesLeft(userId: number): Promise<number> {
      const left = sql
        .selectFrom("recovery_codes")
        .select(({ fn }) => fn.countAll<number>().as("left"));
      const [row] = await read(left.where("user_id", "=", userId));
      return Number(row?.left ?? 0);
    },

    /** Replaces a pending factor. Misses when a factor is enabled. */
    putPending: (
      row: Pick<SecondFactorRow, "user_id" | "secret_sealed" | "created_at">,
    ): Write => ({
      query: sql
        .insertInto("second_factors")
        .values({ ...row, enabled_at: null })
        .onConflict((conflict) =>
          conflict
            .column("user_id")
            .doUpdateSet({ secret_sealed: row.secret_sealed, created_at: row.created_at })
            .where("second_factors.enabled_at", "is", null),
        ),
      rows: 1,
      missed: "totp_already_on",
    }),

    /** The confirming code counts as used. */
    enable: (factor: SecondFactor, step: number, now: number): Write => ({
      query: unchanged(factor)
        .where("enabled_at", "is", null)
        .set({ enabled_at: now, last_step: step, tries: 0 }),
      rows: 1,
      missed: "totp_setup_required",
    }),

    addRecoveryCodes: (userId: number, hashes: readonly string[], now: number): Write => ({
      query: sql
        .insertInto("recovery_codes")
        .values(hashes.map((code_hash) => ({ user_id: userId, code_hash, created_at: now }))),
    }),

    /** Starts a challenge after a correct password: codes may be tried again. */
    challenge: (userId: number, now: number): Write => ({
      query: ofUser(userId).set({ challenged_at: now, tries: 0 }),
    }),

    /**
     * Counts an attempt before its code is compared. Misses when the current challenge has no
     * attempts left.
     */
    countAttempt: (
      userId: number,
      now: number,
      { attemptsMax, lifetimeMs }: { attemptsMax: number; lifetimeMs: number },
    ): Write[] => [
      {
        query: ofUser(userId)
          .where("challenged_at", "<=", now - lifetimeMs)
          .set({ challenged_at: now, tries: 0 }),
      },
      {
        query: ofUser(userId)
          .where("tries", "<", attemptsMax)
          .set(({ eb }) => ({ tries: eb("tries", "+", 1) })),
        rows: 1,
        missed: "totp_tries_over",
      },
    ],

    /** Compare and set: of any number of calls with one code, one succeeds. */
    useStep: (factor: SecondFactor, step: number): Write => ({
      query: unchanged(factor)
        .where("enabled_at", "is not", null)
        .where("last_step", "<", step)
        .set({ last_step: step, tries: 0 }),
      rows: 1,
      missed: "totp_invalid",
    }),

    useRecoveryCode: (userId: number, hash: string): Write => ({
      query: sql
        .deleteFrom("recovery_codes")
        .where("user_id", "=", userId)
        .where("code_hash", "=", hash),
      rows: 1,
      missed: "recovery_code_invalid",
    }),

    remove: (userId: number): Write[] => [
      { query: sql.deleteFrom("recovery_codes").where("user_id", "=", userId) },
      {
        query: sql
          .deleteFrom("second_factors")
          .where("user_id", "=", userId)
          .where("enabled_at", "is not", null),
        rows: 1,
        missed: "totp_not_on",
      },
    ],
  };
}
