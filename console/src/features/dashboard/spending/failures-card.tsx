import { Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { listOwnProblems, listProblems, logTypes } from "@tollgate/contract/figures/logs.ts";
import type { Spending } from "@tollgate/contract/figures/spending.ts";
import { type ReactNode, useState } from "react";
import { findRequestId } from "../../../api-error.ts";
import { api, atAttempt } from "../../../api-queries.ts";
import { readEntityRef } from "../../../compat/entity-ids.ts";
import { nameReason } from "../../../components/failures/name-reason.ts";
import { buildReasonSeries } from "../../../components/failures/reason-series.ts";
import { planTeamQuery } from "../../../components/teams/team-payer.ts";
import { Alert } from "../../../ui/alert.tsx";
import { ChartTable } from "../../../ui/chart/chart-table.tsx";
import { StackedBars } from "../../../ui/chart/stacked-bars.tsx";
import { formatSeconds } from "../../../ui/format.ts";
import { Skeleton } from "../../../ui/skeleton.tsx";
import { Switches } from "../../../ui/switches.tsx";
import { ChartCard } from "../chart-card.tsx";
import { type DashboardRequest, planLiveQuery, useDashboardScope } from "../dashboard-queries.ts";
import { allUsers } from "../dashboard-view.ts";
import { useMetricFormats } from "../use-metric-formats.ts";
import { buildFailureView } from "./failure-view.ts";
import { SpendingLegend } from "./spending-legend.tsx";

type FailuresCardProps = {
  /** `calls` are all calls of the range. */
  calls: Spending;
  request: DashboardRequest;
  ofMetric: ReactNode;
  height: number;
};

/**
 * Failures by reason in tones of red, clients that left in grey, over all calls or by themselves.
 */
export function FailuresCard({ calls, request, ofMetric, height }: FailuresCardProps) {
  const { t } = useLingui();
  const { view } = request;
  const { count, countAxis } = useMetricFormats();
  const [isAlone, setAlone] = useState(false);
  const [isolated, setIsolated] = useState<string>();
  const problems = useProblems(request);
  const overTime = problems.data?.over_time;
  const title = t`Failures`;
  const action = (
    <div className="flex flex-wrap gap-x-4 gap-y-1">
      {ofMetric}
      <Switches
        label={t`Scale`}
        choices={[
          { value: "calls", label: t`Over all calls` },
          { value: "alone", label: t`Failures alone` },
        ]}
        chosen={isAlone ? "alone" : "calls"}
        onChoose={(next) => setAlone(next === "alone")}
      />
    </div>
  );
  const days = [view.from, view.to];
  if (problems.data === undefined)
    return (
      <ChartCard
        title={title}
        days={days}
        action={action}
        table={() => null}
        chart={
          problems.error === null ? (
            <Skeleton className="h-60" />
          ) : (
            <Alert
              title={t`The problems could not be loaded`}
              requestId={findRequestId(problems.error)}
              onRetry={() => void problems.refetch()}
              retrying={problems.isFetching}
            >
              {problems.error.message}
            </Alert>
          )
        }
      />
    );
  // A call that was answered at the second try is a problem, and no failure.
  const reasons = overTime?.reasons.filter(({ outcome }) => outcome !== "success") ?? [];
  const named = buildReasonSeries(reasons, (reason) =>
    nameReason(reason, { translate: (words) => t(words), answered: "", refused: "" }),
  );
  const other = t`Other reasons`;
  const hasOther = overTime?.other.some((value) => value > 0) === true;
  const series = hasOther ? [...named, { name: other, values: overTime.other }] : named;
  const answered = t`Answered`;
  const shown = buildFailureView(
    calls,
    { from: overTime?.from ?? calls.first, step: overTime?.step ?? 1, series },
    { answered, all: t`All calls` },
  );
  const alone = shown.series.find(({ name }) => name === isolated);
  const drawn = alone ? [alone] : isAlone ? shown.series.slice(1) : shown.series;
  const label = t`Failed calls by reason`;
  const back = problems.data.searched_back_to;
  const searchedBackTo = formatSeconds(back);
  return (
    <ChartCard
      title={title}
      days={days}
      action={action}
      chart={
        <div className="grid grid-cols-1 items-start gap-x-6 gap-y-3 lg:grid-cols-[minmax(0,1fr)_minmax(0,27rem)]">
          <StackedBars
            label={label}
            labels={shown.labels}
            areTimes={shown.areTimes}
            title={(index) => shown.titles[index] ?? ""}
            series={drawn}
            other={other}
            unfinished={shown.unfinished}
            format={countAxis}
            formatExact={count}
            height={height}
            isCount
            empty={
              isAlone && !alone ? t`No failed calls in this period` : t`No calls in this period`
            }
            hasLegend={false}
          />
          <SpendingLegend
            rows={shown.rows}
            total={shown.total}
            head={t`Reason`}
            areModels={false}
            hasChange={false}
            format={countAxis}
            formatExact={count}
            isolated={alone && isolated}
            onIsolate={setIsolated}
          />
          {back !== undefined && (
            <p className="text-muted text-sm">
              <Trans>
                Counts failures since {searchedBackTo}. Earlier ones are too many to count.
              </Trans>
            </p>
          )}
        </div>
      }
      table={() => (
        <ChartTable
          caption={label}
          head={shown.areTimes ? t`Hour` : t`Day`}
          columns={shown.series.map(({ name }) => name)}
          rows={shown.titles.map((name, place) => ({
            name,
            cells: shown.series.map(({ values }) => count(values[place] ?? 0)),
          }))}
        />
      )}
    />
  );
}

/** Calls that never started are no failures of calls, and stand in the log alone. */
function useProblems(request: DashboardRequest) {
  const { view, admin, team, today, attempt } = request;
  const scope = useDashboardScope(team);
  const username = scope.users?.find((user) => readEntityRef(user) === view.user)?.username;
  const seconds = (day: string) => Date.parse(`${day}T00:00:00Z`) / 1_000;
  const query = {
    type: logTypes.consume,
    start_timestamp: seconds(view.from),
    end_timestamp: seconds(view.to) + 86_399,
  };
  const isOfOne = admin && view.user !== allUsers;
  const asked = admin
    ? api.query(listProblems, { query: { ...query, ...(isOfOne && { username: username ?? "" }) } })
    : api.query(listOwnProblems, { query: { ...query, ...planTeamQuery(team) } });
  return useQuery({
    ...atAttempt(asked as ReturnType<typeof api.query<typeof listProblems>>, attempt),
    ...planLiveQuery(view, today),
    enabled: !isOfOne || username !== undefined,
    placeholderData: keepPreviousData,
  });
}
