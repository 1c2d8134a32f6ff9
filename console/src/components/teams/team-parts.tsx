import { Trans, useLingui } from "@lingui/react/macro";
import { type Team, teamStatus } from "@tollgate/contract/accounts/teams.ts";
import { Badge } from "../../ui/badge.tsx";
import { Quota } from "../quota.tsx";
import { teamRoleLabels } from "./team-words.ts";

/** The balance of a team, or why the reader does not see it. */
export function TeamBalance({ team: { balance } }: { team: Pick<Team, "balance"> }) {
  if (balance === null)
    return (
      <span className="text-muted">
        <Trans>Not shown to members</Trans>
      </span>
    );
  return <Quota units={balance} isOwn />;
}

/** `TeamBadges` show what the reader is in the team, and whether it works. */
export function TeamBadges({ team: { status, role } }: { team: Pick<Team, "status" | "role"> }) {
  const { t } = useLingui();
  return (
    <>
      {status !== teamStatus.enabled && (
        <Badge tone="warn">
          <Trans>Disabled</Trans>
        </Badge>
      )}
      {role !== "" && <Badge tone="info">{t(teamRoleLabels[role])}</Badge>}
    </>
  );
}
