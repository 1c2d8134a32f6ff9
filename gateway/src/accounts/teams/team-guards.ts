/**
 * What a batch that adds to a team requires of it. The rows stay locked until the batch ends, so
 * that neither the end of the team nor that of a membership happens meanwhile.
 */
import { type TeamRole, teamStatus } from "@tollgate/contract/accounts/teams.ts";
import type { ErrorCode } from "@tollgate/contract/api/errors.ts";
import type { Database, Write } from "../../storage/database.ts";
import { planFewerRows } from "../../storage/rows-per-user.ts";

/**
 * `requireLiving` misses where the team is deleted. It follows the wallets that the batch changes:
 * they are locked first everywhere.
 */
export const requireLiving = ({ sql }: Pick<Database, "sql">, teamId: number): Write => ({
  query: sql
    .updateTable("teams")
    .set(({ ref }) => ({ status: ref("status") }))
    .where("id", "=", teamId)
    .where("status", "<>", teamStatus.deleted),
  rows: 1,
  missed: "team_not_found",
});

const requireRole = (
  { sql }: Pick<Database, "sql">,
  { teamId, userId, has }: { teamId: number; userId: number; has: readonly TeamRole[] },
  missed: ErrorCode,
): Write => ({
  query: sql
    .updateTable("team_members")
    .set(({ ref }) => ({ role: ref("role") }))
    .where("team_id", "=", teamId)
    .where("user_id", "=", userId)
    .where("left_at", "is", null)
    .where("role", "in", has),
  rows: 1,
  missed,
});

/** `requireUser` misses where the user is no longer one who has keys in the team. */
export const requireUser = (
  db: Pick<Database, "sql">,
  teamId: number,
  userId: number,
  missed: ErrorCode,
): Write => requireRole(db, { teamId, userId, has: ["admin", "member"] }, missed);

/** `requireAdmin` misses where the user is no longer an admin of the team. */
export const requireAdmin = (db: Pick<Database, "sql">, teamId: number, userId: number): Write =>
  requireRole(db, { teamId, userId, has: ["admin"] }, "team_not_found");

/**
 * `planFewerKeys` misses where the wallet pays for `max` keys of the account already, or the team
 * for as many of services. `teamId` is null for the own wallet, `userId` 0 for services.
 */
export function planFewerKeys(
  { sql }: Pick<Database, "sql">,
  userId: number,
  teamId: number | null,
  max: number,
): Write[] {
  const count = sql
    .selectFrom("tokens")
    .where("user_id", "=", userId)
    .where("session_hash", "is", null)
    .where("team_id", teamId === null ? "is" : "=", teamId)
    .select(({ fn }) => fn.countAll<number>().as("count"));
  const holder = userId === 0 && teamId !== null ? { teamId } : userId;
  return planFewerRows({ sql }, holder, count, { max, missed: "too_many_tokens" });
}
