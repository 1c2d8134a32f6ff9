import { type PlotArea, roundTimes, shownLabels } from "./chart-scales.ts";

type ChartAxesProps = {
  plot: PlotArea;
  ticks: readonly number[];
  y: (value: number) => number;
  format: (value: number) => string;
  /** A day as `2026-11-26` is shown without its year. */
  labels: readonly string[];
  /** Labels are times of the day as `14:05`: round ones are shown. */
  areTimes?: boolean | undefined;
  /** The centre of each label on the x axis. */
  x: (index: number) => number;
};

/** The approximate width of a digit at 11 px, and the gap between two labels. */
const digitWidthPx = 6.5;
const labelGapPx = 18;

const withoutYear = (label: string) => label.replace(/^\d{4}-(?=\d\d-\d\d$)/, "");

/** Grid lines and labels. */
export function ChartAxes({ plot, ticks, y, format, labels: wholeLabels, areTimes, x }: ChartAxesProps) {
  const right = plot.left + plot.width;
  const labels = wholeLabels.map(withoutYear);
  const labelWidth = (labels[0]?.length ?? 0) * digitWidthPx;
  const places = areTimes
    ? roundTimes(labels, plot.width, labelWidth + labelGapPx)
    : shownLabels(labels.length, plot.width, labelWidth + labelGapPx);
  const positioned = positionLabels(labels, places, plot, x, labelWidth);
  return (
    <g fontSize={11} fill="var(--faint)" className="tabular-nums">
      {ticks.map((tick) => (
        <g key={tick}>
          <line x1={plot.left} x2={right} y1={y(tick)} y2={y(tick)} stroke="var(--line)" />
          <text x={plot.left - 8} y={y(tick)} dy="0.32em" textAnchor="end">
            {format(tick)}
          </text>
        </g>
      ))}
      {positioned.map((label) => (
        <text key={label.x} x={label.x} y={plot.top + plot.height + 18} textAnchor={label.anchor}>
          {label.text}
        </text>
      ))}
    </g>
  );
}

type PositionedLabel = { text: string; x: number; anchor: "start" | "middle" | "end"; from: number };

/** Keeps the outer labels inside the chart, and drops labels that would touch the next one. */
function positionLabels(
  labels: readonly string[],
  places: readonly number[],
  plot: PlotArea,
  x: (index: number) => number,
  width: number,
): PositionedLabel[] {
  const positioned: PositionedLabel[] = [];
  for (const index of places.toReversed()) {
    const middle = x(index);
    const anchor = middle + width / 2 > plot.left + plot.width ? "end" : middle - width / 2 < 0 ? "start" : "middle";
    const from = anchor === "end" ? middle - width : anchor === "start" ? middle : middle - width / 2;
    const next = positioned.at(-1);
    if (next === undefined || from + width + labelGapPx / 2 <= next.from) {
      positioned.push({ text: labels[index] ?? "", x: middle, anchor, from });
    }
  }
  return positioned;
}
