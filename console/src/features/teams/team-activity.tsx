import { Trans } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { listOwnLogs } from "@tollgate/contract/figures/logs.ts";
import { listOwnRuns } from "@tollgate/contract/figures/runs.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { CallItem } from "../../components/activity/call-item.tsx";
import { RunItem } from "../../components/activity/run-item.tsx";
import { firstPage, ListCard } from "../../components/lists/list-card.tsx";
import type { TeamTabProps } from "../../components/teams/team-rights.ts";
import { hasFeature, useSession } from "../../session.ts";
import { ButtonLink } from "../../ui/button.tsx";

/** The calls and runs that the team paid for; a member sees the own ones. */
export function TeamActivity({ team }: TeamTabProps) {
  const { status } = useSession();
  const [shown, setShown] = useState(firstPage);
  const calls = useQuery({
    ...api.query(listOwnLogs, { query: { ...shown, team_id: team.id } }),
    placeholderData: keepPreviousData,
  });
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 className="font-semibold text-lg">
          <Trans>Calls</Trans>
        </h2>
        <ButtonLink size="sm" to="/logs" search={{ team: team.uuid } as never}>
          <Trans>All logs of the team</Trans>
        </ButtonLink>
      </div>
      <ListCard
        source={calls}
        shown={shown}
        onShow={setShown}
        empty={<Trans>No calls yet. They appear here as soon as a key of the team is used.</Trans>}
      >
        {(call) => (
          <CallItem
            key={call.uuid}
            call={call}
            // The key of a service is named once.
            who={[call.username, call.token_name]
              .filter((name) => name !== "" && name !== `service:${call.token_name}`)
              .join(" · ")}
            team={team.uuid}
          />
        )}
      </ListCard>
      {hasFeature(status, "agent_runs") && <TeamRuns team={team} />}
    </div>
  );
}

function TeamRuns({ team }: Pick<TeamTabProps, "team">) {
  const [shown, setShown] = useState(firstPage);
  const runs = useQuery({
    ...api.query(listOwnRuns, { query: { ...shown, team_id: team.id } }),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <h2 className="font-semibold text-lg">
        <Trans>Agent runs</Trans>
      </h2>
      <ListCard
        source={runs}
        shown={shown}
        onShow={setShown}
        empty={<Trans>No agent runs of this team yet.</Trans>}
      >
        {(run) => <RunItem key={run.run} run={run} showsOwner />}
      </ListCard>
    </>
  );
}
