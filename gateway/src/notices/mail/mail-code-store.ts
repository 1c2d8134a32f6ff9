/** SQL on mailed codes. The statement that consumes a code decides that it works once. */
import type { Database, Write } from "../../storage/database.ts";
import {
  codeAttemptsMax,
  codeLifetimeMs,
  type MailPurpose,
  mailCodeHash,
} from "./mail-code-rules.ts";

export type MailCodeStore = ReturnType<typeof mailCodeStore>;

interface MailCodeInput {
  purpose: MailPurpose;
  /** Lower case; of a destination of notices its uuid. */
  email: string;
  code: string;
  now: number;
}

/** The refusal of a wrong or used code. */
const rejection = {
  verify: "verification_code_invalid",
  reset: "reset_link_invalid",
  destination: "verification_code_invalid",
  link: "verification_code_invalid",
} as const;

export function mailCodeStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const hashOf = ({ purpose, email, code }: MailCodeInput) => mailCodeHash(purpose, email, code);

  return {
    /** Replaces the previous code. */
    put({ userId, ...input }: MailCodeInput & { userId: number | null }): Write {
      const { purpose, email, now } = input;
      const fresh = {
        code_hash: hashOf(input),
        user_id: userId,
        tries: 0,
        expires_at: now + codeLifetimeMs,
      };
      return {
        query: sql
          .insertInto("mail_codes")
          .values({ purpose, email, ...fresh })
          .onConflict((conflict) => conflict.columns(["purpose", "email"]).doUpdateSet(fresh)),
        rows: 1,
      };
    },

    /** The user whom the code or link was mailed for; undefined when it is invalid. */
    async userOf(input: MailCodeInput): Promise<number | undefined> {
      const codes = sql
        .selectFrom("mail_codes")
        .select("user_id")
        .where("code_hash", "=", hashOf(input));
      const [row] = await read(
        codes
          .where("purpose", "=", input.purpose)
          .where("email", "=", input.email)
          .where("expires_at", ">", input.now),
      );
      return row?.user_id ?? undefined;
    },

    /**
     * Counts an attempt before the code is compared. Misses when no attempts are left, or no code
     * exists.
     */
    countAttempt: ({ purpose, email, now }: Omit<MailCodeInput, "code">): Write => ({
      query: sql
        .updateTable("mail_codes")
        .set(({ eb }) => ({ tries: eb("tries", "+", 1) }))
        .where("purpose", "=", purpose)
        .where("email", "=", email)
        .where("expires_at", ">", now)
        .where("tries", "<", codeAttemptsMax),
      rows: 1,
      missed: rejection[purpose],
    }),

    /** Consumes the code. Misses when it is wrong, expired or already consumed. */
    consume: (input: MailCodeInput): Write => ({
      query: sql
        .deleteFrom("mail_codes")
        .where("purpose", "=", input.purpose)
        .where("email", "=", input.email)
        .where("code_hash", "=", hashOf(input))
        .where("expires_at", ">", input.now),
      rows: 1,
      missed: rejection[input.purpose],
    }),

    /** Run by the purge of expired rows. */
    sweep: (now: number): Write => ({
      query: sql.deleteFrom("mail_codes").where("expires_at", "<=", now),
    }),
  };
}
