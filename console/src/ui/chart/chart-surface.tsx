import { useLingui } from "@lingui/react/macro";
import clsx from "clsx";
import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from "react";
import { computeNearestIndex, type PlotArea } from "./chart-scales.ts";
import { useElementWidth } from "./use-width.ts";

type ChartMargins = { left: number; right: number; top: number; bottom: number };

/** `ChartMarking` is what marking a range of the chart does. */
export type ChartMarking = {
  /**
   * Completes the chart's description, such as "Shift and arrow keys mark a time, Enter shows it".
   */
  hint: string;
  /** Both ends are part of it. */
  onMark: (first: number, last: number) => void;
};

export type ChartSurfaceProps = {
  /** Describes the chart for assistive technology. */
  label: string;
  height: number;
  margins: ChartMargins;
  count: number;
  spread: "bands" | "points";
  /** Draws the chart; not called again while the pointer moves. */
  draw: (plot: PlotArea) => ReactNode;
  /** Draws the highlight at the focused index. */
  highlight: (index: number, plot: PlotArea) => ReactNode;
  tip: (index: number) => ReactNode;
  /** The tooltip as one sentence, for screen readers. */
  sentence: (index: number) => string;
  marking?: ChartMarking | undefined;
};

/** A shorter way of the pointer is a click, which marks nothing. */
const markedPixelsMin = 6;

const keySteps: Record<string, (at: number, last: number) => number> = {
  ArrowLeft: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  Home: () => 0,
  End: (_, last) => last,
};

/** Shows values by pointer, touch or arrow keys, without redrawing the chart. */
export function ChartSurface({
  label,
  height,
  margins,
  count,
  spread,
  draw,
  highlight,
  tip,
  sentence,
  marking,
}: ChartSurfaceProps) {
  const { t } = useLingui();
  const ref = useRef<HTMLDivElement>(null);
  const width = useElementWidth(ref);
  const [at, setAt] = useState<number | null>(null);
  const [byKey, setByKey] = useState(false);
  /** `from` is the beginning of a range whose other end is `at`. */
  const [from, setFrom] = useState<number | null>(null);
  const fromX = useRef(0);
  const plot: PlotArea = {
    left: margins.left,
    top: margins.top,
    width: Math.max(0, width - margins.left - margins.right),
    height: height - margins.top - margins.bottom,
  };
  const focused = at === null || at >= count ? null : at;

  const marked =
    marking && from !== null && focused !== null ? [from, focused].sort(byNumber) : undefined;

  const indexAt = (event: PointerEvent<HTMLDivElement>) =>
    computeNearestIndex(
      event.clientX - event.currentTarget.getBoundingClientRect().left,
      count,
      plot,
      spread,
    );
  const onPointer = (event: PointerEvent<HTMLDivElement>) => {
    setByKey(false);
    setAt(indexAt(event));
  };
  const forget = () => {
    setAt(null);
    setFrom(null);
  };
  // A finger scrolls and reads values; it marks nothing.
  const beginMark = (event: PointerEvent<HTMLDivElement>) => {
    onPointer(event);
    if (!marking || event.pointerType !== "mouse" || event.button !== 0) return;
    fromX.current = event.clientX;
    setFrom(indexAt(event));
  };
  const endMark = (event: PointerEvent<HTMLDivElement>) => {
    setFrom(null);
    if (marked === undefined || Math.abs(event.clientX - fromX.current) < markedPixelsMin) return;
    marking?.onMark(marked[0] ?? 0, marked[1] ?? 0);
  };
  const step = (event: KeyboardEvent) => {
    if (event.key === "Escape") return forget();
    if (event.key === "Enter" && marking && focused !== null) {
      const [first = focused, last = focused] = marked ?? [];
      setFrom(null);
      return marking.onMark(first, last);
    }
    const move = keySteps[event.key];
    if (move === undefined) return;
    event.preventDefault();
    setByKey(true);
    setFrom(event.shiftKey ? (from ?? focused ?? count - 1) : null);
    setAt((before) =>
      Math.min(count - 1, Math.max(0, before === null ? count - 1 : move(before, count - 1))),
    );
  };
  const share =
    focused === null
      ? 0
      : (focused + (spread === "bands" ? 0.5 : 0)) /
        Math.max(1, spread === "bands" ? count : count - 1);
  const x = plot.left + share * plot.width;

  const described = t`${label}. Left and right arrow keys read the values.`;
  const description = marking ? `${described} ${marking.hint}` : described;

  return (
    <div
      ref={ref}
      role="application"
      aria-roledescription={t`chart`}
      aria-label={description}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys read the values of the chart
      tabIndex={0}
      className={clsx("relative touch-pan-y rounded-sm", marking && "cursor-crosshair")}
      style={{ height }}
      onPointerMove={onPointer}
      onPointerDown={beginMark}
      onPointerUp={endMark}
      onPointerLeave={forget}
      onBlur={forget}
      onKeyDown={step}
    >
      {width > 0 && (
        <svg
          width={width}
          height={height}
          aria-hidden="true"
          className="absolute inset-0 overflow-visible"
        >
          <ChartDrawing
            draw={draw}
            left={plot.left}
            top={plot.top}
            width={plot.width}
            height={plot.height}
          />
          {marked !== undefined && (
            <MarkedRange marked={marked} plot={plot} count={count} spread={spread} />
          )}
          {focused !== null && <g pointerEvents="none">{highlight(focused, plot)}</g>}
        </svg>
      )}
      {focused !== null && (
        <div
          className={clsx(
            "pointer-events-none absolute top-0 z-20 w-max max-w-[min(32rem,80vw)] rounded-md bg-raised px-3 py-2 text-sm shadow-float",
            share > 0.5 && "-translate-x-full",
          )}
          style={{ left: share > 0.5 ? x - 12 : x + 12 }}
        >
          {tip(focused)}
        </div>
      )}
      <span role="status" className="sr-only">
        {focused !== null && byKey ? (marked ?? [focused]).map(sentence).join(" – ") : ""}
      </span>
    </div>
  );
}

const byNumber = (one: number, other: number): number => one - other;

type MarkedRangeProps = Pick<ChartSurfaceProps, "count" | "spread"> & {
  marked: readonly number[];
  plot: PlotArea;
};

function MarkedRange({ marked: [first = 0, last = 0], plot, count, spread }: MarkedRangeProps) {
  const isBands = spread === "bands";
  const step = plot.width / Math.max(1, isBands ? count : count - 1);
  return (
    <rect
      data-marked
      pointerEvents="none"
      x={plot.left + first * step}
      y={plot.top}
      width={(last - first + (isBands ? 1 : 0)) * step}
      height={plot.height}
      fill="var(--accent)"
      fillOpacity={0.18}
      stroke="var(--accent)"
    />
  );
}

/** Takes the plot area as numbers, so that the React compiler can skip unchanged drawings. */
function ChartDrawing({
  draw,
  left,
  top,
  width,
  height,
}: PlotArea & { draw: (plot: PlotArea) => ReactNode }) {
  return draw({ left, top, width, height });
}
