import { Trans } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { listLogs, listOwnLogs } from "@tollgate/contract/figures/logs.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { CallItem } from "../../components/activity/call-item.tsx";
import { firstPage, ListCard } from "../../components/lists/list-card.tsx";
import { isAdmin, useSession } from "../../session.ts";

/** The calls of a run, the latest first; each leads to its trace. */
export function RunCallsCard({ run }: { run: string }) {
  const admin = isAdmin(useSession().user);
  const [shown, setShown] = useState(firstPage);
  const query = { ...shown, run };
  const source = admin ? api.query(listLogs, { query }) : api.query(listOwnLogs, { query });
  const calls = useQuery({ ...source, placeholderData: keepPreviousData });
  return (
    <section className="flex flex-col gap-4 print:hidden">
      <h2 className="font-semibold text-base">
        <Trans>Calls</Trans>
      </h2>
      <ListCard
        source={calls}
        shown={shown}
        onShow={setShown}
        empty={<Trans>The log no longer has the calls of this run.</Trans>}
      >
        {(call) => <CallItem key={call.uuid} call={call} />}
      </ListCard>
    </section>
  );
}
