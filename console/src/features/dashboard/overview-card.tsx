import { Trans, useLingui } from "@lingui/react/macro";
import clsx from "clsx";
import { ArrowDown, ArrowUp } from "lucide-react";
import type { ReactNode } from "react";
import { Card } from "../../ui/card.tsx";
import { formatDate, formatDecimal, formatInteger, missing } from "../../ui/format.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Tooltip } from "../../ui/tooltip.tsx";
import {
  averageCost,
  changePercent,
  type DayTotals,
  dayChange,
  tokensPerRequest,
  type UsageTotals,
} from "./usage-metrics.ts";
import { useMetricFormats } from "./use-metric-formats.ts";

type OverviewCardProps = {
  totals: UsageTotals;
  days: readonly DayTotals[];
  /** The previous period, if the user may read it. */
  before: UsageTotals | undefined;
  updatedAtMs: number;
  loading: boolean;
};

export function OverviewCard({ totals, days, before, updatedAtMs, loading }: OverviewCardProps) {
  const { t } = useLingui();
  const { quota, quotaExact, countShort } = useMetricFormats();
  const updated = updatedAtMs === 0 ? missing : formatDate(new Date(updatedAtMs));
  const perRequest = formatInteger(Math.round(tokensPerRequest(totals)));
  const isIdle = totals.requests === 0;
  const comparison = (metric: "requests" | "quota" | "tokens") => {
    if (isIdle && (before?.[metric] ?? 0) === 0) return <NoComparison />;
    return (
      <>
        <ChangeLine percent={dayChange(days, before, metric)} than={t`vs previous day`} />
        {before !== undefined && days.length > 1 && (
          <ChangeLine percent={changePercent(totals[metric], before[metric])} than={t`vs previous period`} />
        )}
      </>
    );
  };
  return (
    <Card
      title={<Trans>Usage Overview</Trans>}
      note={<Trans>Days are UTC days.</Trans>}
      action={
        <span className="text-muted text-sm tabular-nums">
          <Trans>Updated: {updated}</Trans>
        </span>
      }
    >
      <div className="grid grid-cols-2 gap-x-4 gap-y-5 lg:grid-cols-4 lg:gap-x-0 lg:divide-x lg:divide-line">
        <OverviewTile
          label={t`Requests`}
          value={countShort(totals.requests)}
          exact={formatInteger(totals.requests)}
          loading={loading}
        >
          {comparison("requests")}
        </OverviewTile>
        <OverviewTile
          label={t`Quota Used`}
          value={quota(totals.quota)}
          exact={quotaExact(totals.quota)}
          loading={loading}
        >
          {comparison("quota")}
        </OverviewTile>
        <OverviewTile
          label={t({ message: "Tokens", context: "of a model" })}
          value={countShort(totals.tokens)}
          exact={formatInteger(totals.tokens)}
          loading={loading}
        >
          {comparison("tokens")}
        </OverviewTile>
        <OverviewTile
          label={t`Avg Cost`}
          value={quota(averageCost(totals))}
          exact={quotaExact(averageCost(totals))}
          loading={loading}
        >
          {isIdle ? (
            <NoComparison />
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

type OverviewTileProps = { label: string; value: string; exact: string; loading: boolean; children: ReactNode };

function OverviewTile({ label, value, exact, loading, children }: OverviewTileProps) {
  return (
    <dl className="flex min-w-0 flex-col gap-1 lg:px-4 lg:last:pr-0 lg:first:pl-0">
      <dt className="text-muted text-sm">{label}</dt>
      <dd className="font-semibold text-xl tabular-nums sm:text-2xl">
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
      <dd className="flex flex-col text-sm">{loading ? <Skeleton className="h-5 w-32" /> : children}</dd>
    </dl>
  );
}

const NoComparison = () => <span className="text-muted">{missing}</span>;

/** A previous value of zero has no percentage and shows a dash. */
function ChangeLine({ percent, than }: { percent: number | undefined; than: string }) {
  const { t } = useLingui();
  const Arrow = (percent ?? 0) < 0 ? ArrowDown : ArrowUp;
  return (
    <span className="flex flex-wrap items-center gap-x-1">
      {percent === undefined ? (
        <NoComparison />
      ) : (
        <span
          className={clsx(
            "inline-flex items-center font-medium tabular-nums",
            percent > 0 ? "text-good" : percent < 0 ? "text-bad" : "text-muted",
          )}
        >
          {percent !== 0 && <Arrow aria-hidden="true" className="size-3.5" />}
          <span className="sr-only">{percent > 0 ? t`up` : percent < 0 ? t`down` : ""}</span>
          {formatDecimal(Math.abs(percent), 1)}%
        </span>
      )}
      <span className="text-muted">{than}</span>
    </span>
  );
}
