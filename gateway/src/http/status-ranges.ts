/** Lists of HTTP error statuses as operators write them: `408, 500-504`. Pure. */

/** Both ends are part of the range. */
export interface StatusRange {
  from: number;
  to: number;
}

const partsMax = 50;
const part = /^([45]\d\d)(?:-([45]\d\d))?$/;

/** Undefined for a text that is no such list; an empty one has no ranges. */
export function parseStatusRanges(text: string): readonly StatusRange[] | undefined {
  const ranges: StatusRange[] = [];
  for (const written of text.split(",").map((piece) => piece.trim())) {
    if (written === "") continue;
    const [, from, to = from] = part.exec(written) ?? [];
    const range = { from: Number(from), to: Number(to) };
    if (from === undefined || range.from > range.to || ranges.length === partsMax) return undefined;
    ranges.push(range);
  }
  return ranges;
}

export const hasStatus = (ranges: readonly StatusRange[], status: number): boolean =>
  ranges.some(({ from, to }) => from <= status && status <= to);

/** `formatStatusRangesText` writes them as they are stored. */
export const formatStatusRangesText = (ranges: readonly StatusRange[]): string =>
  ranges.map(({ from, to }) => (from === to ? from : `${from}-${to}`)).join(",");
