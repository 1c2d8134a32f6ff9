export type PlotArea = { left: number; top: number; width: number; height: number };

const gridLinesMax = 4;

/** `listTicks` needs no plot: the width of its labels decides how wide the plot can be. */
export function listTicks(max: number, { lines = gridLinesMax, isCount = false } = {}): number[] {
  const largest = max > 0 ? max : 1;
  const step = isCount ? Math.max(1, roundStep(largest / lines)) : roundStep(largest / lines);
  // Rounded, because 3 × 0.1 is 0.30000000000000004.
  return Array.from({ length: Math.ceil(largest / step) + 1 }, (_, index) =>
    Number((index * step).toPrecision(12)),
  );
}

/**
 * A scale from zero to a round number at or above the largest value; what is counted has no ticks
 * between whole numbers.
 */
export function makeValueScale(
  max: number,
  plot: PlotArea,
  { lines = gridLinesMax, isCount = false } = {},
) {
  const ticks = listTicks(max, { lines, isCount });
  const bottom = plot.top + plot.height;
  return { y: (value: number) => bottom - (value / (ticks.at(-1) ?? 1)) * plot.height, ticks };
}

/** The nearest of 1, 2, 5 or 10 times a power of ten, by ratio. */
function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  const lead = step / power;
  const factor =
    lead >= Math.sqrt(50) ? 10 : lead >= Math.sqrt(10) ? 5 : lead >= Math.sqrt(2) ? 2 : 1;
  return factor * power;
}

/** The indexes of the labels to show: evenly spaced, always including the last. */
export function showLabels(count: number, width: number, labelWidth: number): number[] {
  if (count === 0) return [];
  const capacity = Math.max(1, Math.floor(width / labelWidth));
  const step = Math.max(1, Math.ceil(count / capacity));
  const shown: number[] = [];
  for (let index = count - 1; index >= 0; index -= step) shown.unshift(index);
  return shown;
}

const roundMinutes = [1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1_440];

/**
 * `roundTimes` does the same for labels that are times of the day as `14:05`: those at round times,
 * at midnight alone where no more fit.
 */
export function roundTimes(labels: readonly string[], width: number, labelWidth: number): number[] {
  const capacity = Math.max(1, Math.floor(width / labelWidth));
  const minutes = labels.map((label) => Number(label.slice(0, 2)) * 60 + Number(label.slice(3)));
  for (const step of roundMinutes) {
    const found = minutes.flatMap((minute, index) => (minute % step === 0 ? [index] : []));
    if (found.length === 0) break;
    if (found.length <= capacity) return found;
  }
  return showLabels(labels.length, width, labelWidth);
}

/** The index nearest to a pointer position. */
export function computeNearestIndex(
  x: number,
  count: number,
  plot: PlotArea,
  spread: "bands" | "points",
): number {
  if (count <= 1) return 0;
  const share = (x - plot.left) / plot.width;
  const index = spread === "bands" ? Math.floor(share * count) : Math.round(share * (count - 1));
  return Math.min(count - 1, Math.max(0, index));
}
