import { useLingui } from "@lingui/react/macro";
import clsx from "clsx";
import { useId, useState } from "react";
import { ChartAxes } from "./chart-axes.tsx";
import { EmptyChart } from "./chart-empty.tsx";
import { ChartLegend } from "./chart-legend.tsx";
import { hatchOf, markBackground, type SeriesMark, seriesMarks } from "./chart-palette.ts";
import { type PlotArea, valueScale } from "./chart-scales.ts";
import { type ChartMarking, ChartSurface } from "./chart-surface.tsx";
import { barPaths, stackTops } from "./stack.ts";

/** `mark` is for series that mean the same wherever they are; others get one by their name. */
export type ChartSeries = { name: string; values: readonly number[]; mark?: SeriesMark };

type StackedBarsProps = {
  label: string;
  labels: readonly string[];
  /** They are times of the day as `14:05`. */
  areTimes?: boolean;
  series: readonly ChartSeries[];
  /** The name of the series that sums up the rest; it is grey. */
  other?: string;
  /** Abbreviated, for the axis. */
  format: (value: number) => string;
  /** Exact, for the tooltip. */
  formatExact: (value: number) => string;
  height?: number;
  empty: string;
  /** Values are counts. */
  isCount?: boolean;
  /** Names of models stand in monospace. */
  areModels?: boolean;
  /** A range of labels can be marked, by pointer and keyboard. */
  marking?: ChartMarking;
};

const margins = { left: 56, right: 4, top: 8, bottom: 28 };

/** A stacked bar chart with one path per series; the legend toggles series. */
export function StackedBars({
  label,
  labels,
  areTimes,
  series,
  other,
  format,
  formatExact,
  height = 300,
  empty,
  isCount,
  areModels = false,
  marking,
}: StackedBarsProps) {
  const { t } = useLingui();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const patternPrefix = useId();
  const marks = new Map([
    ...seriesMarks(
      series.filter(({ mark }) => mark === undefined).map(({ name }) => name),
      other,
    ),
    ...series.flatMap(({ name, mark }): [string, SeriesMark][] => (mark ? [[name, mark]] : [])),
  ]);
  const shown = series
    .map((one) => ({ ...one, mark: marks.get(one.name) ?? solid }))
    .filter((one) => !hidden.has(one.name));
  const tops = stackTops(shown.map((one) => one.values));
  const max = Math.max(0, ...(tops.at(-1) ?? []));
  const valuesAt = (index: number) =>
    shown
      .map((one) => ({ name: one.name, mark: one.mark, value: one.values[index] ?? 0 }))
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
        marking={marking}
        draw={(plot) => {
          const { y, ticks } = valueScale(max, plot, { isCount });
          const middle = (index: number) => plot.left + (index + 0.5) * band(plot);
          return (
            <>
              <ChartAxes
                plot={plot}
                ticks={ticks}
                y={y}
                format={format}
                labels={labels}
                areTimes={areTimes}
                x={middle}
              />
              <HatchPatterns marks={marks} prefix={patternPrefix} />
              {barPaths(tops, plot, y).map((path, index) => (
                <path
                  key={shown[index]?.name}
                  data-series={shown[index]?.name}
                  d={path}
                  fill={fillOf(shown[index]?.name ?? "", shown[index]?.mark ?? solid, patternPrefix)}
                />
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
            isMono={areModels}
          />
        )}
        sentence={(index) =>
          [labels[index] ?? "", ...valuesAt(index).map((one) => `${one.name} ${formatExact(one.value)}`)].join(", ")
        }
      />
      <ChartLegend
        label={t`Series`}
        entries={series.map((one) => ({
          name: one.name,
          mark: marks.get(one.name) ?? solid,
          on: !hidden.has(one.name),
        }))}
        isMono={areModels}
        onToggle={toggle}
      />
    </div>
  );
}

const solid: SeriesMark = { colour: "var(--faint)", hatch: 0 };

/** Only letters and digits: in an address, `%20` would be read as a blank, and the pattern not be found. */
const patternId = (prefix: string, name: string): string =>
  `${prefix}-${name.replace(/[^A-Za-z0-9]/g, (sign) => `_${sign.charCodeAt(0)}_`)}`;

const fillOf = (name: string, mark: SeriesMark, prefix: string): string =>
  hatchOf(mark) === undefined ? mark.colour : `url("#${patternId(prefix, name)}")`;

function HatchPatterns({ marks, prefix }: { marks: ReadonlyMap<string, SeriesMark>; prefix: string }) {
  return (
    <defs>
      {[...marks].map(([name, mark]) => {
        const hatch = hatchOf(mark);
        if (hatch === undefined) return null;
        return (
          <pattern
            key={name}
            id={patternId(prefix, name)}
            width={hatch.step}
            height={hatch.step}
            patternUnits="userSpaceOnUse"
            patternTransform={`rotate(${hatch.angle})`}
          >
            <rect width={hatch.step} height={hatch.step} fill="var(--card)" />
            <rect width={hatch.step} height={hatch.step / 2} fill={mark.colour} />
          </pattern>
        );
      })}
    </defs>
  );
}

type BarTooltipProps = {
  title: string;
  rows: { name: string; mark: SeriesMark; value: number }[];
  total: number;
  formatExact: (value: number) => string;
  isMono: boolean;
};

function BarTooltip({ title, rows, total, formatExact, isMono }: BarTooltipProps) {
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
          <span className="size-2 shrink-0 rounded-full" style={{ background: markBackground(row.mark) }} />
          <span className={clsx("min-w-0 grow truncate text-xs", isMono && "font-mono")}>{row.name}</span>
          <span className="pl-4 tabular-nums">{formatExact(row.value)}</span>
        </div>
      ))}
    </>
  );
}
