import { useLingui } from "@lingui/react/macro";
import type { DashboardInsight } from "@tollgate/contract/figures/dashboard.ts";
import { useDayMarking } from "../../components/failures/use-incident-marking.ts";
import { ChartTable } from "../../ui/chart/chart-table.tsx";
import { LineChart } from "../../ui/chart/line-chart.tsx";
import { chooseDurationUnit, formatDurationMs, formatPercent } from "../../ui/format.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { ChartCard } from "./chart-card.tsx";

type InsightDays = DashboardInsight["days"];

type SpeedChartsProps = {
  days: InsightDays | undefined;
  labels: readonly string[];
  /** The cards stand among others in a grid. */
  isInGrid: boolean;
};

/**
 * `SpeedCharts` says how fast calls were and how many failed, by day. `labels` are all days of the
 * range; a day without calls is unknown.
 */
export function SpeedCharts({ days, labels, isInGrid }: SpeedChartsProps) {
  const { t } = useLingui();
  const marking = useDayMarking(labels);
  const byDay = new Map((days ?? []).map((day) => [day.Day.slice(0, 10), day]));
  const percent = (value: number) =>
    Number.isNaN(value) ? formatDurationMs(value) : formatPercent(value, 1);
  const charts = [
    {
      title: t`Latency, 95th percentile`,
      values: labels.map((day) => byDay.get(day)?.p95_latency_ms ?? Number.NaN),
      format: formatDurationMs,
    },
    {
      title: t`Time to first token`,
      values: labels.map((day) => byDay.get(day)?.ttft_ms ?? Number.NaN),
      format: formatDurationMs,
    },
    {
      title: t`Failed calls`,
      values: labels.map((day) => findFailedShare(byDay.get(day))),
      format: percent,
    },
  ];
  const chooseAxis = (values: readonly number[], format: (value: number) => string) =>
    format === formatDurationMs
      ? chooseDurationUnit(Math.max(0, ...values.filter(Number.isFinite)))
      : format;
  return (
    <div className={isInGrid ? "contents" : "grid grid-cols-1 gap-4 lg:grid-cols-3"}>
      {charts.map(({ title, values, format }) => (
        <ChartCard
          key={title}
          fold="speed"
          title={title}
          days={labels}
          chart={
            days === undefined ? (
              <Skeleton className="h-40" />
            ) : (
              <LineChart
                label={title}
                labels={labels}
                values={values}
                format={chooseAxis(values, format)}
                formatExact={format}
                empty={days.length === 0 ? t`No calls in this period` : t`None in this period`}
                marking={marking}
              />
            )
          }
          table={() => (
            <ChartTable
              caption={title}
              head={t`Day`}
              columns={[title]}
              rows={labels.map((name, index) => ({
                name,
                cells: [format(values[index] ?? Number.NaN)],
              }))}
            />
          )}
        />
      ))}
    </div>
  );
}

/** `findFailedShare` is in per cent. */
const findFailedShare = (day: InsightDays[number] | undefined): number =>
  day === undefined || day.RequestCount === 0
    ? Number.NaN
    : (day.failures / day.RequestCount) * 100;
