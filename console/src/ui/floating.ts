const gap = 6;
const margin = 8;

type Placement = { align?: "start" | "center" | "end"; side?: "bottom" | "top" };

/** Places a popover beside its anchor, on the other side when it does not fit, within the screen. */
export function placeBeside(
  floating: HTMLElement,
  anchor: Element,
  { align = "start", side = "bottom" }: Placement = {},
) {
  const around = anchor.getBoundingClientRect();
  const { width, height } = floating.getBoundingClientRect();
  const below = around.bottom + gap;
  const above = around.top - gap - height;
  const fitsBelow = below + height + margin <= window.innerHeight;
  const fitsAbove = above >= margin;
  const goesBelow = side === "bottom" ? fitsBelow || !fitsAbove : !fitsAbove;
  const left =
    align === "start" ? around.left : align === "end" ? around.right - width : around.left + (around.width - width) / 2;
  floating.style.top = `${Math.max(margin, goesBelow ? below : above)}px`;
  floating.style.left = `${Math.max(margin, Math.min(left, window.innerWidth - width - margin))}px`;
}
