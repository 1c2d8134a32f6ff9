import { Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { listOwnRuns, listRuns } from "@tollgate/contract/figures/runs.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { RunItem } from "../../components/activity/run-item.tsx";
import { firstPage, ListCard } from "../../components/lists/list-card.tsx";
import { isAdmin, useSession } from "../../session.ts";
import { Page } from "../../ui/page.tsx";

/** The runs of the user's agents, of administrators those of all, the latest first. */
export function RunsPage() {
  const { t } = useLingui();
  const admin = isAdmin(useSession().user);
  const [shown, setShown] = useState(firstPage);
  const source = admin
    ? api.query(listRuns, { query: shown })
    : api.query(listOwnRuns, { query: shown });
  const runs = useQuery({ ...source, placeholderData: keepPreviousData });
  return (
    <Page
      title={t`Agent runs`}
      subtitle={
        admin
          ? t`What the agents of all users did from start to end, and what it cost`
          : t`What your agents did from start to end, and what it cost`
      }
    >
      <ListCard
        source={runs}
        shown={shown}
        onShow={setShown}
        empty={
          <Trans>
            No runs yet. Claude Code, Codex, OpenCode and others are recognised automatically; other
            programs send x-tollgate-run.
          </Trans>
        }
      >
        {(run) => <RunItem key={run.run} run={run} showsOwner={admin} />}
      </ListCard>
    </Page>
  );
}
