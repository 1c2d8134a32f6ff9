import { useLingui } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Budget } from "@tollgate/contract/accounts/budgets.ts";
import {
  getSpending,
  type Spending,
  type SpendingGroup,
} from "@tollgate/contract/figures/spending.ts";
import { useState } from "react";
import { findRequestId, gotNoResponse, readReason } from "../../../api-error.ts";
import { api, atAttempt } from "../../../api-queries.ts";
import { readEntityRef } from "../../../compat/entity-ids.ts";
import { useSubjectBudgets } from "../../../components/budgets/use-subject-budgets.ts";
import { useIncidentMarking } from "../../../components/failures/use-incident-marking.ts";
import { hasFeature, useSession } from "../../../session.ts";
import { Alert } from "../../../ui/alert.tsx";
import { ChartTable } from "../../../ui/chart/chart-table.tsx";
import { StackedBars } from "../../../ui/chart/stacked-bars.tsx";
import { buildLazyPart } from "../../../ui/lazy-part.tsx";
import { Skeleton } from "../../../ui/skeleton.tsx";
import { Switches } from "../../../ui/switches.tsx";
import { ChartCard } from "../chart-card.tsx";
import { buildUserFilter, type DashboardRequest, planLiveQuery } from "../dashboard-queries.ts";
import { allUsers, type DashboardView } from "../dashboard-view.ts";
import { useMetricFormats } from "../use-metric-formats.ts";
import { canBurn } from "./budget-burn.ts";
import { BurnChart } from "./burn-chart.tsx";
import { SpendingLegend } from "./spending-legend.tsx";
import { buildSpendingView, findMarkedDays, type SpendingMetric } from "./spending-view.ts";

/** Loaded when it is chosen: it reads the log. */
const FailuresCard = buildLazyPart(async () => (await import("./failures-card.tsx")).FailuresCard);

type SpendingCardProps = { request: DashboardRequest; onApply: (view: DashboardView) => void };

const plotHeightPx = 240;

/** Spending in steps of time: what is measured, by whom, and when. */
export function SpendingCard({ request, onApply }: SpendingCardProps) {
  const { t } = useLingui();
  const { view, admin } = request;
  const isOfAll = admin && view.user === allUsers;
  const [chosenMetric, setMetric] = useState<SpendingMetric | "failures">("quota");
  const knowsOutcomes = hasFeature(useSession().status, "log_outcomes");
  const [wanted, setWanted] = useState<SpendingGroup>("model");
  const [isolated, setIsolated] = useState<string>();
  const groups: { value: SpendingGroup; label: string }[] = [
    { value: "model", label: t`Models` },
    ...(isOfAll || request.team !== undefined ? [{ value: "user" as const, label: t`Users` }] : []),
    { value: "key", label: t`Keys` },
    ...(isOfAll ? [{ value: "channel" as const, label: t`Channels` }] : []),
  ];
  const by = groups.find(({ value }) => value === wanted)?.value ?? "model";
  const query = useQuery({
    ...atAttempt(
      api.query(getSpending, {
        query: { from_date: view.from, to_date: view.to, by, ...buildUserFilter(request) },
      }),
      request.attempt,
    ),
    ...planLiveQuery(view, request.today),
    placeholderData: keepPreviousData,
    select: (reply) => reply.data,
  });
  const subject = request.team !== undefined ? "team" : isOfAll ? "site" : "user";
  const budgets =
    useSubjectBudgets(subject, request.team ?? (isOfAll ? undefined : view.user)).data?.data ?? [];
  const metrics: { value: SpendingMetric | "failures"; label: string }[] = [
    { value: "quota", label: t`Expenses` },
    { value: "requests", label: t`Requests` },
    { value: "tokens", label: t({ message: "Tokens", context: "of a model" }) },
    ...(knowsOutcomes ? [{ value: "failures" as const, label: t`Failures` }] : []),
  ];
  if (query.isLoadingError)
    return (
      <Alert
        title={
          gotNoResponse(query.error)
            ? t`Could not load spending`
            : readReason(query.error, t`Could not load spending`)
        }
        requestId={findRequestId(query.error)}
        onRetry={() => void query.refetch()}
        retrying={query.isFetching}
      >
        {gotNoResponse(query.error) ? query.error.message : undefined}
      </Alert>
    );
  const ofMetric = (
    <Switches label={t`Metric`} choices={metrics} chosen={chosenMetric} onChoose={setMetric} />
  );
  const metric = chosenMetric === "failures" ? "requests" : chosenMetric;
  const switches = (
    <div className="flex flex-wrap gap-x-4 gap-y-1">
      {ofMetric}
      <Switches
        label={t`Spending by`}
        choices={groups}
        chosen={by}
        onChoose={(next) => {
          setWanted(next);
          setIsolated(undefined);
        }}
      />
    </div>
  );
  if (query.data === undefined)
    return (
      <ChartCard
        title={t`Spending`}
        days={[view.from, view.to]}
        action={switches}
        chart={<Skeleton className="h-60" />}
        table={() => null}
      />
    );
  if (chosenMetric === "failures")
    return (
      <FailuresCard
        calls={query.data}
        request={request}
        ofMetric={ofMetric}
        height={plotHeightPx}
      />
    );
  return (
    <SpendingChart
      spending={query.data}
      metric={metric}
      group={{ by, label: groups.find(({ value }) => value === by)?.label ?? "" }}
      switches={switches}
      view={view}
      today={request.today}
      onApply={onApply}
      isolated={isolated}
      onIsolate={setIsolated}
      request={request}
      budgets={budgets.filter(canBurn)}
    />
  );
}

