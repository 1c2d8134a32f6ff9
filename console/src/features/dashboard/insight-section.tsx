import { useLingui } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getDashboardInsight, type ModelUsage, type TokenUsage, type UserUsage } from "@tollgate/contract/dashboard.ts";
import { requestIdOf } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { SubjectBudgetsCard } from "../../components/budgets-card.tsx";
import { BurnDownCard } from "../../components/burn-down-card.tsx";
import { Alert } from "../../ui/alert.tsx";
import { BusyHoursCard } from "./busy-hours-card.tsx";
import { CacheCard } from "./cache-card.tsx";
import { ChannelStripsCard } from "./channel-strips-card.tsx";
import { liveQuery } from "./dashboard-queries.ts";
import { allUsers, type DashboardView } from "./dashboard-view.ts";
import { listDays } from "./date-range.ts";
import { SpeedCharts } from "./speed-charts.tsx";
import { SpendersCard } from "./spenders-card.tsx";

type InsightSectionProps = {
  view: DashboardView;
  today: string;
  admin: boolean;
  models: readonly ModelUsage[];
  users: readonly UserUsage[];
  tokens: readonly TokenUsage[];
  /** The balance in quota units. */
  balance: number | undefined;
};

/** Figures beyond the family's: who spends, how fast calls are, what caches save, when and where calls are made. */
export function InsightSection({ view, today, admin, models, users, tokens, balance }: InsightSectionProps) {
  const { t } = useLingui();
  const query = { from_date: view.from, to_date: view.to, ...(admin && { user_id: view.user }) };
  const insight = useQuery({
    ...api.query(getDashboardInsight, { query }),
    ...liveQuery(view, today),
    placeholderData: keepPreviousData,
    select: (reply) => reply.data,
  });
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
        <div className="flex min-w-0 flex-col gap-4">
          {!isOfAll && balance !== undefined && <BurnDownCard balance={balance} pace={data?.pace} />}
          {admin &&
            (isOfAll ? <SubjectBudgetsCard subject="site" /> : <SubjectBudgetsCard subject="user" id={view.user} />)}
          <CacheCard rows={models} />
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
