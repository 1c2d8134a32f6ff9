/** SQL on failures to sign in. They lie in the database: no cache that is emptied and no other node forgets them. */
import { createHash } from "node:crypto";
import type { Database, Write } from "../storage/database.ts";
import { type Failures, forgottenAt } from "./lockout-rules.ts";

export type LockoutStore = ReturnType<typeof lockoutStore>;

/** What was typed as a name may be somebody's password. */
const hashOf = (account: string): string => createHash("sha256").update(account).digest("hex");

export function lockoutStore({ sql, read }: Pick<Database, "sql" | "read">) {
  return {
    async find(account: string): Promise<Failures | undefined> {
      const query = sql.selectFrom("sign_in_failures").select("failures");
      const [row] = await read(query.where("account_hash", "=", hashOf(account)));
      return row && (JSON.parse(row.failures) as Failures);
    },

    /** Misses when somebody else was counted meanwhile. */
    put(account: string, known: Failures | undefined, failed: Failures): Write {
      const row = { failures: JSON.stringify(failed), forget_at: forgottenAt(failed) };
      const account_hash = hashOf(account);
      const query = known
        ? sql
            .updateTable("sign_in_failures")
            .set(row)
            .where("account_hash", "=", account_hash)
            .where("failures", "=", JSON.stringify(known))
        : sql
            .insertInto("sign_in_failures")
            .values({ account_hash, ...row })
            .onConflict((taken) => taken.column("account_hash").doNothing());
      return { query, rows: 1 };
    },

    remove: (account: string): Write => ({
      query: sql.deleteFrom("sign_in_failures").where("account_hash", "=", hashOf(account)),
    }),
  };
}

/** For the clock. */
export const forgetFailures = ({ sql }: Pick<Database, "sql">, now: number): Write => ({
  query: sql.deleteFrom("sign_in_failures").where("forget_at", "<=", now),
});
