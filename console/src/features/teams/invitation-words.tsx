import { Trans, useLingui } from "@lingui/react/macro";
import type { ReceivedInvitation } from "@tollgate/contract/accounts/team-invitations.ts";
import { teamRoleHelp } from "../../components/teams/team-words.ts";

/** The words say what accepting an invitation means. */
export function InvitationMeaning({ role }: Pick<ReceivedInvitation, "role">) {
  const { t } = useLingui();
  if (role === "owner") return <Trans>You become the owner of the team.</Trans>;
  return t(teamRoleHelp[role]);
}
