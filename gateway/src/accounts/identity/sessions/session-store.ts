/** SQL on sessions. The id of a session is the secret of its cookie: only its hash is stored. */
import type { ErrorCode } from "@tollgate/contract/api/errors.ts";
import type { Insertable, Selectable } from "kysely";
import type { ChangeTopic, Database, Write } from "../../../storage/database.ts";
import type { SessionRow } from "../../../storage/tables/account-tables.ts";

export const sessionIdleMs = 24 * 3_600_000;
export const sessionLifetimeMs = 7 * 24 * 3_600_000;
/**
 * A user who signs in again and again keeps this many sessions of browsers, and as many of
 * programs; those unseen for longest are deleted.
 */
const sessionsPerUserMax = 50;

/** `EndedAtProvider` is at least one of `subject` and `sid`. */
interface EndedAtProvider {
  provider: string;
  subject: string | undefined;
  sid: string | undefined;
}

export type SessionStore = ReturnType<typeof createSessionStore>;

export function createSessionStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const principal = [
    "users.id",
    "users.uuid",
    "users.username",
    "users.role",
    "users.read_only",
    "users.status",
    "users.group",
    "users.must_change_password",
  ] as const;

  return {
    /** A valid session with the current permissions of its user. */
    async find(idHash: string, now: number) {
      const [row] = await read(
        sql
          .selectFrom("sessions")
          .innerJoin("users", "users.id", "sessions.user_id")
          .select(principal)
          .select([
            "sessions.second_factor",
            "sessions.proved_at",
            "sessions.seen_at",
            "sessions.provider",
            "sessions.provider_subject",
          ])
          .where("sessions.id_hash", "=", idHash)
          .where("sessions.expires_at", ">", now)
          .where("sessions.seen_at", ">", now - sessionIdleMs),
      );
      return row;
    },

    /** The OpenID Connect sign-in that opened a session. */
    async opener(idHash: string) {
      const [row] = await read(
        sql
          .selectFrom("sessions")
          .select(["provider", "id_token_sealed"])
          .where("id_hash", "=", idHash),
      );
      return row;
    },

    /** The valid sessions of a user: hardly more than twice `sessionsPerUserMax`. */
    async ofUser(userId: number, now: number): Promise<Selectable<SessionRow>[]> {
      const own = sql.selectFrom("sessions").selectAll().where("user_id", "=", userId);
      const valid = own.where("expires_at", ">", now).where("seen_at", ">", now - sessionIdleMs);
      return read(valid.orderBy("seen_at", "desc").orderBy("id_hash"));
    },

    /** The present permissions of a user. */
    async userById(id: number) {
      const [row] = await read(sql.selectFrom("users").select(principal).where("id", "=", id));
      return row;
    },

    async byAccessToken(tokenHash: string) {
      const owner = sql.selectFrom("users").where("access_token_hash", "=", tokenHash);
      const [row] = await read(owner.select(principal).select("access_token_used_at"));
      return row;
    },

    markAccessTokenUsed: (tokenHash: string, now: number): Write => ({
      query: sql
        .updateTable("users")
        .set({ access_token_used_at: now })
        .where("access_token_hash", "=", tokenHash),
    }),

    /**
     * A browser's sign-in ends no program's: the relay would not hear of it, and go on taking the
     * key. A program is in `agent_sign_ins` first, and its write tells the relay.
     */
    open(row: Insertable<SessionRow>, opener: "browser" | "program" = "browser"): Write[] {
      const among = opener === "program" ? "in" : "not in";
      const programs = sql.selectFrom("agent_sign_ins").select("session_hash");
      const ofUser = sql
        .selectFrom("sessions")
        .select("id_hash")
        .where("user_id", "=", row.user_id)
        .where("id_hash", among, programs);
      const newest = ofUser.orderBy("seen_at", "desc").orderBy("id_hash").limit(sessionsPerUserMax);
      const stale = sql.deleteFrom("sessions").where("user_id", "=", row.user_id);
      return [
        { query: stale.where("expires_at", "<=", row.created_at) },
        { query: sql.insertInto("sessions").values(row), rows: 1 },
        { query: stale.where("id_hash", among, programs).where("id_hash", "not in", newest) },
      ];
    },

    markSeen: (idHash: string, now: number): Write => ({
      query: sql.updateTable("sessions").set({ seen_at: now }).where("id_hash", "=", idHash),
    }),

    markAuthenticated: (idHash: string, now: number): Write => ({
      query: sql.updateTable("sessions").set({ proved_at: now }).where("id_hash", "=", idHash),
    }),

    markSecondFactor: (idHash: string): Write => ({
      query: sql.updateTable("sessions").set({ second_factor: 1 }).where("id_hash", "=", idHash),
    }),

    end: (idHash: string): Write => ({
      query: sql.deleteFrom("sessions").where("id_hash", "=", idHash),
    }),

    /** Ends what a provider's logout names: a session, or all of a person. */
    endOfProvider({ provider, subject, sid }: EndedAtProvider): Write {
      const ofProvider = sql.deleteFrom("sessions").where("provider", "=", provider);
      if (subject === undefined) return { query: ofProvider.where("provider_sid", "=", sid ?? "") };
      const ofPerson = ofProvider.where("provider_subject", "=", subject);
      if (sid === undefined) return { query: ofPerson };
      // Of a provider that does not name its sessions at sign-in, the person is known alone.
      return {
        query: ofPerson.where((row) =>
          row.or([row("provider_sid", "=", sid), row("provider_sid", "is", null)]),
        ),
      };
    },

    /** Rejected, with this code, when a token that works once was used before. */
    useOnce: (idHash: string, expiresAt: number, conflict?: ErrorCode): Write => ({
      query: sql.insertInto("logout_tokens").values({ id_hash: idHash, expires_at: expiresAt }),
      rows: 1,
      ...(conflict && { conflict }),
    }),

    /**
     * The topics that the relay must reload when these sessions end, because playground keys end
     * with them.
     */
    async changedWith(idHashes: readonly string[]): Promise<ChangeTopic[]> {
      if (idHashes.length === 0) return [];
      const keys = sql
        .selectFrom("tokens")
        .select("id")
        .where("session_hash", "in", idHashes)
        .limit(1);
      return (await read(keys)).length > 0 ? ["tokens"] : [];
    },

    /** Run by the purge of expired rows. */
    sweepLogouts: (now: number): Write => ({
      query: sql.deleteFrom("logout_tokens").where("expires_at", "<=", now),
    }),

    /** Run by the purge of expired rows. */
    sweep: (now: number): Write => ({
      query: sql
        .deleteFrom("sessions")
        .where((row) =>
          row.or([row("expires_at", "<=", now), row("seen_at", "<=", now - sessionIdleMs)]),
        ),
    }),
  };
}
