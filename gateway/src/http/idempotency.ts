/** A creation that is repeated with the same `Idempotency-Key` answers what the first one made. */
import { createHash } from "node:crypto";
import { Conflict, type Database, type Write } from "../storage/database.ts";
import type { Caller, Circumstances } from "./caller.ts";
import { refuse } from "./refusal.ts";

const keyPattern = /^[\x21-\x7e]{1,128}$/;
export const keptMs = 24 * 3_600_000;

interface Operation {
  name: string;
  body: unknown;
  /** Creates; the statements of `remember` go into the same batch. Answers how to find again what was made. */
  create(remember: (made: string) => Write[]): Promise<string>;
}

export async function once(
  db: Database,
  { caller, idempotencyKey: key, now }: Circumstances & { caller: Pick<Caller, "id"> },
  { name, body, create }: Operation,
): Promise<string> {
  if (key === undefined) return create(() => []);
  if (!keyPattern.test(key))
    throw refuse("invalid_request", { message: "Idempotency-Key must be 1 to 128 visible ASCII characters" });
  const operation = `${name} ${createHash("sha256").update(JSON.stringify(body)).digest("hex")}`;

  const earlier = async (): Promise<string | undefined> => {
    const query = db.sql.selectFrom("idempotency_keys").select(["operation", "reply"]);
    const [row] = await db.read(query.where("user_id", "=", caller.id).where("key", "=", key));
    if (row && row.operation !== operation) throw refuse("idempotency_key_reused");
    return row?.reply;
  };
  const remember = (made: string): Write[] => [
    {
      query: db.sql
        .insertInto("idempotency_keys")
        .values({ user_id: caller.id, key, operation, reply: made, created_at: now }),
      rows: 1,
    },
  ];

  const made = await earlier();
  if (made !== undefined) return made;
  try {
    return await create(remember);
  } catch (error) {
    // The same call arrived twice at once and the other one was first.
    const first = error instanceof Conflict ? await earlier() : undefined;
    if (first === undefined) throw error;
    return first;
  }
}

/** For the clock. */
export const forgetOldKeys = ({ sql }: Pick<Database, "sql">, now: number): Write => ({
  query: sql.deleteFrom("idempotency_keys").where("created_at", "<", now - keptMs),
});
