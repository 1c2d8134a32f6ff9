import { useLingui } from "@lingui/react/macro";
import { useDayMarking } from "../../components/failures/use-incident-marking.ts";
import { ChartTable } from "../../ui/chart/chart-table.tsx";
import { LineChart } from "../../ui/chart/line-chart.tsx";
import { missing } from "../../ui/format.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useBreakpoint } from "../../ui/use-breakpoint.ts";
import { ChartCard } from "./chart-card.tsx";
import { UnknownFigures } from "./unknown-figures.tsx";
import type { DayTotals } from "./usage-metrics.ts";
import { useMetricFormats } from "./use-metric-formats.ts";

export function TrendCharts({
  days,
  loading,
  failed,
  endsToday,
}: {
  days: readonly DayTotals[];
  loading: boolean;
  failed: boolean;
  endsToday: boolean;
}) {
  const { t } = useLingui();
  const isMobile = useBreakpoint() === "mobile";
  const { count, countAxis, quotaAxis, quotaExact } = useMetricFormats();
  const charts = [
    {
      metric: "requests",
      title: t`Requests`,
      label: t`Requests a day`,
      axis: countAxis,
      exact: count,
    },
    { metric: "quota", title: t`Quota`, label: t`Quota a day`, axis: quotaAxis, exact: quotaExact },
    {
      metric: "tokens",
      title: t({ message: "Tokens", context: "of a model" }),
      label: t`Tokens a day`,
      axis: countAxis,
      exact: count,
    },
  ] as const;
  const labels = days.map((day) => day.day);
  const marking = useDayMarking(labels);
  return (
    <div className="grid grid-cols-1 gap-4 max-sm:gap-3 lg:grid-cols-3">
      {charts.map(({ metric, title, label, axis, exact }) => {
        const values = days.map((day) => day[metric]);
        return (
          <ChartCard
            key={metric}
            title={title}
            days={labels}
            chart={
              loading ? (
                <Skeleton className="h-28 max-md:h-22" />
              ) : failed ? (
                <UnknownFigures className="h-28 max-md:h-22" />
              ) : (
                <LineChart
                  label={label}
                  labels={labels}
                  values={values}
                  format={axis}
                  height={isMobile ? 88 : 112}
                  isLastUnfinished={endsToday}
                  formatExact={exact}
                  empty={t`No calls in this period`}
                  marking={marking}
                />
              )
            }
            table={() => (
              <ChartTable
                caption={label}
                head={t`Day`}
                columns={[title]}
                rows={labels.map((name, index) => ({
                  name,
                  cells: [failed ? missing : exact(values[index] ?? 0)],
                }))}
              />
            )}
          />
        );
      })}
    </div>
  );
}
