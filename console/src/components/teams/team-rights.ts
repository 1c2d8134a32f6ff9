/**
 * The rights of the reader in a team, as `docs/teams.md` has them. The gateway decides; the screens
 * show no act that it refuses. Pure.
 */
import { roles } from "@tollgate/contract/accounts/roles.ts";
import type { Team, TeamMember, TeamToken } from "@tollgate/contract/accounts/teams.ts";

export type TeamRights = {
  /** `see` opens all members, keys and figures; without it, the own ones. */
  see: boolean;
  /** Keys of one's own in the team. */
  use: boolean;
  /** Name, note, members and keys of services; and moving the own balance into the team. */
  manage: boolean;
  /** Handing the team over, and deleting it. */
  own: boolean;
  /** Group, models, status, new members; and moving the team's balance to a user. */
  administer: boolean;
  /** New quota. */
  issue: boolean;
};

/** `TeamTabProps` are those of each tab of a team. */
export type TeamTabProps = { team: Team; rights: TeamRights };

type Reader = { id?: number | undefined; role: number; read_only?: boolean | undefined };

export function readTeamRights(
  reader: Reader,
  { role, owner_id }: Pick<Team, "role" | "owner_id">,
): TeamRights {
  const isSite = reader.role >= roles.admin;
  const administer = isSite && reader.read_only !== true;
  return {
    see: isSite || role === "admin" || role === "viewer",
    use: role === "admin" || role === "member",
    manage: administer || role === "admin",
    own: administer || (role === "admin" && owner_id === reader.id),
    administer,
    issue: reader.role >= roles.root,
  };
}

/** An admin of the team stops the key of a member; only the member starts it again. */
export const maySwitchKey = (
  reader: Reader,
  rights: TeamRights,
  token: Pick<TeamToken, "user_id" | "service">,
  isEnabled: boolean,
): boolean =>
  (!token.service && token.user_id === reader.id && rights.use) ||
  (rights.manage && (token.service || isEnabled));

/**
 * The owner stays until the team is handed over, and whom a sign-in provider brought as long as it
 * says so; everyone else may leave, and admins remove them.
 */
export const mayRemoveMember = (
  reader: Reader,
  rights: TeamRights,
  member: Pick<TeamMember, "user_id" | "is_owner" | "by_provider">,
): boolean =>
  !member.is_owner &&
  member.by_provider === null &&
  (rights.manage || member.user_id === reader.id);
