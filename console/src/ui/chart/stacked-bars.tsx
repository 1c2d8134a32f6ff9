import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { ChartAxes } from "./chart-axes.tsx";
import { EmptyChart } from "./chart-empty.tsx";
import { ChartLegend } from "./chart-legend.tsx";
import { seriesColour } from "./chart-palette.ts";
import { type PlotArea, valueScale } from "./chart-scales.ts";
import { ChartSurface } from "./chart-surface.tsx";
import { barPaths, stackTops } from "./stack.ts";

export type ChartSeries = { name: string; values: readonly number[] };

type StackedBarsProps = {
  label: string;
  labels: readonly string[];
  series: readonly ChartSeries[];
  /** Abbreviated, for the axis. */
  format: (value: number) => string;
  /** Exact, for the tooltip. */
  formatExact: (value: number) => string;
  height?: number;
  empty: string;
};

const margins = { left: 56, right: 4, top: 8, bottom: 28 };

/** A stacked bar chart with one path per series; the legend toggles series. */
export function StackedBars({ label, labels, series, format, formatExact, height = 300, empty }: StackedBarsProps) {
  const { t } = useLingui();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const shown = series
    .map((one, seriesIndex) => ({ ...one, place: seriesIndex }))
    .filter((one) => !hidden.has(one.name));
  const tops = stackTops(shown.map((one) => one.values));
  const max = Math.max(0, ...(tops.at(-1) ?? []));
  const valuesAt = (index: number) =>
    shown
      .map((one) => ({ name: one.name, place: one.place, value: one.values[index] ?? 0 }))
      .filter((one) => one.value !== 0)
      .sort((a, b) => b.value - a.value);
  const totalAt = (index: number) => tops.at(-1)?.[index] ?? 0;
  const band = (plot: PlotArea) => plot.width / Math.max(1, labels.length);
  const toggle = (name: string) =>
    setHidden((before) => {
      const next = new Set(before);
      if (!next.delete(name)) next.add(name);
      return next;
    });

  if (series.every((one) => one.values.every((value) => value === 0)))
    return <EmptyChart text={empty} height={height} />;

  return (
    <div className="flex flex-col gap-3">
      <ChartSurface
        label={label}
        height={height}
        margins={margins}
        count={labels.length}
        spread="bands"
        draw={(plot) => {
          const { y, ticks } = valueScale(max, plot);
          const middle = (index: number) => plot.left + (index + 0.5) * band(plot);
          return (
            <>
              <ChartAxes plot={plot} ticks={ticks} y={y} format={format} labels={labels} x={middle} />
              {barPaths(tops, plot, y).map((path, index) => (
                <path key={shown[index]?.name} d={path} fill={seriesColour(shown[index]?.place ?? 0)} />
              ))}
            </>
          );
        }}
        highlight={(index, plot) => (
          <rect
            x={plot.left + index * band(plot)}
            y={plot.top}
            width={band(plot)}
            height={plot.height}
            fill="var(--ink)"
            fillOpacity={0.08}
          />
        )}
        tip={(index) => (
          <BarTooltip
            title={labels[index] ?? ""}
            rows={valuesAt(index)}
            total={totalAt(index)}
            formatExact={formatExact}
          />
        )}
        sentence={(index) =>
          [labels[index] ?? "", ...valuesAt(index).map((one) => `${one.name} ${formatExact(one.value)}`)].join(", ")
        }
      />
      <ChartLegend
        label={t`Series`}
        entries={series.map((one, seriesIndex) => ({
          name: one.name,
          colour: seriesColour(seriesIndex),
          on: !hidden.has(one.name),
        }))}
        onToggle={toggle}
      />
    </div>
  );
}

type BarTooltipProps = {
  title: string;
  rows: { name: string; place: number; value: number }[];
  total: number;
  formatExact: (value: number) => string;
};

function BarTooltip({ title, rows, total, formatExact }: BarTooltipProps) {
  const { t } = useLingui();
  return (
    <>
      <div className="mb-1 flex justify-between gap-6 font-medium tabular-nums">
        <span>{title}</span>
        <span>{formatExact(total)}</span>
      </div>
      {rows.length === 0 && <div className="text-muted">{t`Nothing on this day`}</div>}
      {rows.map((row) => (
        <div key={row.name} className="flex items-center gap-2 leading-[18px]">
          <span className="size-2 shrink-0 rounded-full" style={{ background: seriesColour(row.place) }} />
          <span className="min-w-0 grow truncate font-mono text-xs">{row.name}</span>
          <span className="pl-4 tabular-nums">{formatExact(row.value)}</span>
        </div>
      ))}
    </>
  );
}
