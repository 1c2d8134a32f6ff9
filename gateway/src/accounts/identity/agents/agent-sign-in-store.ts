/**
 * SQL on programs that sign in for a person. Who may answer a code, and that it is answered and
 * used once, stands in the statements.
 */
import { userStatus } from "@tollgate/contract/accounts/roles.ts";
import { type Insertable, sql as raw, type Selectable } from "kysely";
import type { Database, Write } from "../../../storage/database.ts";
import type {
  AgentSignInRow,
  DeviceCodeRow,
} from "../../../storage/tables/agent-sign-in-tables.ts";
import { sessionIdleMs } from "../sessions/session-store.ts";
import { hashUserCode } from "./agent-sign-in-rules.ts";

export type DeviceCode = Selectable<DeviceCodeRow>;
export type AgentSignInStore = ReturnType<typeof createAgentSignInStore>;

interface DeviceAnswer {
  answer: "approved" | "denied";
  userId: number;
  sessionHash: string;
}

export function createAgentSignInStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const isWaiting = (userCode: string, now: number) =>
    raw<boolean>`user_code_hash = ${hashUserCode(userCode)} and answer = '' and expires_at > ${now}`;

  return {
    begin: (row: Insertable<DeviceCodeRow>): Write => ({
      query: sql.insertInto("device_codes").values(row),
      rows: 1,
    }),

    /** `findWaiting` gives the program that waits for an answer with this code. */
    async findWaiting(userCode: string, now: number): Promise<DeviceCode | undefined> {
      const [row] = await read(
        sql.selectFrom("device_codes").selectAll().where(isWaiting(userCode, now)),
      );
      return row;
    },

    answer: (
      userCode: string,
      { answer, userId, sessionHash }: DeviceAnswer,
      now: number,
    ): Write => ({
      query: sql
        .updateTable("device_codes")
        .set({ answer, user_id: userId, session_hash: sessionHash })
        .where(isWaiting(userCode, now)),
      rows: 1,
      missed: "device_not_found",
    }),

    async byDevice(deviceHash: string): Promise<DeviceCode | undefined> {
      const [row] = await read(
        sql.selectFrom("device_codes").selectAll().where("device_hash", "=", deviceHash),
      );
      return row;
    },

    /** The session in which a code was approved, with its user. */
    async approval(sessionHash: string) {
      const [row] = await read(
        sql
          .selectFrom("sessions")
          .innerJoin("users", "users.id", "sessions.user_id")
          .select(["provider", "provider_subject", "provider_sid", "second_factor", "proved_at"])
          .select(["users.id", "users.uuid", "users.username", "users.role"])
          .where("id_hash", "=", sessionHash),
      );
      return row;
    },

    /**
     * Ends an approved code. Misses after its time, a second time, and where the approval is no
     * longer worth anything.
     */
    use: (deviceHash: string, now: number): Write => ({
      query: sql
        .deleteFrom("device_codes")
        .where("device_hash", "=", deviceHash)
        .where("answer", "=", "approved")
        .where("expires_at", ">", now)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom("sessions")
              .innerJoin("users", "users.id", "sessions.user_id")
              .whereRef("sessions.id_hash", "=", "device_codes.session_hash")
              .whereRef("sessions.user_id", "=", "device_codes.user_id")
              .where("sessions.expires_at", ">", now)
              .where("sessions.seen_at", ">", now - sessionIdleMs)
              .where("users.status", "=", userStatus.enabled)
              .select("sessions.id_hash"),
          ),
        ),
      rows: 1,
      missed: "device_expired",
    }),

    keep: (row: Insertable<AgentSignInRow>): Write => ({
      query: sql.insertInto("agent_sign_ins").values(row),
      rows: 1,
    }),

    /** The valid sign-in that this secret renews, or renewed before. */
    async byRefresh(hash: string, now: number) {
      const [row] = await read(
        sql
          .selectFrom("agent_sign_ins")
          .innerJoin("sessions", "sessions.id_hash", "agent_sign_ins.session_hash")
          .innerJoin("users", "users.id", "sessions.user_id")
          .select(["agent_sign_ins.session_hash", "refresh_hash", "earlier_hash", "rotated_at"])
          .select(["sessions.expires_at", "users.id as user_id", "users.role"])
          .where(({ or, eb }) => or([eb("refresh_hash", "=", hash), eb("earlier_hash", "=", hash)]))
          .where("sessions.expires_at", ">", now)
          .where("sessions.seen_at", ">", now - sessionIdleMs)
          .where("users.status", "=", userStatus.enabled),
      );
      return row;
    },

    /** Misses where another process has renewed it at the same moment. */
    rotate: (sessionHash: string, [from, to]: readonly [string, string], now: number): Write => ({
      query: sql
        .updateTable("agent_sign_ins")
        .set({ refresh_hash: to, earlier_hash: from, rotated_at: now })
        .where("session_hash", "=", sessionHash)
        .where("refresh_hash", "=", from),
      rows: 1,
      missed: "agent_grant_ended",
    }),
  };
}

/** `purgeAgentSignIns` is for the schedule. */
export const purgeAgentSignIns = ({ sql }: Pick<Database, "sql">, now: number): Write[] => [
  { query: sql.deleteFrom("device_codes").where("expires_at", "<=", now) },
  {
    query: sql
      .deleteFrom("agent_sign_ins")
      .where("session_hash", "not in", sql.selectFrom("sessions").select("sessions.id_hash")),
  },
];
