import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { getDashboardInsight } from "@tollgate/contract/figures/dashboard.ts";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { BurnDownCard } from "../../components/budgets/burn-down-card.tsx";
import { TeamOfAddress } from "../../components/teams/team-of-address.tsx";
import { TeamBalance } from "../../components/teams/team-parts.tsx";
import { planTeamQuery } from "../../components/teams/team-payer.ts";
import type { TeamTabProps } from "../../components/teams/team-rights.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";

/**
 * `TeamBalanceCards` show the rest of a team's balance, and how long it lasts, in place of the own
 * balance.
 */
export const TeamBalanceCards = ({ team }: { team: string }) => (
  <TeamOfAddress team={team}>{(props) => <LoadedBalance {...props} />}</TeamOfAddress>
);

function LoadedBalance({ team, rights }: TeamTabProps) {
  const insight = useQuery(
    api.query(getDashboardInsight, { query: planTeamQuery(readEntityRef(team)) }),
  );
  return (
    <>
      <Card
        title={<Trans>Balance of {team.name}</Trans>}
        note={
          rights.manage ? (
            <Trans>Team admins add balance on the team's page.</Trans>
          ) : (
            <Trans>A team admin adds balance to it.</Trans>
          )
        }
      >
        <p className="font-semibold text-xl tabular-nums sm:text-2xl">
          <TeamBalance team={team} />
        </p>
        <ButtonLink
          className="mt-3 self-start"
          to="/teams/$id/{-$tab}"
          params={{ id: readEntityRef(team), tab: undefined }}
        >
          <Trans>Open the team</Trans>
        </ButtonLink>
      </Card>
      {team.balance !== null && (
        <BurnDownCard balance={team.balance} pace={insight.data?.data.pace} />
      )}
    </>
  );
}
