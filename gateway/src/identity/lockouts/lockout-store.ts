/** SQL on failures to sign in. They lie in the database: no cache that is emptied and no other node forgets them. */
import { createHash } from "node:crypto";
import type { Database, Write } from "../../storage/database.ts";
import { failuresExpireAt, type SignInFailures } from "./lockout-rules.ts";

export type LockoutStore = ReturnType<typeof lockoutStore>;

/** What was typed as a name may be somebody's password. */
const hashAccount = (account: string): string => createHash("sha256").update(account).digest("hex");

export function lockoutStore({ sql, read }: Pick<Database, "sql" | "read">) {
  return {
    async find(account: string): Promise<SignInFailures | undefined> {
      const query = sql.selectFrom("sign_in_failures").select("failures");
      const [row] = await read(query.where("account_hash", "=", hashAccount(account)));
      return row && (JSON.parse(row.failures) as SignInFailures);
    },

    /** Misses when somebody else was counted meanwhile. */
    put(account: string, previous: SignInFailures | undefined, next: SignInFailures): Write {
      const row = { failures: JSON.stringify(next), forget_at: failuresExpireAt(next) };
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

/** For the clock. */
export const purgeSignInFailures = ({ sql }: Pick<Database, "sql">, now: number): Write => ({
  query: sql.deleteFrom("sign_in_failures").where("forget_at", "<=", now),
});
