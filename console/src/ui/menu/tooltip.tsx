import { cloneElement, type ReactElement, useEffect, useRef } from "react";
import { placeBeside } from "./floating.ts";

type TooltipProps = { text: string; children: ReactElement };

/**
 * A short text on hover and focus. It only sets an attribute on the child: one bubble serves the
 * whole document, so that hundreds of tooltips in a table are cheap. The child must be focusable.
 */
export function Tooltip({ text, children }: TooltipProps) {
  return text === ""
    ? children
    : cloneElement(children as ReactElement<Record<string, unknown>>, { "data-tip": text });
}

const showAfterMs = 350;
/** Long enough to move the pointer onto the bubble, to read or select its text. */
const hideAfterMs = 150;
const bubbleId = "tooltip";

/** Mounted once. */
export function TooltipBubble() {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const bubble = ref.current;
    return bubble === null ? undefined : attachTooltips(bubble);
  }, []);
  return (
    <div
      ref={ref}
      id={bubbleId}
      role="tooltip"
      popover="manual"
      className="fixed inset-auto m-0 max-w-72 rounded-md border-0 bg-ink px-2 py-1 text-page text-xs shadow-float open:animate-[fade-in_120ms]"
    />
  );
}

function attachTooltips(bubble: HTMLElement): () => void {
  let shownFor: Element | null = null;
  let timer = 0;

  const hide = () => {
    clearTimeout(timer);
    if (shownFor?.getAttribute("aria-describedby") === bubbleId)
      shownFor.removeAttribute("aria-describedby");
    shownFor = null;
    if (bubble.isConnected) bubble.hidePopover();
  };
  const show = (target: Element) => {
    const text = target.getAttribute("data-tip");
    if (text === null || !target.isConnected || target.getAttribute("aria-expanded") === "true")
      return;
    hide();
    shownFor = target;
    bubble.textContent = text;
    // A label equal to the tooltip must not be announced twice.
    if (target.getAttribute("aria-label") !== text && !target.hasAttribute("aria-describedby")) {
      target.setAttribute("aria-describedby", bubbleId);
    }
    bubble.showPopover();
    placeBeside(bubble, target, { align: "center" });
  };
  const schedule = (act: () => void, delayMs: number) => {
    clearTimeout(timer);
    timer = window.setTimeout(act, delayMs);
  };
  const tooltipTarget = (event: Event) =>
    event.target instanceof Element ? event.target.closest("[data-tip]") : null;

  const listeners = new AbortController();
  const listen = <K extends keyof DocumentEventMap>(
    name: K,
    act: (event: DocumentEventMap[K]) => void,
  ) =>
    document.addEventListener(name, act, {
      signal: listeners.signal,
      capture: true,
      passive: true,
    });
  listen("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    if (event.target === bubble) return clearTimeout(timer);
    const target = tooltipTarget(event);
    if (target === shownFor && target !== null) clearTimeout(timer);
    else if (target !== null) schedule(() => show(target), shownFor === null ? showAfterMs : 0);
    else schedule(hide, hideAfterMs);
  });
  listen("focusin", (event) => {
    const focused =
      event.target instanceof Element && event.target.matches(":focus-visible")
        ? event.target
        : null;
    // The tooltip may belong to an element inside the control, such as the time in the cell that
    // opens a row.
    const inside = focused?.matches("button, a") ? focused.querySelector("[data-tip]") : null;
    const target = focused?.closest("[data-tip]") ?? inside;
    if (target !== null) show(target);
  });
  listen("focusout", hide);
  listen("pointerdown", hide);
  listen("scroll", hide);
  listen("keydown", (event) => {
    if (event.key === "Escape") hide();
  });
  return () => {
    hide();
    listeners.abort();
  };
}
