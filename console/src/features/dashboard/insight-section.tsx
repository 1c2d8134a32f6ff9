import { useLingui } from "@lingui/react/macro";
import type { ModelUsage, TokenUsage, UserUsage } from "@tollgate/contract/figures/dashboard.ts";
import clsx from "clsx";
import { findRequestId } from "../../api-error.ts";
import { SubjectBudgetsCard } from "../../components/budgets/budgets-card.tsx";
import { BurnDownCard } from "../../components/budgets/burn-down-card.tsx";
import { ownCards, useAllFolded } from "../../components/folded-cards.ts";
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

/**
 * Figures beyond the family's: who spends, how fast calls are, what caches save, when and where
 * calls are made.
 */
export function InsightSection({
  request,
  models,
  users,
  tokens,
  failed,
  balance,
}: InsightSectionProps) {
  const { t } = useLingui();
  const { view, admin } = request;
  const insight = useInsight(request);
  const isOfAll = admin && view.user === allUsers;
  const { data, isLoadingError } = insight;
  // Titles alone stand side by side.
  const areFolded = useAllFolded(ownCards);
  const further = !isLoadingError && (
    <>
      <SpeedCharts days={data?.days} labels={listDays(view)} isInGrid={areFolded} />
      {isOfAll && <ChannelStripsCard channels={data?.channels ?? undefined} />}
    </>
  );
  return (
    <>
      {isLoadingError && (
        <Alert
          title={t`Could not load latency, channels and hours`}
          requestId={findRequestId(insight.error)}
          onRetry={() => void insight.refetch()}
          retrying={insight.isFetching}
        >
          {insight.error.message}
        </Alert>
      )}
      <div
        className={clsx(
          "grid items-start",
          areFolded ? "grid-cols-2 gap-3 lg:grid-cols-4" : "grid-cols-1 gap-4 lg:grid-cols-2",
        )}
      >
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
        <div className={areFolded ? "contents" : "flex min-w-0 flex-col gap-4"}>
          {!isOfAll && balance !== undefined && (
            <BurnDownCard balance={balance} pace={data?.pace} />
          )}
          {admin &&
            (isOfAll ? (
              <SubjectBudgetsCard subject="site" fold="budgets" />
            ) : (
              <SubjectBudgetsCard subject="user" id={view.user} fold="budgets" />
            ))}
          {!failed && <CacheCard rows={models} marks={data?.prompt_marks ?? undefined} />}
          {isOfAll && !isLoadingError && <BusyHoursCard week={data?.week ?? undefined} />}
        </div>
        {areFolded && further}
      </div>
      {!areFolded && further}
    </>
  );
}
