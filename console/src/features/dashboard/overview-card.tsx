import { Trans, useLingui } from "@lingui/react/macro";
import clsx from "clsx";
import { ArrowDown, ArrowUp } from "lucide-react";
import type { ReactNode } from "react";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { formatChange, formatDate, formatInteger, missing } from "../../ui/format.ts";
import { Tooltip } from "../../ui/menu/tooltip.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import {
  type ComparedMetric,
  type ComparisonInput,
  changePercent,
  compareDay,
  computeAverageCost,
  computeTokensPerRequest,
  type UsageTotals,
} from "./usage-metrics.ts";
import { useMetricFormats } from "./use-metric-formats.ts";

type OverviewCardProps = {
  /** Undefined when the rows could not be read: a zero would be untrue. */
  totals: UsageTotals | undefined;
  comparison: ComparisonInput;
  updatedAtMs: number;
  /** Undefined for finished days, whose figures stay as they are. */
  refresh: "live" | "failed" | undefined;
  loading: boolean;
};

export function OverviewCard({
  totals,
  comparison,
  updatedAtMs,
  refresh,
  loading,
}: OverviewCardProps) {
  const { t } = useLingui();
  const { quota, quotaExact, countShort } = useMetricFormats();
  const updated = updatedAtMs === 0 ? missing : formatDate(new Date(updatedAtMs));
  const { days, periodBefore } = comparison;
  const compare = (metric: ComparedMetric) => {
    if (totals === undefined) return null;
    if (totals.requests === 0) return <NoComparison why={t`No calls in this period`} />;
    const { percent, basis } = compareDay(comparison, metric);
    const than = {
      "same-time": t`vs yesterday by this time`,
      "so-far-today": t`vs previous day, so far today`,
      "previous-day": t`vs previous day`,
    }[basis];
    return (
      <>
        <ChangeLine
          percent={percent}
          than={than}
          metric={metric}
          why={t`No earlier usage to compare with`}
        />
        {periodBefore !== undefined && days.length > 1 && (
          <ChangeLine
            percent={changePercent(totals[metric], periodBefore[metric])}
            than={t`vs previous period`}
            metric={metric}
            why={t`No earlier usage to compare with`}
          />
        )}
      </>
    );
  };
  const figure = (value: (of: UsageTotals) => number, format: (value: number) => string) =>
    totals === undefined ? missing : format(value(totals));
  const perRequest =
    totals === undefined ? missing : formatInteger(Math.round(computeTokensPerRequest(totals)));
  return (
    <Card
      title={<Trans>Usage Overview</Trans>}
      note={<Trans>Days begin at 00:00 UTC.</Trans>}
      action={
        <span className="flex flex-wrap items-center gap-x-2 text-muted text-sm tabular-nums">
          {totals !== undefined && refresh !== undefined && <RefreshState state={refresh} />}
          <Trans>Updated: {updated}</Trans>
        </span>
      }
    >
      <div className="grid grid-cols-2 gap-x-4 gap-y-3 lg:grid-cols-4 lg:gap-x-0 lg:divide-x lg:divide-line">
        <OverviewTile
          label={t`Requests`}
          value={figure(computeRequests, countShort)}
          exact={figure(computeRequests, formatInteger)}
          loading={loading}
        >
          {compare("requests")}
        </OverviewTile>
        <OverviewTile
          label={t`Quota Used`}
          value={figure(computeQuota, quota)}
          exact={figure(computeQuota, quotaExact)}
          isMain
          loading={loading}
        >
          {compare("quota")}
        </OverviewTile>
        <OverviewTile
          label={t({ message: "Tokens", context: "of a model" })}
          value={figure(formatTokens, countShort)}
          exact={figure(formatTokens, formatInteger)}
          loading={loading}
        >
          {compare("tokens")}
        </OverviewTile>
        <OverviewTile
          label={t`Avg Cost`}
          value={figure(computeAverageCost, quota)}
          exact={figure(computeAverageCost, quotaExact)}
          loading={loading}
        >
          {totals === undefined ? null : totals.requests === 0 ? (
            <NoComparison why={t`No calls in this period`} />
          ) : (
            <span className="text-muted">
              <Trans>{perRequest} tokens per request</Trans>
            </span>
          )}
        </OverviewTile>
      </div>
    </Card>
  );
}

function RefreshState({ state }: { state: "live" | "failed" }) {
  const { t } = useLingui();
  return state === "live" ? (
    <Tooltip text={t`Refreshes every minute while this page is in front`}>
      <Badge tone="good">
        <Trans>Live</Trans>
      </Badge>
    </Tooltip>
  ) : (
    <Tooltip text={t`These figures are from the time shown. The page tries again every minute.`}>
      <Badge tone="warn">
        <Trans>Refresh failed</Trans>
      </Badge>
    </Tooltip>
  );
}

const computeRequests = (totals: UsageTotals): number => totals.requests;
const computeQuota = (totals: UsageTotals): number => totals.quota;
const formatTokens = (totals: UsageTotals): number => totals.tokens;

type OverviewTileProps = {
  label: string;
  value: string;
  exact: string;
  loading: boolean;
  /** The figure that the dashboard is opened for: one. */
  isMain?: boolean;
  children: ReactNode;
};

function OverviewTile({
  label,
  value,
  exact,
  loading,
  isMain = false,
  children,
}: OverviewTileProps) {
  return (
    <dl className="flex min-w-0 flex-col gap-0.5 lg:px-4 lg:last:pr-0 lg:first:pl-0">
      <dt className="font-medium text-muted text-xs">{label}</dt>
      <dd
        className={clsx(
          "font-semibold text-xl leading-9 tabular-nums",
          isMain && "text-accent sm:text-2xl sm:leading-9",
        )}
      >
        {loading ? (
          <Skeleton className="my-1 h-7 w-24" />
        ) : exact === value ? (
          value
        ) : (
          <Tooltip text={exact}>
            <span>{value}</span>
          </Tooltip>
        )}
      </dd>
      <dd className="flex flex-col text-sm">
        {loading ? <Skeleton className="h-5 w-32" /> : children}
      </dd>
    </dl>
  );
}

function NoComparison({ why }: { why: string }) {
  return (
    <Tooltip text={why}>
      <span className="w-fit text-muted">{missing}</span>
    </Tooltip>
  );
}

type ChangeLineProps = {
  percent: number | undefined;
  than: string;
  metric: ComparedMetric;
  why: string;
};

/**
 * Less spending is no bad news, so its colour is neutral. A previous value of zero has no
 * percentage and shows a dash.
 */
function ChangeLine({ percent, than, metric, why }: ChangeLineProps) {
  const { t } = useLingui();
  const Arrow = (percent ?? 0) < 0 ? ArrowDown : ArrowUp;
  const fallTone = metric === "quota" ? "text-info" : "text-bad";
  return (
    <span>
      {percent === undefined ? (
        <NoComparison why={why} />
      ) : (
        <span
          className={clsx(
            "inline-flex items-center align-bottom font-medium tabular-nums max-sm:text-xs",
            percent > 0 ? "text-good" : percent < 0 ? fallTone : "text-muted",
          )}
        >
          {percent !== 0 && <Arrow aria-hidden="true" className="size-3.5" />}
          <span className="sr-only">{percent > 0 ? t`up` : percent < 0 ? t`down` : ""}</span>
          {formatChange(percent)}
        </span>
      )}{" "}
      <span className="text-muted max-sm:text-xs">{than}</span>
    </span>
  );
}
