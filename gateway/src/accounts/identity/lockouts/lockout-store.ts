/**
 * SQL on failed sign-ins. They are in the database so that neither an emptied cache nor another
 * node forgets them.
 */
import { createHash } from "node:crypto";
import type { Database, Write } from "../../../storage/database.ts";
import type { SignInFailures } from "./lockout-rules.ts";

export type LockoutStore = ReturnType<typeof createLockoutStore>;

/** Hashed, because a user may type a password into the field of the name. */
const hashAccount = (account: string): string => createHash("sha256").update(account).digest("hex");

export function createLockoutStore({ sql, read }: Pick<Database, "sql" | "read">) {
  return {
    async find(account: string): Promise<SignInFailures | undefined> {
      const query = sql.selectFrom("sign_in_failures").select("failures");
      const [row] = await read(query.where("account_hash", "=", hashAccount(account)));
      return row && (JSON.parse(row.failures) as SignInFailures);
    },

    /** Misses when another failure was counted meanwhile. */
    put(
      account: string,
      previous: SignInFailures | undefined,
      next: SignInFailures,
      forget_at: number,
    ): Write {
      const row = { failures: JSON.stringify(next), forget_at };
      const account_hash = hashAccount(account);
      const query = previous
        ? sql
            .updateTable("sign_in_failures")
            .set(row)
            .where("account_hash", "=", account_hash)
            .where("failures", "=", JSON.stringify(previous))
        : sql
            .insertInto("sign_in_failures")
            .values({ account_hash, ...row })
            .onConflict((taken) => taken.column("account_hash").doNothing());
      return { query, rows: 1 };
    },

    remove: (account: string): Write => ({
      query: sql.deleteFrom("sign_in_failures").where("account_hash", "=", hashAccount(account)),
    }),
  };
}

/** The namespace of failures that count for an account as a whole. */
export const accountLockKind = "password of the account";
export const composeAccountId = (userId: number): string => `id ${userId}`;

/** Belongs to every restored access: failures of strangers must not keep the owner out after it. */
export const endAccountLock = ({ sql }: Pick<Database, "sql">, userId: number): Write => ({
  query: sql
    .deleteFrom("sign_in_failures")
    .where("account_hash", "=", hashAccount(`${accountLockKind} ${composeAccountId(userId)}`)),
});

/** Run by the purge of expired rows. */
export const purgeSignInFailures = ({ sql }: Pick<Database, "sql">, now: number): Write => ({
  query: sql.deleteFrom("sign_in_failures").where("forget_at", "<=", now),
});
