/** The width of texts in charts, which decides their margins. */

/** `chartFontPx` is the size of all labels of charts. */
export const chartFontPx = 11;
/** `glyphWidthPx` is about the width of a digit, for where there is no canvas. */
const glyphWidthPx = 6.5;

let context: CanvasRenderingContext2D | null | undefined;

/** `measureText` is in pixels, in the font of the page. */
export function measureText(text: string): number {
  if (context === undefined) {
    context = globalThis.document?.createElement("canvas").getContext("2d") ?? null;
    if (context !== null)
      context.font = `${chartFontPx}px ${getComputedStyle(document.body).fontFamily}`;
  }
  return context === null ? text.length * glyphWidthPx : context.measureText(text).width;
}

/** `measureWidest` is the width of the widest text, rounded up. */
export const measureWidest = (texts: readonly string[]): number =>
  Math.ceil(texts.reduce((widest, text) => Math.max(widest, measureText(text)), 0));
