/** Finds out who calls: by the session's cookie, else by a personal access token. */
import { userStatus } from "@tollgate/contract/users.ts";
import type { Caller, Identify } from "../http/caller.ts";
import { refuse } from "../http/refusal.ts";
import type { Database } from "../storage/database.ts";
import { hashOf, type SessionCookie } from "./session-cookie.ts";
import type { SessionStore } from "./session-store.ts";

/** Writing on every call would cost a transaction each; the idle limit is a day, so minutes do not matter. */
const seenEveryMs = 5 * 60_000;

interface Row {
  id: number;
  uuid: string;
  username: string;
  role: number;
  status: number;
  group: string;
  must_change_password: number;
}

/** Role and status come from the database each time: a demoted or disabled user is so at once. */
export function identifyWith(db: Database, sessions: SessionStore, cookie: SessionCookie): Identify {
  const fromSession = async (headers: Headers, now: number): Promise<Caller | undefined> => {
    const id = cookie.read(headers);
    if (id === undefined) return;
    const sessionHash = hashOf(id);
    const row = await sessions.find(sessionHash, now);
    if (!row) return;
    if (now - row.seen_at > seenEveryMs) await db.write([sessions.seen(sessionHash, now)]);
    return toCaller(row, { by: "cookie", sessionHash, provedAt: row.proved_at });
  };

  const fromAccessToken = async (headers: Headers): Promise<Caller | undefined> => {
    const token = headers
      .get("authorization")
      ?.replace(/^Bearer\s+/i, "")
      .trim();
    if (!token) return;
    const row = /^[0-9a-f]{32}$/.test(token) ? await sessions.byAccessToken(hashOf(token)) : undefined;
    if (!row) throw refuse("access_token_invalid");
    return toCaller(row, { by: "access_token" });
  };

  return async (headers, now) => (await fromSession(headers, now)) ?? (await fromAccessToken(headers));
}

function toCaller(row: Row, proof: Caller["proof"]): Caller {
  const { id, uuid, username, role, group } = row;
  if (row.status !== userStatus.enabled) throw refuse("user_disabled");
  return { id, uuid, username, role, group, mustChangePassword: row.must_change_password === 1, proof };
}
