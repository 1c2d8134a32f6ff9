/** Repeats of a creation with the same `Idempotency-Key` get the result of the first one. */
import { createHash } from "node:crypto";
import { Conflict, type Database, type Write } from "../storage/database.ts";
import { refuse } from "./refusal.ts";
import type { Principal, RequestContext } from "./request-context.ts";

const keyPattern = /^[\x21-\x7e]{1,128}$/;
export const idempotencyKeyLifetimeMs = 24 * 3_600_000;

interface IdempotentOperation {
  name: string;
  body: unknown;
  /**
   * Creates the resource, with the statements of `remember` in the same batch, and returns the reference that finds it
   * again.
   */
  create(remember: (reference: string) => Write[]): Promise<string>;
}

export async function idempotent(
  db: Database,
  {
    principal,
    idempotencyKey: sent,
    now,
  }: Pick<RequestContext, "idempotencyKey" | "now"> & {
    principal: Pick<Principal, "id"> & Partial<Pick<Principal, "credential">>;
  },
  { name, body, create }: IdempotentOperation,
): Promise<string> {
  if (sent === undefined) return create(() => []);
  if (!keyPattern.test(sent))
    throw refuse("invalid_request", { message: "Idempotency-Key must be 1 to 128 visible ASCII characters" });
  // No sent key contains a space, so that keys of one program never meet those of another or of their maker.
  const key =
    principal.credential?.kind === "management_key" ? `management-key ${principal.credential.id} ${sent}` : sent;
  const operation = `${name} ${createHash("sha256").update(JSON.stringify(body)).digest("hex")}`;

  const earlier = async (): Promise<string | undefined> => {
    const query = db.sql.selectFrom("idempotency_keys").select(["operation", "reply"]);
    const [row] = await db.read(query.where("user_id", "=", principal.id).where("key", "=", key));
    if (row && row.operation !== operation) throw refuse("idempotency_key_reused");
    return row?.reply;
  };
  const remember = (reference: string): Write[] => [
    {
      query: db.sql
        .insertInto("idempotency_keys")
        .values({ user_id: principal.id, key, operation, reply: reference, created_at: now }),
      rows: 1,
    },
  ];

  const reference = await earlier();
  if (reference !== undefined) return reference;
  try {
    return await create(remember);
  } catch (error) {
    // The same call arrived twice at once, and the other one was first.
    const first = error instanceof Conflict ? await earlier() : undefined;
    if (first === undefined) throw error;
    return first;
  }
}

/** Run by the purge of expired rows. */
export const purgeIdempotencyKeys = ({ sql }: Pick<Database, "sql">, now: number): Write => ({
  query: sql.deleteFrom("idempotency_keys").where("created_at", "<", now - idempotencyKeyLifetimeMs),
});
