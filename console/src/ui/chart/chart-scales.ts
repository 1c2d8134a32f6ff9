import { scaleLinear } from "d3-scale";

export type Plot = { left: number; top: number; width: number; height: number };

const gridLinesMax = 4;

/** Zero is always at the foot; the top is a round number at or above the largest value. */
export function valueScale(max: number, plot: Plot, lines = gridLinesMax) {
  const scale = scaleLinear()
    .domain([0, max > 0 ? max : 1])
    .nice(lines)
    .range([plot.top + plot.height, plot.top]);
  return { y: (value: number) => scale(value), ticks: scale.ticks(lines) };
}

/** Which of the labels along the foot are written: evenly spaced, the last one always. */
export function shownLabels(count: number, width: number, labelWidth: number): number[] {
  if (count === 0) return [];
  const fit = Math.max(1, Math.floor(width / labelWidth));
  const step = Math.max(1, Math.ceil(count / fit));
  const shown: number[] = [];
  for (let index = count - 1; index >= 0; index -= step) shown.unshift(index);
  return shown;
}

/** The place along the foot that a pointer is nearest to. */
export function nearestIndex(x: number, count: number, plot: Plot, spread: "bands" | "points"): number {
  if (count <= 1) return 0;
  const share = (x - plot.left) / plot.width;
  const index = spread === "bands" ? Math.floor(share * count) : Math.round(share * (count - 1));
  return Math.min(count - 1, Math.max(0, index));
}
