import { useSyncExternalStore } from "react";

export type Breakpoint = "mobile" | "tablet" | "desktop" | "large";

const settleMs = 100;

function measure(): Breakpoint {
  const width = window.innerWidth;
  if (width < 768) return "mobile";
  if (width < 1024) return "tablet";
  return width < 1280 ? "desktop" : "large";
}

function subscribe(listener: () => void): () => void {
  let timer = 0;
  const settle = () => {
    clearTimeout(timer);
    timer = window.setTimeout(listener, settleMs);
  };
  addEventListener("resize", settle);
  return () => {
    clearTimeout(timer);
    removeEventListener("resize", settle);
  };
}

/**
 * The current breakpoint, for decisions that CSS cannot make, such as the number of page buttons.
 * Debounced on resize.
 */
export function useBreakpoint(): Breakpoint {
  return useSyncExternalStore(subscribe, measure);
}
