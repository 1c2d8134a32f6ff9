import { useLingui } from "@lingui/react/macro";
import clsx from "clsx";
import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from "react";
import { nearestIndex, type PlotArea } from "./chart-scales.ts";
import { useElementWidth } from "./use-width.ts";

type ChartMargins = { left: number; right: number; top: number; bottom: number };

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
};

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
}: ChartSurfaceProps) {
  const { t } = useLingui();
  const ref = useRef<HTMLDivElement>(null);
  const width = useElementWidth(ref);
  const [at, setAt] = useState<number | null>(null);
  const [byKey, setByKey] = useState(false);
  const plot: PlotArea = {
    left: margins.left,
    top: margins.top,
    width: Math.max(0, width - margins.left - margins.right),
    height: height - margins.top - margins.bottom,
  };
  const focused = at === null || at >= count ? null : at;

  const onPointer = (event: PointerEvent<HTMLDivElement>) => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    setByKey(false);
    setAt(nearestIndex(x, count, plot, spread));
  };
  const step = (event: KeyboardEvent) => {
    if (event.key === "Escape") return setAt(null);
    const move = keySteps[event.key];
    if (move === undefined) return;
    event.preventDefault();
    setByKey(true);
    setAt((before) => Math.min(count - 1, Math.max(0, before === null ? count - 1 : move(before, count - 1))));
  };
  const share =
    focused === null
      ? 0
      : (focused + (spread === "bands" ? 0.5 : 0)) / Math.max(1, spread === "bands" ? count : count - 1);
  const x = plot.left + share * plot.width;

  return (
    <div
      ref={ref}
      role="application"
      aria-roledescription={t`chart`}
      aria-label={t`${label}. Left and right arrow keys read the values.`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys read the values of the chart
      tabIndex={0}
      className="relative touch-pan-y rounded-sm"
      style={{ height }}
      onPointerMove={onPointer}
      onPointerDown={onPointer}
      onPointerLeave={() => setAt(null)}
      onBlur={() => setAt(null)}
      onKeyDown={step}
    >
      {width > 0 && (
        <svg width={width} height={height} aria-hidden="true" className="absolute inset-0 overflow-visible">
          <ChartDrawing draw={draw} left={plot.left} top={plot.top} width={plot.width} height={plot.height} />
          {focused !== null && <g pointerEvents="none">{highlight(focused, plot)}</g>}
        </svg>
      )}
      {focused !== null && (
        <div
          className={clsx(
            "pointer-events-none absolute top-0 z-20 w-max max-w-[min(22rem,80vw)] rounded-md bg-raised px-3 py-2 text-sm shadow-float",
            share > 0.5 && "-translate-x-full",
          )}
          style={{ left: share > 0.5 ? x - 12 : x + 12 }}
        >
          {tip(focused)}
        </div>
      )}
      <span role="status" className="sr-only">
        {focused !== null && byKey ? sentence(focused) : ""}
      </span>
    </div>
  );
}

/** Takes the plot area as numbers, so that the React compiler can skip unchanged drawings. */
function ChartDrawing({ draw, left, top, width, height }: PlotArea & { draw: (plot: PlotArea) => ReactNode }) {
  return draw({ left, top, width, height });
}
