import { useLingui } from "@lingui/react/macro";
import clsx from "clsx";
import { useId, useState } from "react";
import { ChartAxes, tickGapPx } from "./chart-axes.tsx";
import { EmptyChart } from "./chart-empty.tsx";
import { writeTicks } from "./chart-labels.ts";
import { ChartLegend } from "./chart-legend.tsx";
import {
  buildHatch,
  collectSeriesMarks,
  markBackground,
  type SeriesMark,
  softenColour,
} from "./chart-palette.ts";
import { listTicks, makeValueScale, type PlotArea } from "./chart-scales.ts";
import { type ChartMarking, ChartSurface } from "./chart-surface.tsx";
import { measureWidest } from "./measure-text.ts";
import { computeBar, listBarPaths, listStackTops } from "./stack.ts";

/** `mark` is for series that mean the same wherever they are; others get one by their name. */
export type ChartSeries = { name: string; values: readonly number[]; mark?: SeriesMark };

type StackedBarsProps = {
  label: string;
  labels: readonly string[];
  /** `areTimes` says that the labels are times of the day as `14:05`. */
  areTimes?: boolean;
  series: readonly ChartSeries[];
  /** The name of the series that sums up the rest; it is the palest. */
  other?: string;
  /** `others` are what that series sums up: the tooltip has each. */
  others?: readonly ChartSeries[];
  /** Sums of an earlier time, step by step, as a pale line. */
  line?: { name: string; values: readonly number[] } | undefined;
  /** The step that still runs, and the time until which it is counted, as `14:05`. */
  unfinished?: { place: number; until: string } | undefined;
  /** Heads the tooltip, where a label does not say all. */
  title?: (index: number) => string;
  /** `hasLegend` is false where the caller has its own. */
  hasLegend?: boolean;
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

const margins = { right: 14, top: 8, bottom: 28 };
/** `seamPx` separates the parts of a bar, where bars are wide enough for it. */
const seamPx = 0.75;
const seamedPxMin = 12;

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
  others = [],
  line,
  unfinished,
  title = (index) => labels[index] ?? "",
  hasLegend = true,
}: StackedBarsProps) {
  const { t } = useLingui();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const patternPrefix = useId();
  const marks = new Map([
    ...collectSeriesMarks(
      series.filter(({ mark }) => mark === undefined).map(({ name }) => name),
      other,
    ),
    ...series.flatMap(({ name, mark }): [string, SeriesMark][] => (mark ? [[name, mark]] : [])),
  ]);
  const shown = series
    .map((one) => ({ ...one, mark: marks.get(one.name) ?? solid }))
    .filter((one) => !hidden.has(one.name));
  const tops = listStackTops(shown.map((one) => one.values));
  const max = Math.max(0, ...(tops.at(-1) ?? []), ...(line?.values ?? []));
  const left = measureWidest(writeTicks(listTicks(max, { isCount }), format)) + tickGapPx;
  const listed = shown.flatMap((one) =>
    one.name === other && others.length > 0
      ? others.map((rest) => ({ ...rest, mark: one.mark }))
      : [one],
  );
  const valuesAt = (index: number) =>
    listed
      .map((one) => ({ name: one.name, mark: one.mark, value: one.values[index] ?? 0 }))
      .filter((one) => one.value !== 0)
      .sort((a, b) => b.value - a.value);
  const titleAt = (index: number) => {
    const step = title(index);
    if (unfinished?.place !== index) return step;
    const time = unfinished.until;
    return t`${step}, until ${time}`;
  };
  const totalAt = (index: number) => tops.at(-1)?.[index] ?? 0;
  const band = (plot: PlotArea) => plot.width / Math.max(1, labels.length);
  const toggle = (name: string) =>
    setHidden((before) => {
      const next = new Set(before);
      if (!next.delete(name)) next.add(name);
      return next;
    });

  const isEmpty = [...series, ...(line ? [line] : [])].every((one) =>
    one.values.every((value) => value === 0),
  );
  if (isEmpty) return <EmptyChart text={empty} height={height} />;

  return (
    <div className="flex flex-col gap-3">
      <ChartSurface
        label={label}
        height={height}
        margins={{ ...margins, left }}
        count={labels.length}
        spread="bands"
        marking={marking}
        draw={(plot) => {
          const { y, ticks } = makeValueScale(max, plot, { isCount });
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
              {listBarPaths(tops, plot, y).map((path, index) => (
                <path
                  key={shown[index]?.name}
                  data-series={shown[index]?.name}
                  d={path}
                  fill={chooseFill(
                    shown[index]?.name ?? "",
                    shown[index]?.mark ?? solid,
                    patternPrefix,
                  )}
                  {...(band(plot) >= seamedPxMin && { stroke: "var(--card)", strokeWidth: seamPx })}
                />
              ))}
              {unfinished !== undefined && (
                <UnfinishedBar
                  plot={plot}
                  count={labels.length}
                  top={y(totalAt(unfinished.place))}
                  {...unfinished}
                />
              )}
              {line !== undefined && (
                <path
                  data-line={line.name}
                  d={`M${line.values.map((value, index) => `${middle(index)},${y(value)}`).join("L")}`}
                  fill="none"
                  stroke="var(--edge)"
                  strokeWidth={1.5}
                  strokeLinejoin="round"
                />
              )}
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
            title={titleAt(index)}
            rows={valuesAt(index)}
            total={totalAt(index)}
            before={line && { name: line.name, value: line.values[index] ?? 0 }}
            formatExact={formatExact}
            isMono={areModels}
          />
        )}
        sentence={(index) =>
          [
            titleAt(index),
            ...valuesAt(index).map((one) => `${one.name} ${formatExact(one.value)}`),
          ].join(", ")
        }
      />
      {hasLegend && (
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
      )}
    </div>
  );
}

