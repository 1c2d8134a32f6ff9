import { useLingui } from "@lingui/react/macro";
import type { ModelUsage, TokenUsage, UserUsage } from "@tollgate/contract/dashboard.ts";
import { requestIdOf } from "../../api-error.ts";
import { SubjectBudgetsCard } from "../../components/budgets-card.tsx";
import { BurnDownCard } from "../../components/burn-down-card.tsx";
import { Alert } from "../../ui/alert.tsx";
import { BusyHoursCard } from "./busy-hours-card.tsx";
import { CacheCard } from "./cache-card.tsx";
import { ChannelStripsCard } from "./channel-strips-card.tsx";
import { type DashboardRequest, useInsight } from "./dashboard-queries.ts";
import { allUsers } from "./dashboard-view.ts";
import { listDays } from "./date-range.ts";
import { SpeedCharts } from "./speed-charts.tsx";
import { SpendersCard } from "./spenders-card.tsx";

type InsightSectionProps = {
  request: DashboardRequest;
  models: readonly ModelUsage[];
  users: readonly UserUsage[];
  tokens: readonly TokenUsage[];
  /** The figures by model, user and token could not be loaded. */
  failed: boolean;
  /** The balance in quota units. */
  balance: number | undefined;
};

/** Figures beyond the family's: who spends, how fast calls are, what caches save, when and where calls are made. */
export function InsightSection({ request, models, users, tokens, failed, balance }: InsightSectionProps) {
  const { t } = useLingui();
  const { view, admin } = request;
  const insight = useInsight(request);
  const isOfAll = admin && view.user === allUsers;
  const { data, isLoadingError } = insight;
  return (
    <>
      {isLoadingError && (
        <Alert
          title={t`Latency, channels and hours could not be loaded`}
          requestId={requestIdOf(insight.error)}
          onRetry={() => void insight.refetch()}
          retrying={insight.isFetching}
        >
          {insight.error.message}
        </Alert>
      )}
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
        {!failed && (
          <SpendersCard
            view={view}
            admin={admin}
            isOfAll={isOfAll}
            models={models}
            users={users}
            tokens={tokens}
            channels={data?.channels ?? undefined}
            modelCosts={data?.model_costs}
          />
        )}
        <div className="flex min-w-0 flex-col gap-4">
          {!isOfAll && balance !== undefined && <BurnDownCard balance={balance} pace={data?.pace} />}
          {admin &&
            (isOfAll ? <SubjectBudgetsCard subject="site" /> : <SubjectBudgetsCard subject="user" id={view.user} />)}
          {!failed && <CacheCard rows={models} />}
          {isOfAll && !isLoadingError && <BusyHoursCard week={data?.week ?? undefined} />}
        </div>
      </div>
      {!isLoadingError && (
        <>
          <SpeedCharts days={data?.days} labels={listDays(view)} />
          {isOfAll && <ChannelStripsCard channels={data?.channels ?? undefined} />}
        </>
      )}
    </>
  );
}
