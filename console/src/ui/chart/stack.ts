import type { PlotArea } from "./chart-scales.ts";

/** The upper edges of each series: its values on top of those before it. */
export function listStackTops(series: readonly (readonly number[])[]): number[][] {
  const tops: number[][] = [];
  for (const values of series) {
    const below = tops.at(-1);
    tops.push(values.map((value, index) => value + (below?.[index] ?? 0)));
  }
  return tops;
}

/** The share of the slot that a bar takes; more in a narrow slot. */
const computeBarWidthRatio = (slotWidth: number): number => (slotWidth < 6 ? 0.9 : 0.72);
const barWidthMax = 56;

/** `computeBar` is where the bar of one step stands. */
export function computeBar(
  plot: PlotArea,
  count: number,
  place: number,
): { left: number; width: number } {
  const slotWidth = plot.width / Math.max(1, count);
  const width = Math.min(barWidthMax, slotWidth * computeBarWidthRatio(slotWidth));
  return { left: plot.left + place * slotWidth + (slotWidth - width) / 2, width };
}

/** `listBarPaths` gives one path per series, without bars of no height. */
export function listBarPaths(
  tops: readonly (readonly number[])[],
  plot: PlotArea,
  y: (value: number) => number,
): string[] {
  const count = tops[0]?.length ?? 0;
  return tops.map((series, level) => {
    const below = tops[level - 1];
    return series
      .map((top, index) => {
        const bottom = below?.[index] ?? 0;
        if (top <= bottom) return "";
        const { left, width } = computeBar(plot, count, index);
        return `M${round(left)} ${round(y(bottom))}V${round(y(top))}h${round(width)}V${round(y(bottom))}z`;
      })
      .join("");
  });
}

const round = (value: number): number => Math.round(value * 10) / 10;
