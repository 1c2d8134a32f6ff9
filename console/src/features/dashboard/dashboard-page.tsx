import { Trans, useLingui } from "@lingui/react/macro";
import { hadNoAnswer, reasonOf, requestIdOf } from "../../api-error.ts";
import { useSession } from "../../session.ts";
import { Alert } from "../../ui/alert.tsx";
import { Page } from "../../ui/page.tsx";
import { LoadingWord } from "../../ui/skeleton.tsx";
import { usePreviousUsage, useScope, useSummary, useUsage } from "./dashboard-queries.ts";
import { useDashboardView } from "./dashboard-view.ts";
import { daysOf } from "./date-range.ts";
import { DetailTable } from "./detail-table.tsx";
import { byDay, byModel, efficiencies, throughput, totalsOf, trendOf } from "./figures.ts";
import { FilterBar } from "./filter-bar.tsx";
import { InsightCards } from "./insight-cards.tsx";
import { ModelEfficiencyCard } from "./model-efficiency-card.tsx";
import { ModelUsageCard } from "./model-usage-card.tsx";
import { OverviewCard } from "./overview-card.tsx";
import { performanceOf } from "./performance.ts";
import { rangeMessages } from "./range-message.ts";
import { SummaryCards } from "./summary-cards.tsx";
import { tipsOf } from "./tips.ts";
import { TipsCard } from "./tips-card.tsx";
import { TrendCharts } from "./trend-charts.tsx";
import { useFigures } from "./use-figures.ts";

export function DashboardPage() {
  const { t } = useLingui();
  const { user } = useSession();
  if (user === null) {
    return (
      <Page title={t`Dashboard`}>
        <p>
          <Trans>Please log in to access the dashboard</Trans>
        </p>
      </Page>
    );
  }
  return <Dashboard />;
}

function Dashboard() {
  const { t, i18n } = useLingui();
  const { perUnit } = useFigures();
  const { admin, users, isKnown } = useScope();
  const { view, apply, today, problem } = useDashboardView(admin);
  const asked = { view, today, admin, valid: problem === undefined };
  const usage = useUsage(asked);
  const before = usePreviousUsage(asked);
  const summary = useSummary(asked);

  // A failed or impossible range shows no rows: old numbers under a new range would be read as its own.
  const failed = problem !== undefined || (isKnown && usage.error !== null);
  const rows = failed ? [] : (usage.data ?? []);
  const loading = !failed && usage.data === undefined;
  const days = problem === undefined ? daysOf(view) : [];
  const totals = totalsOf(rows);
  const daily = byDay(rows, days);
  const models = efficiencies(byModel(rows), perUnit);
  const failure = t`Failed to fetch dashboard data`;
  const tips = tipsOf(models, totals.quota / perUnit, days.length);

  return (
    <Page title={t`Dashboard`} subtitle={t`Monitor your API usage and account statistics`}>
      <FilterBar
        view={view}
        today={today}
        admin={admin}
        users={users}
        busy={usage.isFetching}
        onApply={(next) => {
          const same = next.from === view.from && next.to === view.to && next.user === view.user;
          if (!same) return apply(next);
          void usage.refetch();
          void summary.refetch();
        }}
      />
      {problem !== undefined && <Alert tone="warn" title={i18n._(rangeMessages[problem])} />}
      {problem === undefined && isKnown && usage.error !== null && (
        <Alert
          title={hadNoAnswer(usage.error) ? failure : reasonOf(usage.error, failure)}
          requestId={requestIdOf(usage.error)}
          onRetry={() => void usage.refetch()}
          retrying={usage.isFetching}
        >
          {hadNoAnswer(usage.error) ? usage.error.message : undefined}
        </Alert>
      )}
      {isKnown && summary.error !== null && usage.error === null && (
        <Alert
          title={t`The account summary could not be loaded`}
          requestId={requestIdOf(summary.error)}
          onRetry={() => void summary.refetch()}
          retrying={summary.isFetching}
        >
          {summary.error.message}
        </Alert>
      )}
      {loading && <LoadingWord />}
      <SummaryCards summary={summary.error === null ? summary.data : undefined} loading={summary.isPending} />
      <OverviewCard
        totals={totals}
        days={daily}
        before={before.data === undefined ? undefined : totalsOf(before.data)}
        updatedAtMs={usage.dataUpdatedAt}
        loading={loading}
      />
      <InsightCards
        models={models}
        performance={performanceOf(rows, perUnit)}
        trend={trendOf(daily)}
        requestsPerHour={throughput(totals.requests, days.length)}
        loading={loading}
      />
      <TrendCharts days={daily} loading={loading} />
      <ModelUsageCard rows={rows} days={days} loading={loading} />
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
        <ModelEfficiencyCard models={models} loading={loading} />
        <TipsCard tips={tips} />
      </div>
      <DetailTable rows={rows} loading={loading} />
    </Page>
  );
}
