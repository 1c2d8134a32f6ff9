/** The labels of both axes: what they say, how wide they are, and which are shown. Pure. */
import { type PlotArea, roundTimes, showLabels } from "./chart-scales.ts";

/** `labelGapPx` is the least distance between two labels. */
const labelGapPx = 18;

const readYear = (label: string) => /^(\d{4})-\d\d-\d\d$/.exec(label)?.[1];
const stripYear = (label: string) => label.replace(/^\d{4}-(?=\d\d-\d\d$)/, "");

/** `writeTicks` writes a unit that all ticks end with at the uppermost alone. */
export function writeTicks(ticks: readonly number[], format: (value: number) => string): string[] {
  const texts = ticks.map(format);
  const unit = /\s\D+$/.exec(texts.at(-1) ?? "")?.[0];
  if (unit === undefined || texts.length < 2 || !texts.every((text) => text.endsWith(unit)))
    return texts;
  return texts.map((text, place) =>
    place === texts.length - 1 ? text : text.slice(0, -unit.length),
  );
}

export type PlacedLabel = { text: string; x: number; anchor: "start" | "middle" | "end" };

type LabelInput = {
  labels: readonly string[];
  areTimes: boolean;
  plot: PlotArea;
  /** The centre of each label. */
  x: (index: number) => number;
  measure: (text: string) => number;
};

/**
 * `placeLabels` chooses labels at equal distances that do not touch each other and stay inside the
 * chart. A day has its year where the years change.
 */
export function placeLabels({ labels, areTimes, plot, x, measure }: LabelInput): PlacedLabel[] {
  const crossesYears = readYear(labels[0] ?? "") !== readYear(labels.at(-1) ?? "");
  const longest = crossesYears ? (labels[0] ?? "") : stripYear(labels[0] ?? "");
  const widest = Math.max(measure(longest), measure(stripYear(labels.at(-1) ?? "")));
  const choose = areTimes
    ? roundTimes
    : (all: readonly string[], ...sizes: [number, number]) => showLabels(all.length, ...sizes);
  const places = choose(labels, plot.width, widest + labelGapPx);
  const placed: (PlacedLabel & { from: number })[] = [];
  for (const [order, index] of [...places.entries()].toReversed()) {
    const label = labels[index] ?? "";
    const beginsYear =
      crossesYears && readYear(label) !== readYear(labels[places[order - 1] ?? -1] ?? "");
    const text = beginsYear ? label : stripYear(label);
    const width = measure(text);
    const middle = x(index);
    const end = plot.left + plot.width;
    const anchor =
      middle + width / 2 > end + rightSlackPx ? "end" : middle - width / 2 < 0 ? "start" : "middle";
    const from =
      anchor === "end" ? middle - width : anchor === "start" ? middle : middle - width / 2;
    const next = placed.at(-1);
    if (next === undefined || from + width + labelGapPx / 2 <= next.from) {
      placed.push({ text, x: middle, anchor, from });
    }
  }
  return placed;
}

/**
 * `rightSlackPx` lets half of the last label stand right of the plot, below the margin of the card.
 */
const rightSlackPx = 18;
