import { Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { listLogs, listOwnLogs } from "@tollgate/contract/figures/logs.ts";
import {
  continueRun,
  getRun,
  listOwnRuns,
  listRuns,
  type RunDetails,
  type RunPart,
  stopRun,
} from "@tollgate/contract/figures/runs.ts";
import { Printer } from "lucide-react";
import { useState } from "react";
import { findRequestId, readReason } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { CallItem } from "../../components/activity/call-item.tsx";
import { RunBadge } from "../../components/activity/run-badge.tsx";
import { BudgetBar } from "../../components/budgets/budget-bar.tsx";
import { firstPage, ListCard } from "../../components/lists/list-card.tsx";
import { Quota } from "../../components/quota.tsx";
import { toastError } from "../../components/toast-failure.ts";
import { buildOwnQuotaStyle, isAdmin, useSession } from "../../session.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { LineChart } from "../../ui/chart/line-chart.tsx";
import { formatInteger, formatQuota, formatSeconds } from "../../ui/format.ts";
import { Confirm } from "../../ui/menu/confirm.tsx";
import { Page } from "../../ui/page.tsx";
import { LoadingStatus, Skeleton } from "../../ui/skeleton.tsx";
import { SmallTable } from "../../ui/table/small-table.tsx";
import { RunFigures, RunReceipt } from "./run-receipt.tsx";

/** `RunPage` gives one run of an agent, with its receipt: a page to link and to print. */
export function RunPage() {
  const { t } = useLingui();
  const { id = "" } = useParams({ strict: false });
  const run = useQuery(api.query(getRun, { params: { run: id } }));
  const data = run.data?.data;
  return (
    <Page
      title={t`Agent run`}
      subtitle={
        <>
          {data !== undefined && <>{data.agent || <Trans>Unknown agent</Trans>} · </>}
          <code className="font-mono text-sm [overflow-wrap:anywhere]">{id}</code>
        </>
      }
      action={data !== undefined && <RunActions run={data} />}
    >
      {run.error !== null ? (
        <Alert
          title={t`The run could not be loaded`}
          requestId={findRequestId(run.error)}
          onRetry={() => void run.refetch()}
          retrying={run.isFetching}
        >
          {readReason(run.error, "")}
        </Alert>
      ) : data === undefined ? (
        <Card>
          <LoadingStatus />
          <Skeleton className="h-64" />
        </Card>
      ) : (
        <RunCards run={data} />
      )}
    </Page>
  );
}

function RunCards({ run }: { run: RunDetails }) {
  const { t } = useLingui();
  const style = buildOwnQuotaStyle(useSession().status);
  const formatCost = (units: number) => formatQuota(units, style);
  return (
    <>
      <RunFigures run={run} />
      <Card title={<Trans>Receipt</Trans>} action={<RunBadge run={run} />}>
        <RunReceipt run={run} />
      </Card>
      {run.budgets.length > 0 && (
        <Card title={<Trans>Budgets of this run</Trans>}>
          <ul className="flex flex-col gap-4">
            {run.budgets.map((budget) => (
              <li key={budget.id}>
                <p dir="auto" className="text-left font-medium">
                  {budget.name}
                </p>
                <BudgetBar
                  budget={{
                    ...budget,
                    reached: budget.spent + budget.held >= budget.amount ? 100 : 0,
                    resets_at: null,
                    forecast: null,
                  }}
                />
              </li>
            ))}
          </ul>
        </Card>
      )}
      <div className="grid gap-4 lg:grid-cols-2 print:block">
        <Card title={<Trans>Models</Trans>} className="h-full">
          <RunPartTable label={t`Models`} parts={run.models} costs />
        </Card>
        <Card
          title={<Trans>Tools</Trans>}
          note={<Trans>Taken from the agent's requests.</Trans>}
          className="h-full"
        >
          <RunPartTable label={t`Tools`} parts={run.tools} />
        </Card>
      </div>
      {run.costs.length > 1 && (
        <Card title={<Trans>Cost over time</Trans>} className="print:hidden">
          <LineChart
            label={t`Cost over time`}
            labels={run.costs.map(({ at }) => formatSeconds(Math.floor(at / 1000)))}
            values={run.costs.map(({ quota }) => quota)}
            format={formatCost}
            formatExact={formatCost}
            empty={t`Nothing was charged`}
          />
        </Card>
      )}
      <RunCallsCard run={run.run} />
    </>
  );
}

const shownRuns = [getRun, listRuns, listOwnRuns];

function RunActions({ run: { run, stopped_at } }: { run: RunDetails }) {
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const goOn = async () => {
    setBusy(true);
    await api.change(continueRun, shownRuns, { params: { run } }).catch(toastError);
    setBusy(false);
  };
  return (
    <div className="flex flex-wrap gap-2 print:hidden">
      <Button icon={<Printer />} onClick={() => window.print()}>
        <Trans>Print</Trans>
      </Button>
      {stopped_at === null ? (
        <Button onClick={() => setAsking(true)}>
          <Trans>Stop this run</Trans>
        </Button>
      ) : (
        <Button variant="primary" disabled={isBusy} onClick={() => void goOn()}>
          <Trans>Continue this run</Trans>
        </Button>
      )}
      <Confirm
        open={isAsking}
        title={<Trans>Stop this run</Trans>}
        question={
          <Trans>
            Every further call of this run is refused until you continue it. Running answers end.
          </Trans>
        }
        confirmLabel={<Trans>Stop</Trans>}
        onConfirm={() => api.change(stopRun, shownRuns, { params: { run } })}
        onClose={() => setAsking(false)}
      />
    </div>
  );
}

/** The calls of a run, the latest first; each leads to its trace. */
function RunCallsCard({ run }: { run: string }) {
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

/** `shownPartsMax` is the number of rows that a table has without scrolling by itself. */
const shownPartsMax = 9;

type RunPartTableProps = { label: string; parts: readonly RunPart[]; costs?: boolean };

/** The models of a run with what they cost, or its tools. */
function RunPartTable({ label, parts, costs = false }: RunPartTableProps) {
  const { t } = useLingui();
  if (parts.length === 0)
    return (
      <p className="py-6 text-center text-muted">
        <Trans>None in this run</Trans>
      </p>
    );
  return (
    <SmallTable
      label={label}
      words={[t`Name`]}
      figures={[t`Calls`, t`Failed`, ...(costs ? [t`Cost`] : [])]}
      {...(parts.length > shownPartsMax && { height: "max-h-96 print:max-h-none" })}
    >
      <tbody>
        {parts.map((part) => (
          <tr key={part.name} className="border-line border-t">
            <th scope="row" className="px-3 py-2 text-start font-normal [overflow-wrap:anywhere]">
              {part.name}
            </th>
            <td className="numeric px-3">{formatInteger(part.calls)}</td>
            <td className="numeric px-3">{formatInteger(part.failures)}</td>
            {costs && (
              <td className="numeric px-3">
                <Quota units={part.quota} isOwn />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </SmallTable>
  );
}
