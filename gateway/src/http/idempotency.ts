/** Repeats of a creation with the same `Idempotency-Key` get the result of the first one. */
import { createHash } from "node:crypto";
import { type Database, RejectedWrite, type Write } from "../storage/database.ts";
import { Refusal, refuse } from "./refusal.ts";
import type { Principal, RequestContext } from "./request-context.ts";

const keyPattern = /^[\x21-\x7e]{1,128}$/;
export const isIdempotencyKey = (sent: string): boolean => keyPattern.test(sent);
export const idempotencyKeyLifetimeMs = 24 * 3_600_000;

/**
 * `secretShownMs` are as long as a sign-in is recent proof: a repetition because the reply was lost
 * comes sooner.
 */
const secretShownMs = 10 * 60_000;
/**
 * `showsSecretAgain` says whether a repetition still shows the key or code that only the reply to
 * its creation has.
 */
export const showsSecretAgain = (madeAt: number, now: number): boolean =>
  now - madeAt < secretShownMs;

interface IdempotentOperation {
  name: string;
  body: unknown;
  /**
   * Creates the resource, with the statements of `remember` in the same batch, and returns the
   * reference that finds it again.
   */
  create(remember: (reference: string) => Write[]): Promise<string>;
}

export interface Creation {
  /** Finds what was made. */
  reference: string;
  /** Unix milliseconds of the first call: those of this call, unless it repeats another. */
  madeAt: number;
}

type IdempotentCaller = Pick<RequestContext, "idempotencyKey" | "comparedBy" | "now"> & {
  principal: Pick<Principal, "id"> & Partial<Pick<Principal, "credential">>;
};

export const idempotent = async (
  db: Database,
  caller: IdempotentCaller,
  operation: IdempotentOperation,
): Promise<string> => (await idempotentCreation(db, caller, operation)).reference;

/** `idempotentCreation` is for replies that show a secret: `madeAt` says for how long. */
export async function idempotentCreation(
  db: Database,
  { principal, idempotencyKey: sent, comparedBy, now }: IdempotentCaller,
  { name, body, create }: IdempotentOperation,
): Promise<Creation> {
  const created = async (remember: (reference: string) => Write[]) => ({
    reference: await create(remember),
    madeAt: now,
  });
  if (sent === undefined) return created(() => []);
  if (!isIdempotencyKey(sent))
    throw refuse("invalid_request", {
      message: "Idempotency-Key must be 1 to 128 visible ASCII characters",
    });
  // No sent key contains a space, so that keys of one program never meet those of another or of
  // their maker.
  const key =
    principal.credential?.kind === "management_key"
      ? `management-key ${principal.credential.id} ${sent}`
      : sent;
  const operation = `${name} ${createHash("sha256")
    .update(comparedBy ?? JSON.stringify(body))
    .digest("hex")}`;

  const earlier = async (): Promise<Creation | undefined> => {
    const query = db.sql
      .selectFrom("idempotency_keys")
      .select(["operation", "reply", "created_at"]);
    const [row] = await db.read(query.where("user_id", "=", principal.id).where("key", "=", key));
    if (row && row.operation !== operation) throw refuse("idempotency_key_reused");
    return row && { reference: row.reply, madeAt: row.created_at };
  };
  const remember = (reference: string): Write[] => [
    {
      query: db.sql
        .insertInto("idempotency_keys")
        .values({ user_id: principal.id, key, operation, reply: reference, created_at: now }),
      rows: 1,
    },
  ];

  const known = await earlier();
  if (known) return known;
  try {
    return await created(remember);
  } catch (error) {
    // The same call arrived twice at once, and the other one was first: what it changed may be what
    // refuses this one, such as a balance that covers it once.
    const isRefused = error instanceof RejectedWrite || error instanceof Refusal;
    const first = isRefused ? await earlier() : undefined;
    if (first === undefined) throw error;
    return first;
  }
}

/** Run by the purge of expired rows. */
export const purgeIdempotencyKeys = ({ sql }: Pick<Database, "sql">, now: number): Write => ({
  query: sql
    .deleteFrom("idempotency_keys")
    .where("created_at", "<", now - idempotencyKeyLifetimeMs),
});
