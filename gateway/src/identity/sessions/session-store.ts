/** SQL on sessions. A session's id is a secret of its cookie: only its hash is stored. */
import type { ChangeTopic, Database, Write } from "../../storage/database.ts";
import type { SessionRow } from "../../storage/schema.ts";

export const sessionIdleMs = 24 * 3_600_000;
export const sessionLifetimeMs = 7 * 24 * 3_600_000;
/** Somebody who signs in again and again keeps this many sessions; the longest unseen go. */
const sessionsPerUserMax = 50;

export type SessionStore = ReturnType<typeof sessionStore>;

export function sessionStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const principal = [
    "users.id",
    "users.uuid",
    "users.username",
    "users.role",
    "users.status",
    "users.group",
    "users.must_change_password",
  ] as const;

  return {
    /** A session that is still good, with what its user may do at this moment. */
    async find(idHash: string, now: number) {
      const [row] = await read(
        sql
          .selectFrom("sessions")
          .innerJoin("users", "users.id", "sessions.user_id")
          .select(principal)
          .select(["sessions.proved_at", "sessions.seen_at"])
          .where("sessions.id_hash", "=", idHash)
          .where("sessions.expires_at", ">", now)
          .where("sessions.seen_at", ">", now - sessionIdleMs),
      );
      return row;
    },

    /** Those of one user that still work: never more than `perUserMax`, and a few. */
    async ofUser(userId: number, now: number): Promise<SessionRow[]> {
      const mine = sql.selectFrom("sessions").selectAll().where("user_id", "=", userId);
      const living = mine.where("expires_at", ">", now).where("seen_at", ">", now - sessionIdleMs);
      return read(living.orderBy("seen_at", "desc").orderBy("id_hash"));
    },

    async byAccessToken(tokenHash: string) {
      const [row] = await read(sql.selectFrom("users").select(principal).where("access_token_hash", "=", tokenHash));
      return row;
    },

    open(row: SessionRow): Write[] {
      const ofUser = sql.selectFrom("sessions").select("id_hash").where("user_id", "=", row.user_id);
      const newest = ofUser.orderBy("seen_at", "desc").orderBy("id_hash").limit(sessionsPerUserMax);
      const stale = sql.deleteFrom("sessions").where("user_id", "=", row.user_id);
      return [
        { query: stale.where("expires_at", "<=", row.created_at) },
        { query: sql.insertInto("sessions").values(row), rows: 1 },
        { query: stale.where("id_hash", "not in", newest) },
      ];
    },

    seen: (idHash: string, now: number): Write => ({
      query: sql.updateTable("sessions").set({ seen_at: now }).where("id_hash", "=", idHash),
    }),

    proved: (idHash: string, now: number): Write => ({
      query: sql.updateTable("sessions").set({ proved_at: now }).where("id_hash", "=", idHash),
    }),

    end: (idHash: string): Write => ({ query: sql.deleteFrom("sessions").where("id_hash", "=", idHash) }),

    endOthers: (userId: number, exceptHash: string): Write => ({
      query: sql.deleteFrom("sessions").where("user_id", "=", userId).where("id_hash", "<>", exceptHash),
    }),

    /** What the relay must read again when these sessions end: their playground keys, where they have any. */
    async changedWith(idHashes: readonly string[]): Promise<ChangeTopic[]> {
      if (idHashes.length === 0) return [];
      const keys = sql.selectFrom("tokens").select("id").where("session_hash", "in", idHashes).limit(1);
      return (await read(keys)).length > 0 ? ["tokens"] : [];
    },

    /** For the clock: what nobody can use any more. */
    sweep: (now: number): Write => ({
      query: sql
        .deleteFrom("sessions")
        .where((row) => row.or([row("expires_at", "<=", now), row("seen_at", "<=", now - sessionIdleMs)])),
    }),
  };
}
