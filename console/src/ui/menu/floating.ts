const gap = 6;
const margin = 8;

type Placement = { align?: "start" | "center" | "end"; side?: "bottom" | "top" };

/**
 * Places a popover beside its anchor, within the screen: where it fits on neither side, it scrolls
 * on the larger one.
 */
export function placeBeside(
  floating: HTMLElement,
  anchor: Element,
  { align = "start", side = "bottom" }: Placement = {},
) {
  floating.style.maxHeight = "";
  const around = anchor.getBoundingClientRect();
  const { width, height } = floating.getBoundingClientRect();
  const below = around.bottom + gap;
  const roomBelow = window.innerHeight - below - margin;
  const roomAbove = around.top - gap - margin;
  const [wanted, other] = side === "bottom" ? [roomBelow, roomAbove] : [roomAbove, roomBelow];
  const isTurned = height > wanted && other > wanted;
  const goesBelow = (side === "bottom") !== isTurned;
  const room = isTurned ? other : wanted;
  if (height > room) floating.style.maxHeight = `${room}px`;
  const left =
    align === "start"
      ? around.left
      : align === "end"
        ? around.right - width
        : around.left + (around.width - width) / 2;
  floating.style.top = `${goesBelow ? below : around.top - gap - Math.min(height, room)}px`;
  floating.style.left = `${Math.max(margin, Math.min(left, window.innerWidth - width - margin))}px`;
}
