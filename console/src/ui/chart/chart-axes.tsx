import { placeLabels, writeTicks } from "./chart-labels.ts";
import type { PlotArea } from "./chart-scales.ts";
import { chartFontPx, measureText } from "./measure-text.ts";

type ChartAxesProps = {
  plot: PlotArea;
  ticks: readonly number[];
  y: (value: number) => number;
  format: (value: number) => string;
  /** A day as `2026-11-26` is shown without its year, except where the years change. */
  labels: readonly string[];
  /** Labels are times of the day as `14:05`: round ones are shown. */
  areTimes?: boolean | undefined;
  /** The centre of each label on the x axis. */
  x: (index: number) => number;
};

/** Grid lines and labels. */
export function ChartAxes({ plot, ticks, y, format, labels, areTimes = false, x }: ChartAxesProps) {
  const right = plot.left + plot.width;
  const texts = writeTicks(ticks, format);
  return (
    <g fontSize={chartFontPx} fill="var(--faint)" className="tabular-nums">
      {ticks.map((tick, place) => (
        <g key={tick}>
          <line x1={plot.left} x2={right} y1={y(tick)} y2={y(tick)} stroke="var(--line)" />
          <text x={plot.left - tickGapPx} y={y(tick)} dy="0.32em" textAnchor="end">
            {texts[place]}
          </text>
        </g>
      ))}
      {placeLabels({ labels, areTimes, plot, x, measure: measureText }).map((label) => (
        <text key={label.x} x={label.x} y={plot.top + plot.height + 18} textAnchor={label.anchor}>
          {label.text}
        </text>
      ))}
    </g>
  );
}

/** `tickGapPx` is the distance of the labels of the y axis from the plot. */
export const tickGapPx = 8;
