/**
 * Ends the ways in to an account. An access token and a management key are such ways like a
 * session: what ends a user's other sessions ends them, or an intruder who made one would keep it.
 */
import { hashSession, type Principal } from "../../../http/request-context.ts";
import type { Database, Write } from "../../../storage/database.ts";

type Statements = Pick<Database, "sql">;

/**
 * `updated_at` stays, or an administrator who is editing this account would have to start again.
 */
export const endAccessToken = ({ sql }: Statements, userId: number): Write => ({
  query: sql
    .updateTable("users")
    .set({ access_token_hash: null, access_token_created_at: null, access_token_used_at: null })
    .where("id", "=", userId),
});

/** Disabled and not deleted: their maker enables those that they know again. */
const disableManagementKeys = ({ sql }: Statements, userId: number): Write => ({
  query: sql
    .updateTable("management_keys")
    .set({ disabled: 1 })
    .where("user_id", "=", userId)
    .where("disabled", "=", 0),
});

/**
 * A program that was approved and has not taken its key yet. Before the sessions: one that takes
 * it at this moment is among them.
 */
const endApprovals = ({ sql }: Statements, userId: number): Write => ({
  query: sql
    .deleteFrom("device_codes")
    .where("user_id", "=", userId)
    .where("answer", "=", "approved"),
});

/** `endSignIns` gives all sessions, the access token and the management keys. */
export const endSignIns = (db: Statements, userId: number): Write[] => [
  disableManagementKeys(db, userId),
  endApprovals(db, userId),
  { query: db.sql.deleteFrom("sessions").where("user_id", "=", userId) },
  endAccessToken(db, userId),
];

/** `endOtherSignIns` gives all but the one that the call uses. */
export const endOtherSignIns = (db: Statements, principal: Principal): Write[] => [
  disableManagementKeys(db, principal.id),
  endApprovals(db, principal.id),
  {
    query: db.sql
      .deleteFrom("sessions")
      .where("user_id", "=", principal.id)
      .where("id_hash", "<>", hashSession(principal)),
  },
  ...(principal.credential.kind === "access_token" ? [] : [endAccessToken(db, principal.id)]),
];
