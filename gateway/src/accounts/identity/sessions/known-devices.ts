/**
 * Browsers that signed in to an account before, recognised by a long-lived cookie. Such a cookie
 * signs no one in. It gives the browser tries of its own, so that a stranger who guesses from
 * anywhere cannot keep the owner out.
 */
import type { RequestContext } from "../../../http/request-context.ts";
import type { Database, Write } from "../../../storage/database.ts";
import {
  composeSessionId,
  deviceLifetimeMs,
  hashSecret,
  type SecretCookie,
} from "./session-cookie.ts";

/** `devicesPerUserMax` holds those that signed in longest ago are forgotten. */
const devicesPerUserMax = 20;

export type KnownDevices = ReturnType<typeof createKnownDevices>;

export function createKnownDevices(db: Database, cookie: SecretCookie) {
  const { sql } = db;

  const rowOf = async (userId: number, { headers, now }: RequestContext) => {
    const secret = cookie.read(headers);
    if (secret === undefined) return;
    const known = sql
      .selectFrom("known_devices")
      .select(["device_hash", "seen_at"])
      .where("user_id", "=", userId);
    const current = known
      .where("device_hash", "=", hashSecret(secret))
      .where("seen_at", ">", now - deviceLifetimeMs);
    const [row] = await db.read(current);
    return row;
  };

  return {
    /** The stored hash of the browser's cookie, if this browser signed in to the account before. */
    async find(userId: number, call: RequestContext): Promise<string | undefined> {
      return (await rowOf(userId, call))?.device_hash;
    },

    /** `lastSignIn` says when this browser last signed in to the account; undefined: never. */
    async lastSignIn(userId: number, call: RequestContext): Promise<number | undefined> {
      return (await rowOf(userId, call))?.seen_at;
    },

    /**
     * Each sign-in replaces the secret, so a cookie that was planted in the browser is worthless
     * afterwards.
     */
    async remember(
      userId: number,
      { headers, responseHeaders, now }: RequestContext,
    ): Promise<void> {
      const previous = cookie.read(headers);
      const secret = composeSessionId();
      const device_hash = hashSecret(secret);
      const ofUser = sql
        .selectFrom("known_devices")
        .select("device_hash")
        .where("user_id", "=", userId);
      const newest = ofUser
        .orderBy("seen_at", "desc")
        .orderBy("device_hash")
        .limit(devicesPerUserMax);
      const rotate = sql.updateTable("known_devices").set({ device_hash });
      const add = sql
        .insertInto("known_devices")
        .values({ user_id: userId, device_hash, seen_at: now });
      await db.write([
        // The other accounts of this browser keep it too.
        ...(previous === undefined
          ? []
          : [{ query: rotate.where("device_hash", "=", hashSecret(previous)) }]),
        {
          query: add.onConflict((known) =>
            known.columns(["user_id", "device_hash"]).doUpdateSet({ seen_at: now }),
          ),
        },
        {
          query: sql
            .deleteFrom("known_devices")
            .where("user_id", "=", userId)
            .where("device_hash", "not in", newest),
        },
      ]);
      responseHeaders.append("Set-Cookie", cookie.set(secret));
    },
  };
}

/** Run by the purge of expired rows. */
export const purgeKnownDevices = ({ sql }: Pick<Database, "sql">, now: number): Write => ({
  query: sql.deleteFrom("known_devices").where("seen_at", "<=", now - deviceLifetimeMs),
});
