import { useLingui } from "@lingui/react/macro";
import type { ModelUsage } from "@tollgate/contract/figures/dashboard.ts";
import { useState } from "react";
import { useDayMarking } from "../../components/failures/use-incident-marking.ts";
import { Button } from "../../ui/button.tsx";
import { ChartTable } from "../../ui/chart/chart-table.tsx";
import { StackedBars } from "../../ui/chart/stacked-bars.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { ChartCard } from "./chart-card.tsx";
import { listModelSeries, type ModelMetric } from "./model-series.ts";
import { UnknownFigures } from "./unknown-figures.tsx";
import { useMetricFormats } from "./use-metric-formats.ts";

type ModelUsageCardProps = {
  rows: readonly ModelUsage[];
  days: readonly string[];
  loading: boolean;
  failed: boolean;
};

export function ModelUsageCard({ rows, days, loading, failed }: ModelUsageCardProps) {
  const { t } = useLingui();
  const { count, countAxis, quotaAxis, quotaExact } = useMetricFormats();
  const marking = useDayMarking(days);
  const [metric, setMetric] = useState<ModelMetric>("tokens");
  const metrics: { value: ModelMetric; label: string }[] = [
    { value: "tokens", label: t({ message: "Tokens", context: "of a model" }) },
    { value: "requests", label: t`Requests` },
    { value: "expenses", label: t`Expenses` },
  ];
  const exact = metric === "expenses" ? quotaExact : count;
  const other = t`Other models`;
  const series = listModelSeries(rows, days, metric, other);
  const label = t`Model usage a day and model`;
  return (
    <ChartCard
      title={t`Model Usage`}
      days={days}
      action={
        // biome-ignore lint/a11y/useSemanticElements: three switches in a row are no form
        <div role="group" aria-label={t`Metric`} className="flex gap-1">
          {metrics.map(({ value, label: metricLabel }) => (
            <Button
              key={value}
              size="sm"
              variant="ghost"
              aria-pressed={metric === value}
              onClick={() => setMetric(value)}
              className="aria-pressed:bg-accent-soft aria-pressed:text-accent"
            >
              {metricLabel}
            </Button>
          ))}
        </div>
      }
      chart={
        loading ? (
          <Skeleton className="h-80" />
        ) : failed ? (
          <UnknownFigures className="h-80" />
        ) : (
          <StackedBars
            label={label}
            labels={days}
            series={series}
            other={other}
            others={series.at(-1)?.parts ?? []}
            format={metric === "expenses" ? quotaAxis : countAxis}
            formatExact={exact}
            height={180}
            empty={t`No calls in this period`}
            areModels
            marking={marking}
          />
        )
      }
      table={() => (
        <ChartTable
          caption={label}
          head={t`Day`}
          columns={series.map((one) => one.name)}
          rows={days.map((name, index) => ({
            name,
            cells: series.map((one) => exact(one.values[index] ?? 0)),
          }))}
        />
      )}
    />
  );
}
