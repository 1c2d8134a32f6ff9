import { Trans, useLingui } from "@lingui/react/macro";
import clsx from "clsx";
import { TrendingDown, TrendingUp } from "lucide-react";
import type { ReactNode } from "react";
import { Card } from "../../ui/card.tsx";
import {
  formatDecimal,
  formatDurationMs,
  formatInteger,
  formatPercent,
  missing,
} from "../../ui/format.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import type { PerformanceSummary } from "./performance-summary.ts";
import { UnknownFigures } from "./unknown-figures.tsx";
import type { ModelTotals, UsageTrend } from "./usage-metrics.ts";

type InsightCardsProps = {
  models: readonly ModelTotals[];
  performance: PerformanceSummary;
  trend: UsageTrend;
  /** The trend counts today, which is not finished. */
  isTrendOfToday: boolean;
  /** Nothing was called, so that 0 is no measurement. */
  isIdle: boolean;
  requestsPerHour: number;
  loading: boolean;
  /** The figures could not be loaded: nothing is known of them. */
  failed: boolean;
};

export function InsightCards({
  models,
  performance,
  trend,
  isTrendOfToday,
  isIdle,
  requestsPerHour,
  loading,
  failed,
}: InsightCardsProps) {
  const { t } = useLingui();
  const top = models[0];
  const active = models.length;
  const daily = formatDecimal(trend.dailyRequests, trend.dailyRequests < 100 ? 1 : 0);
  const hourly = formatDecimal(requestsPerHour, 1);
  const firstByte = formatDurationMs(performance.firstByteMs);
  return (
    <div className="grid grid-cols-1 gap-4 max-sm:gap-3 md:grid-cols-3">
      <Card title={<Trans>Top Model</Trans>}>
        <InsightLines loading={loading} failed={failed}>
          {top === undefined ? (
            <p className="text-lg text-muted">
              <Trans>No data</Trans>
            </p>
          ) : (
            <p className="truncate font-medium font-mono text-base">{top.model}</p>
          )}
          {top !== undefined && (
            <p className="text-muted text-sm">
              {active === 1 ? <Trans>1 active model</Trans> : <Trans>{active} active models</Trans>}
            </p>
          )}
        </InsightLines>
      </Card>
      <Card
        title={<Trans>Performance</Trans>}
        action={
          performance.estimated &&
          !failed && (
            <span className="text-muted text-sm">
              <Trans>estimated</Trans>
            </span>
          )
        }
      >
        <InsightLines loading={loading} failed={failed}>
          <dl className={clsx("grid grid-cols-2 gap-x-4", isIdle && "text-muted")}>
            <InsightPair
              name={t`Response Time`}
              value={formatInteger(Math.round(performance.responseMs))}
              unit="ms"
            />
            <InsightPair name={t`Success Rate`} value={formatPercent(performance.successRate, 1)} />
          </dl>
          {isIdle && (
            <p className="mt-1 text-muted text-sm">
              <Trans>no calls</Trans>
            </p>
          )}
          {performance.firstByteMs !== undefined && (
            <p className="mt-1 text-muted text-sm">
              <Trans>First token after {firstByte}</Trans>
            </p>
          )}
        </InsightLines>
      </Card>
      <Card title={<Trans>Usage Trend</Trans>}>
        <InsightLines loading={loading} failed={failed}>
          <TrendDirection of={trend.direction} isOfToday={isTrendOfToday} />
          {trend.direction !== undefined && (
            <p className="text-muted text-sm">
              <Trans>
                {daily} requests a day on average, {hourly} an hour
              </Trans>
            </p>
          )}
        </InsightLines>
      </Card>
    </div>
  );
}

function TrendDirection({
  of: direction,
  isOfToday,
}: {
  of: UsageTrend["direction"];
  isOfToday: boolean;
}) {
  if (direction === undefined) return <p className="text-lg text-muted">{missing}</p>;
  const rises = direction === "rising";
  const Arrow = rises ? TrendingUp : TrendingDown;
  return (
    <p className="flex items-center gap-2 font-medium text-base">
      <Arrow aria-hidden="true" className={clsx("size-5", rises ? "text-good" : "text-bad")} />
      {rises ? <Trans>Rising</Trans> : <Trans>Declining</Trans>}
      {isOfToday && (
        <span className="text-muted text-sm">
          <Trans>so far today</Trans>
        </span>
      )}
    </p>
  );
}

function InsightLines({
  loading,
  failed,
  children,
}: {
  loading: boolean;
  failed: boolean;
  children: ReactNode;
}) {
  if (failed) return <UnknownFigures className="justify-start!" />;
  if (!loading) return children;
  return (
    <div className="flex flex-col gap-2">
      <Skeleton className="h-6 w-40" />
      <Skeleton className="h-4 w-28" />
    </div>
  );
}

function InsightPair({ name, value, unit }: { name: string; value: string; unit?: string }) {
  return (
    <div>
      <dt className="font-medium text-muted text-xs">{name}</dt>
      <dd className="font-medium text-base tabular-nums">
        {value} {unit !== undefined && <span className="text-muted text-sm">{unit}</span>}
      </dd>
    </div>
  );
}