type SpendingChartProps = {
  spending: Spending;
  metric: SpendingMetric;
  group: { by: SpendingGroup; label: string };
  switches: React.ReactNode;
  view: DashboardView;
  today: string;
  onApply: (view: DashboardView) => void;
  isolated: string | undefined;
  onIsolate: (name: string | undefined) => void;
  request: DashboardRequest;
  budgets: readonly Budget[];
};

function SpendingChart(props: SpendingChartProps) {
  const {
    spending,
    metric,
    group,
    switches,
    view,
    today,
    onApply,
    isolated,
    onIsolate,
    request,
    budgets,
  } = props;
  const { t } = useLingui();
  const { count, countAxis, quotaAxis, quotaExact, quotaOwn } = useMetricFormats();
  const [burning, setBurning] = useState("");
  const budget = budgets.find((one) => readEntityRef(one) === burning);
  const nameBudget = ({ name }: Budget) => t`Budget ${name}`;
  const shown = buildSpendingView(spending, metric, { other: t`Others`, all: t`All` });
  const formatExact = metric === "quota" ? quotaExact : count;
  // One that is not among the bars is shown by itself: it is one of the others.
  const alone = [...shown.series, ...shown.others].find(({ name }) => name === isolated);
  const isToday = view.from === view.to && view.to === today;
  const label = isToday || shown.areTimes ? t`Spending an hour` : t`Spending a day`;
  const earlierName = isToday ? t`Yesterday` : t`Previous period`;
  const stepsMarking = useIncidentMarking((place) => spending.first + place * 3_600);
  const marking = shown.areTimes
    ? stepsMarking
    : {
        hint: t`Shift and an arrow key mark days, Enter shows them.`,
        onMark: (first: number, last: number) =>
          onApply({ ...view, range: undefined, ...findMarkedDays(spending, first, last) }),
      };
  return (
    <ChartCard
      title={t`Spending`}
      days={[view.from, view.to]}
      action={
        <div className="flex flex-wrap gap-x-4 gap-y-1">
          {switches}
          {budgets.length > 0 && (
            <Switches
              label={t`Chart`}
              choices={budgets.map((one) => ({
                value: readEntityRef(one),
                label: nameBudget(one),
              }))}
              chosen={budget === undefined ? "" : burning}
              // Pressed again, the bars are back.
              onChoose={(next) => setBurning(next === burning ? "" : next)}
            />
          )}
        </div>
      }
      chart={
        <div className="grid grid-cols-1 items-start gap-x-6 gap-y-3 lg:grid-cols-[minmax(0,1fr)_minmax(0,27rem)]">
          {budget !== undefined ? (
            <BurnChart budget={budget} request={request} height={plotHeightPx} />
          ) : (
            <StackedBars
              label={label}
              labels={shown.labels}
              areTimes={shown.areTimes}
              title={(index) => shown.titles[index] ?? ""}
              series={alone ? [alone] : shown.series}
              other={t`Others`}
              others={alone ? [] : shown.others}
              line={
                shown.areTimes && shown.earlier && !alone
                  ? { name: earlierName, values: shown.earlier }
                  : undefined
              }
              unfinished={shown.unfinished}
              format={metric === "quota" ? quotaAxis : countAxis}
              formatExact={formatExact}
              height={plotHeightPx}
              isCount={metric === "requests"}
              empty={t`No calls in this period`}
              areModels={group.by === "model"}
              marking={marking}
              hasLegend={false}
            />
          )}
          {shown.rows.length > 0 && (
            <SpendingLegend
              rows={shown.rows}
              total={shown.total}
              head={group.label}
              areModels={group.by === "model"}
              format={metric === "quota" ? quotaOwn : countAxis}
              formatExact={formatExact}
              isolated={alone && isolated}
              onIsolate={onIsolate}
            />
          )}
        </div>
      }
      table={() => (
        <ChartTable
          caption={label}
          head={shown.areTimes ? t`Hour` : t`Day`}
          columns={shown.rows.map(({ name }) => name)}
          rows={shown.titles.map((name, place) => ({
            name,
            cells: shown.rows.map((row) =>
              formatExact(
                [...shown.others, ...shown.series].find((one) => one.name === row.name)?.values[
                  place
                ] ?? 0,
              ),
            ),
          }))}
        />
      )}
    />
  );
}
