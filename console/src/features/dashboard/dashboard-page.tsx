import { Trans, useLingui } from "@lingui/react/macro";
import { lazy, Suspense, useState } from "react";
import { findRequestId, gotNoResponse, readReason } from "../../api-error.ts";
import { LazyTokenNotices } from "../../components/keys/lazy-token-notices.tsx";
import { OwnDebt } from "../../components/own-debt.tsx";
import { LazyTeamSwitch } from "../../components/teams/lazy-team-switch.tsx";
import { useTeamPayer } from "../../components/teams/team-payer.ts";
import { hasFeature, useSession } from "../../session.ts";
import { Alert } from "../../ui/alert.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { PartBoundary } from "../../ui/part-boundary.tsx";
import { LoadingStatus, Skeleton } from "../../ui/skeleton.tsx";
import { DashboardFilterBar } from "./dashboard-filter-bar.tsx";
import { useDashboardScope, usePreviousUsage, useSummary, useUsage } from "./dashboard-queries.ts";
import { allUsers, useDashboardView } from "./dashboard-view.ts";
import { listDays } from "./date-range.ts";
import { DetailTable } from "./detail-table.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { InsightCards } from "./insight-cards.tsx";
import { ModelEfficiencyCard } from "./model-efficiency-card.tsx";
import { ModelUsageCard } from "./model-usage-card.tsx";
import { OverviewCard } from "./overview-card.tsx";
import { summarizePerformance } from "./performance-summary.ts";
import { rangeMessages } from "./range-messages.ts";
import { SummaryCards } from "./summary-cards.tsx";
import { findTips } from "./tips.ts";
import { TipsCard } from "./tips-card.tsx";
import { TrendCharts } from "./trend-charts.tsx";
import {
  buildUsageTrend,
  computeThroughput,
  groupByDay,
  groupByModel,
  listModelEfficiencies,
  sumUsage,
} from "./usage-metrics.ts";
import { useMetricFormats } from "./use-metric-formats.ts";

const SpendingCard = lazy(async () => ({
  default: (await import("./spending/spending-card.tsx")).SpendingCard,
}));
const InsightSection = lazy(async () => ({
  default: (await import("./insight-section.tsx")).InsightSection,
}));

export function DashboardPage() {
  const { i18n } = useLingui();
  // What the compiler kept would show figures with the separators of the language before.
  return <Dashboard key={i18n.locale} />;
}