const solid: SeriesMark = { colour: "var(--faint)", hatch: 0 };

/**
 * Only letters and digits: in an address, `%20` would be read as a blank, and the pattern not be
 * found.
 */
const composePatternId = (prefix: string, name: string): string =>
  `${prefix}-${name.replace(/[^A-Za-z0-9]/g, (sign) => `_${sign.charCodeAt(0)}_`)}`;

const chooseFill = (name: string, mark: SeriesMark, prefix: string): string =>
  buildHatch(mark) === undefined ? mark.colour : `url("#${composePatternId(prefix, name)}")`;

function HatchPatterns({
  marks,
  prefix,
}: {
  marks: ReadonlyMap<string, SeriesMark>;
  prefix: string;
}) {
  return (
    <defs>
      {[...marks].map(([name, mark]) => {
        const hatch = buildHatch(mark);
        if (hatch === undefined) return null;
        return (
          <pattern
            key={name}
            id={composePatternId(prefix, name)}
            width={hatch.step}
            height={hatch.step}
            patternUnits="userSpaceOnUse"
            patternTransform={`rotate(${hatch.angle})`}
          >
            <rect width={hatch.step} height={hatch.step} fill={softenColour(mark.colour)} />
            <rect width={hatch.step} height={hatch.step / 2} fill={mark.colour} />
          </pattern>
        );
      })}
    </defs>
  );
}

type UnfinishedBarProps = { plot: PlotArea; count: number; place: number; top: number };

/** The bar that still grows stands in a dashed outline. */
function UnfinishedBar({ plot, count, place, top }: UnfinishedBarProps) {
  const { left, width } = computeBar(plot, count, place);
  const bottom = plot.top + plot.height;
  return (
    <rect
      data-unfinished
      x={left - 1.5}
      y={Math.min(top, bottom - 4) - 2}
      width={width + 3}
      height={bottom - Math.min(top, bottom - 4) + 2}
      fill="none"
      stroke="var(--ink)"
      strokeDasharray="3 3"
    />
  );
}

type BarTooltipProps = {
  title: string;
  rows: { name: string; mark: SeriesMark; value: number }[];
  total: number;
  before: { name: string; value: number } | undefined;
  formatExact: (value: number) => string;
  isMono: boolean;
};

/** More rows stand in two columns, or the tooltip would be higher than the window. */
const columnRowsMax = 24;

function BarTooltip({ title, rows, total, before, formatExact, isMono }: BarTooltipProps) {
  const { t } = useLingui();
  return (
    <>
      <div className="mb-1 flex justify-between gap-6 font-medium tabular-nums">
        <span>{title}</span>
        <span>{formatExact(total)}</span>
      </div>
      {before !== undefined && (
        <div className="mb-1 flex justify-between gap-6 text-muted tabular-nums">
          <span>{before.name}</span>
          <span>{formatExact(before.value)}</span>
        </div>
      )}
      {rows.length === 0 && <div className="text-muted">{t`No calls`}</div>}
      <div className={clsx(rows.length > columnRowsMax && "columns-2 gap-6")}>
        {rows.map((row) => (
          <div key={row.name} className="flex items-center gap-2 leading-[18px]">
            <span
              className="size-2 shrink-0 rounded-full"
              style={{ background: markBackground(row.mark) }}
            />
            <span className={clsx("min-w-0 grow truncate text-xs", isMono && "font-mono")}>
              {row.name}
            </span>
            <span className="pl-4 tabular-nums">{formatExact(row.value)}</span>
          </div>
        ))}
      </div>
    </>
  );
}
