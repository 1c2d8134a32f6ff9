/**
 * Ends the ways in to an account. An access token is one like a session: what ends a user's other sessions ends the
 * token, or an intruder who made one would keep it.
 */
import { type Principal, sessionHashOf } from "../../http/request-context.ts";
import type { Database, Write } from "../../storage/database.ts";

type Statements = Pick<Database, "sql">;

/** `updated_at` stays, or an administrator who is editing this account would have to start again. */
export const endAccessToken = ({ sql }: Statements, userId: number): Write => ({
  query: sql
    .updateTable("users")
    .set({ access_token_hash: null, access_token_created_at: null, access_token_used_at: null })
    .where("id", "=", userId),
});

/** All sessions and the access token. */
export const endSignIns = (db: Statements, userId: number): Write[] => [
  { query: db.sql.deleteFrom("sessions").where("user_id", "=", userId) },
  endAccessToken(db, userId),
];

/** All but the one that the call uses. */
export const endOtherSignIns = (db: Statements, principal: Principal): Write[] => [
  {
    query: db.sql
      .deleteFrom("sessions")
      .where("user_id", "=", principal.id)
      .where("id_hash", "<>", sessionHashOf(principal)),
  },
  ...(principal.credential.kind === "access_token" ? [] : [endAccessToken(db, principal.id)]),
];