function Dashboard() {
  const { t, i18n } = useLingui();
  const { status } = useSession();
  const { perUnit } = useMetricFormats();
  const team = useTeamPayer();
  const { admin, users, isKnown } = useDashboardScope(team);
  const { view, apply, today, problem } = useDashboardView(admin);
  const [attempt, setAttempt] = useState(0);
  const request = { view, today, admin, team, valid: problem === undefined, attempt };
  const usage = useUsage(request);
  const previous = usePreviousUsage(request);
  const summary = useSummary(request);

  // A failed or invalid range shows no rows: the user would take old numbers for those of the new
  // range. Where only a refresh in the background fails, the figures stay with their time.
  const failed = problem !== undefined || (isKnown && usage.isLoadingError);
  const rows = failed ? [] : (usage.data?.rows ?? []);
  const loading = !failed && usage.data === undefined;
  const days = problem === undefined ? listDays(view) : [];
  const totals = sumUsage(rows);
  const daily = groupByDay(rows, days);
  const endsToday = view.to === today;
  const sameTime = usage.data?.sameTime;
  const finished = endsToday && sameTime !== undefined ? daily.slice(0, -1) : daily;
  const models = listModelEfficiencies(groupByModel(rows), perUnit);
  const failure = t`Failed to fetch dashboard data`;
  // Before the first call our own cards have nothing to say; the figures of one chosen user say
  // nothing of the gateway.
  const hasNoCalls =
    team === undefined &&
    view.user === allUsers &&
    summary.data?.used_quota === 0 &&
    totals.requests === 0;
  const tips = findTips(models, totals.quota / perUnit, days.length);

  return (
    <Page
      title={t`Dashboard`}
      subtitle={t`Monitor your API usage and account statistics`}
      action={
        <>
          <LazyTeamSwitch isOfAll={view.user === allUsers} />
          {hasFeature(status, "month_report") && (
            <ButtonLink to="/report" search={(team === undefined ? {} : { team }) as never}>
              <Trans>Monthly report</Trans>
            </ButtonLink>
          )}
        </>
      }
    >
      {hasFeature(status, "provider_check") && hasNoCalls && <FirstSteps admin={admin} />}
      <LazyTokenNotices />
      {!admin && team === undefined && <OwnDebt units={summary.data?.debt} />}
      <DashboardFilterBar
        view={view}
        today={today}
        admin={admin}
        users={users}
        busy={usage.isFetching && (usage.isPlaceholderData || usage.data === undefined)}
        onApply={(next) => {
          const same = next.from === view.from && next.to === view.to && next.user === view.user;
          if (same) setAttempt(attempt + 1);
          else apply(next);
        }}
      />
      {problem !== undefined && <Alert tone="warn" title={i18n._(rangeMessages[problem])} />}
      {problem === undefined && isKnown && usage.isLoadingError && (
        <Alert
          title={gotNoResponse(usage.error) ? failure : readReason(usage.error, failure)}
          requestId={findRequestId(usage.error)}
          onRetry={() => setAttempt(attempt + 1)}
          retrying={usage.isFetching}
        >
          {gotNoResponse(usage.error) ? usage.error.message : undefined}
        </Alert>
      )}
      {isKnown && summary.isLoadingError && usage.error === null && (
        <Alert
          title={t`The account summary could not be loaded`}
          requestId={findRequestId(summary.error)}
          onRetry={() => void summary.refetch()}
          retrying={summary.isFetching}
        >
          {summary.error.message}
        </Alert>
      )}
      {loading && <LoadingStatus />}
      <SummaryCards summary={summary.data} loading={summary.isPending} />
      <OverviewCard
        totals={failed ? undefined : totals}
        comparison={{
          days: daily,
          periodBefore: previous === undefined ? undefined : sumUsage(previous),
          sameTime,
          endsToday,
        }}
        updatedAtMs={usage.dataUpdatedAt}
        refresh={endsToday ? (usage.isRefetchError ? "failed" : "live") : undefined}
        loading={loading}
      />
      {hasFeature(status, "dashboard_spending") &&
        problem === undefined &&
        isKnown &&
        !hasNoCalls && (
          <PartBoundary>
            <Suspense fallback={<Skeleton className="h-80" />}>
              <SpendingCard request={request} onApply={apply} />
            </Suspense>
          </PartBoundary>
        )}
      <InsightCards
        models={models}
        performance={summarizePerformance(rows, perUnit)}
        trend={buildUsageTrend(finished)}
        isTrendOfToday={endsToday && sameTime === undefined}
        isIdle={totals.requests === 0}
        requestsPerHour={computeThroughput(totals.requests, days.length)}
        loading={loading}
        failed={failed}
      />
      <TrendCharts days={daily} loading={loading} failed={failed} endsToday={endsToday} />
      <ModelUsageCard rows={rows} days={days} loading={loading} failed={failed} />
      {hasFeature(status, "dashboard_insight") &&
        problem === undefined &&
        isKnown &&
        !hasNoCalls && (
          <PartBoundary>
            <Suspense fallback={<Skeleton className="h-80" />}>
              <InsightSection
                request={request}
                models={rows}
                users={usage.data?.users ?? []}
                tokens={usage.data?.tokens ?? []}
                failed={failed}
                balance={summary.data?.total_quota ?? undefined}
              />
            </Suspense>
          </PartBoundary>
        )}
      <div className="grid grid-cols-1 gap-4 max-sm:gap-3 lg:grid-cols-2">
        <ModelEfficiencyCard models={models} loading={loading} failed={failed} />
        <TipsCard tips={tips} />
      </div>
      <DetailTable rows={rows} loading={loading} failed={failed} />
    </Page>
  );
}
