import { ChartAxes } from "./chart-axes.tsx";
import { EmptyChart } from "./chart-empty.tsx";
import { type PlotArea, valueScale } from "./chart-scales.ts";
import { type ChartMarking, ChartSurface } from "./chart-surface.tsx";

type LineChartProps = {
  label: string;
  labels: readonly string[];
  /** NaN where the value is not known: drawn as zero, shown as a dash. */
  values: readonly number[];
  format: (value: number) => string;
  formatExact: (value: number) => string;
  height?: number;
  empty: string;
  /** A range of labels can be marked, by pointer and keyboard. */
  marking?: ChartMarking;
};

const gridLines = 3;
const margins = { left: 48, right: 8, top: 8, bottom: 26 };

export function LineChart({
  label,
  labels,
  values,
  format,
  formatExact,
  height = 160,
  empty,
  marking,
}: LineChartProps) {
  const heights = values.map((value) => value || 0);
  const max = Math.max(0, ...heights);
  const xOf = (index: number, plot: PlotArea) =>
    plot.left + (values.length === 1 ? 0.5 : index / (values.length - 1)) * plot.width;
  if (values.length === 0 || max === 0) return <EmptyChart text={empty} height={height} />;
  return (
    <ChartSurface
      label={label}
      height={height}
      margins={margins}
      count={values.length}
      spread="points"
      marking={marking}
      draw={(plot) => {
        const { y, ticks } = valueScale(max, plot, { lines: gridLines });
        const points = heights.map((value, index): [number, number] => [xOf(index, plot), y(value)]);
        const path = `M${points.map(([x, top]) => `${x},${top}`).join("L")}`;
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
            <path d={path} fill="none" stroke="var(--accent)" strokeWidth={1.75} strokeLinejoin="round" />
            {points.length === 1 && <circle cx={points[0]?.[0]} cy={points[0]?.[1]} r={3.5} fill="var(--accent)" />}
          </>
        );
      }}
      highlight={(index, plot) => {
        const { y } = valueScale(max, plot, { lines: gridLines });
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
