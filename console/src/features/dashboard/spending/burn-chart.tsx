import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import type { Budget } from "@tollgate/contract/accounts/budgets.ts";
import { getSpending } from "@tollgate/contract/figures/spending.ts";
import { findRequestId } from "../../../api-error.ts";
import { api } from "../../../api-queries.ts";
import { countWholeAmount } from "../../../components/budgets/budget-amounts.ts";
import { Alert } from "../../../ui/alert.tsx";
import { ChartAxes, tickGapPx } from "../../../ui/chart/chart-axes.tsx";
import { writeTicks } from "../../../ui/chart/chart-labels.ts";
import { listTicks, makeValueScale, type PlotArea } from "../../../ui/chart/chart-scales.ts";
import { ChartSurface } from "../../../ui/chart/chart-surface.tsx";
import { measureWidest } from "../../../ui/chart/measure-text.ts";
import { Skeleton } from "../../../ui/skeleton.tsx";
import { buildUserFilter, type DashboardRequest } from "../dashboard-queries.ts";
import { useMetricFormats } from "../use-metric-formats.ts";
import { type Burn, buildBurn, listBurnDays } from "./budget-burn.ts";
import { writeTime } from "./spending-view.ts";

type BurnChartProps = { budget: Budget; request: DashboardRequest; height: number };

/**
 * `BurnChart` shows what is spent of a budget, as a line to the end of its window, under the line
 * of its amount.
 */
export function BurnChart({ budget, request, height }: BurnChartProps) {
  const { t } = useLingui();
  const query = useQuery({
    ...api.query(getSpending, {
      query: { ...listBurnDays(budget, request.today), by: "model", ...buildUserFilter(request) },
    }),
    select: (reply) => reply.data,
  });
  if (query.isLoadingError)
    return (
      <Alert
        title={t`Could not load spending`}
        requestId={findRequestId(query.error)}
        onRetry={() => void query.refetch()}
        retrying={query.isFetching}
      />
    );
  if (query.data === undefined) return <Skeleton className="h-60" />;
  const areTimes = query.data.unit === "hour";
  return (
    <BurnLines
      budget={budget}
      burn={buildBurn(budget, query.data)}
      areTimes={areTimes}
      height={height}
    />
  );
}

type BurnLinesProps = { budget: Budget; burn: Burn; areTimes: boolean; height: number };

function BurnLines({
  budget,
  burn: { starts, spent, forecast },
  areTimes,
  height,
}: BurnLinesProps) {
  const { t } = useLingui();
  const { quotaAxis, quotaOwn } = useMetricFormats();
  const { name } = budget;
  const amount = countWholeAmount(budget);
  const count = starts.length;
  const labels = starts.map((start) =>
    areTimes
      ? writeTime(start)
      : new Date(start * 1_000).toISOString().slice(0, "2026-11-28".length),
  );
  const max = Math.max(amount, forecast ?? 0, ...spent);
  const left = measureWidest(writeTicks(listTicks(max), quotaAxis)) + tickGapPx;
  // A point is the end of its step; the line begins at nothing.
  const x = (index: number, plot: PlotArea) => plot.left + ((index + 1) / count) * plot.width;
  const describe = (index: number) => {
    const step = labels[index] ?? "";
    const sum = quotaOwn(spent[index] ?? 0);
    const whole = quotaOwn(amount);
    return index < spent.length ? t`${step}: ${sum} of ${whole}` : step;
  };
  return (
    <ChartSurface
      label={t`Spent of the budget ${name}`}
      height={height}
      margins={{ left, right: 14, top: 8, bottom: 28 }}
      count={count}
      spread="bands"
      draw={(plot) => {
        const { y, ticks } = makeValueScale(max, plot);
        const zero = `M${plot.left},${y(0)}`;
        const path = zero + spent.map((value, index) => `L${x(index, plot)},${y(value)}`).join("");
        const lastX = spent.length === 0 ? plot.left : x(spent.length - 1, plot);
        const right = plot.left + plot.width;
        return (
          <>
            <ChartAxes
              plot={plot}
              ticks={ticks}
              y={y}
              format={quotaAxis}
              labels={labels}
              areTimes={areTimes}
              x={(index) => plot.left + ((index + 0.5) / count) * plot.width}
            />
            <path
              d={`${zero}L${right},${y(amount)}`}
              stroke="var(--edge)"
              strokeWidth={1}
              fill="none"
            />
            <path d={`${path}L${lastX},${y(0)}Z`} fill="var(--accent)" fillOpacity={0.1} />
            <path
              d={path}
              fill="none"
              stroke="var(--accent)"
              strokeWidth={2}
              strokeLinejoin="round"
            />
            {forecast !== undefined && (
              <path
                d={`M${lastX},${y(spent.at(-1) ?? 0)}L${right},${y(forecast)}`}
                stroke={forecast > amount ? "var(--bad)" : "var(--accent)"}
                strokeWidth={2}
                strokeDasharray="3 5"
              />
            )}
            <line
              x1={plot.left}
              x2={right}
              y1={y(amount)}
              y2={y(amount)}
              stroke="var(--warn)"
              strokeWidth={1.5}
            />
          </>
        );
      }}
      highlight={(index, plot) => (
        <line
          x1={x(index, plot)}
          x2={x(index, plot)}
          y1={plot.top}
          y2={plot.top + plot.height}
          stroke="var(--edge)"
        />
      )}
      tip={(index) => <span className="tabular-nums">{describe(index)}</span>}
      sentence={describe}
    />
  );
}
