/** SQL on mailed codes. That one works once only is decided by the statement that takes it. */
import type { Database, Write } from "../storage/database.ts";
import { codeLifetimeMs, codeTriesMax, type MailPurpose, mailCodeHash } from "./mail-code-rules.ts";

export type MailCodeStore = ReturnType<typeof mailCodeStore>;

interface MailCodeInput {
  purpose: MailPurpose;
  /** In lower case. */
  email: string;
  code: string;
  now: number;
}

/** What a wrong or used code is refused with. */
const rejection = { verify: "verification_code_invalid", reset: "reset_link_invalid" } as const;

export function mailCodeStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const hashOf = ({ purpose, email, code }: MailCodeInput) => mailCodeHash(purpose, email, code);

  return {
    /** In place of the one before. */
    put({ userId, ...input }: MailCodeInput & { userId: number | null }): Write {
      const { purpose, email, now } = input;
      const fresh = { code_hash: hashOf(input), user_id: userId, tries: 0, expires_at: now + codeLifetimeMs };
      return {
        query: sql
          .insertInto("mail_codes")
          .values({ purpose, email, ...fresh })
          .onConflict((conflict) => conflict.columns(["purpose", "email"]).doUpdateSet(fresh)),
        rows: 1,
      };
    },

    /** Whose password a link resets; undefined where it is none of ours any more. */
    async userOf(input: MailCodeInput): Promise<number | undefined> {
      const codes = sql.selectFrom("mail_codes").select("user_id").where("code_hash", "=", hashOf(input));
      const [row] = await read(
        codes.where("purpose", "=", input.purpose).where("email", "=", input.email).where("expires_at", ">", input.now),
      );
      return row?.user_id ?? undefined;
    },

    /** Counts a try before the code is looked at. Misses when no tries are left, or no code. */
    try: ({ purpose, email, now }: Omit<MailCodeInput, "code">): Write => ({
      query: sql
        .updateTable("mail_codes")
        .set(({ eb }) => ({ tries: eb("tries", "+", 1) }))
        .where("purpose", "=", purpose)
        .where("email", "=", email)
        .where("expires_at", ">", now)
        .where("tries", "<", codeTriesMax),
      rows: 1,
      missed: rejection[purpose],
    }),

    /** Uses the code up. Misses when it is wrong, too old, or somebody was first. */
    use: (input: MailCodeInput): Write => ({
      query: sql
        .deleteFrom("mail_codes")
        .where("purpose", "=", input.purpose)
        .where("email", "=", input.email)
        .where("code_hash", "=", hashOf(input))
        .where("expires_at", ">", input.now),
      rows: 1,
      missed: rejection[input.purpose],
    }),

    /** For the clock. */
    sweep: (now: number): Write => ({ query: sql.deleteFrom("mail_codes").where("expires_at", "<=", now) }),
  };
}
