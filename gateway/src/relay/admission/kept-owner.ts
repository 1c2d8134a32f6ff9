/**
 * The owner of kept things at providers, or of the gateway: an API key reaches those of the same
 * payer and the same owner alone.
 */
import { sql as raw } from "kysely";
import type { RowHolder } from "../../storage/rows-per-user.ts";
import type { CallerIdentity } from "./caller-parts.ts";

/** The services of a team are one owner: account 0 of the team. */
export type KeptOwner = Pick<CallerIdentity, "userId" | "teamId">;

/** The columns of what is made for an owner. A key that moves later takes nothing with it. */
export const ownerColumns = ({ userId, teamId }: KeptOwner) => ({
  user_id: userId,
  team_id: teamId,
});

export const readOwner = (row: { user_id: number; team_id: number }): KeptOwner => ({
  userId: row.user_id,
  teamId: row.team_id,
});

export const isOwnedBy = (
  row: { user_id: number; team_id: number },
  { userId, teamId }: KeptOwner,
): boolean => row.user_id === userId && row.team_id === teamId;

/** `findRowHolder` says whose row is locked while what an owner keeps is counted. */
export const findRowHolder = ({
  user_id,
  team_id,
}: {
  user_id: number;
  team_id: number;
}): RowHolder => (user_id > 0 ? user_id : { teamId: team_id });

/** `hasOwner` does the same as a condition. */
export const hasOwner = ({ userId, teamId }: KeptOwner) =>
  raw<boolean>`user_id = ${userId} and team_id = ${teamId}`;
