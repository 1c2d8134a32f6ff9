import { ChartAxes, tickGapPx } from "./chart-axes.tsx";
import { EmptyChart } from "./chart-empty.tsx";
import { writeTicks } from "./chart-labels.ts";
import { listTicks, makeValueScale, type PlotArea } from "./chart-scales.ts";
import { type ChartMarking, ChartSurface } from "./chart-surface.tsx";
import { measureWidest } from "./measure-text.ts";

type LineChartProps = {
  label: string;
  labels: readonly string[];
  /** NaN where the value is not known: drawn as zero, shown as a dash. */
  values: readonly number[];
  format: (value: number) => string;
  formatExact: (value: number) => string;
  height?: number;
  empty: string;
  /** The last step still runs: the way to it is dashed. */
  isLastUnfinished?: boolean;
  /** A range of labels can be marked, by pointer and keyboard. */
  marking?: ChartMarking;
};

const gridLines = 3;
const margins = { right: 20, top: 8, bottom: 26 };

export function LineChart({
  label,
  labels,
  values,
  format,
  formatExact,
  height = 160,
  empty,
  isLastUnfinished = false,
  marking,
}: LineChartProps) {
  const heights = values.map((value) => value || 0);
  const max = Math.max(0, ...heights);
  const xOf = (index: number, plot: PlotArea) =>
    plot.left + (values.length === 1 ? 0.5 : index / (values.length - 1)) * plot.width;
  if (values.length === 0 || max === 0) return <EmptyChart text={empty} height={height} />;
  const left = measureWidest(writeTicks(listTicks(max, { lines: gridLines }), format)) + tickGapPx;
  return (
    <ChartSurface
      label={label}
      height={height}
      margins={{ ...margins, left }}
      count={values.length}
      spread="points"
      marking={marking}
      draw={(plot) => {
        const { y, ticks } = makeValueScale(max, plot, { lines: gridLines });
        const points = heights.map((value, index): [number, number] => [
          xOf(index, plot),
          y(value),
        ]);
        const draw = (some: typeof points) => `M${some.map(([x, top]) => `${x},${top}`).join("L")}`;
        const path = draw(points);
        const isDashed = isLastUnfinished && points.length > 1;
        const baseline = `L${xOf(values.length - 1, plot)},${y(0)}L${xOf(0, plot)},${y(0)}Z`;
        return (
          <>
            <ChartAxes
              plot={plot}
              ticks={ticks}
              y={y}
              format={format}
              labels={labels}
              x={(index) => xOf(index, plot)}
            />
            <path d={path + baseline} fill="var(--accent)" fillOpacity={0.1} />
            <g fill="none" stroke="var(--accent)" strokeWidth={1.75} strokeLinejoin="round">
              <path d={isDashed ? draw(points.slice(0, -1)) : path} />
              {isDashed && <path d={draw(points.slice(-2))} strokeDasharray="3 4" />}
            </g>
            {points.length === 1 && (
              <circle cx={points[0]?.[0]} cy={points[0]?.[1]} r={3.5} fill="var(--accent)" />
            )}
          </>
        );
      }}
      highlight={(index, plot) => {
        const { y } = makeValueScale(max, plot, { lines: gridLines });
        const x = xOf(index, plot);
        return (
          <>
            <line x1={x} x2={x} y1={plot.top} y2={plot.top + plot.height} stroke="var(--edge)" />
            <circle
              cx={x}
              cy={y(heights[index] ?? 0)}
              r={4}
              fill="var(--accent)"
              stroke="var(--card)"
              strokeWidth={2}
            />
          </>
        );
      }}
      tip={(index) => (
        <div className="tabular-nums">
          <div className="text-muted">{labels[index]}</div>
          <div className="font-medium">{formatExact(values[index] ?? 0)}</div>
        </div>
      )}
      sentence={(index) => `${labels[index] ?? ""}: ${formatExact(values[index] ?? 0)}`}
    />
  );
}
