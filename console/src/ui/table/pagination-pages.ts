/** A page number from 1, or a gap for omitted pages. */
export type PaginationEntry = number | "gap";

/**
 * The entries of a pagination. Up to `listedMax` pages are all listed; beyond that, the first, the
 * last and the current page with its neighbours, always as the same number of entries, so that the
 * buttons do not move.
 */
export function pageEntries(
  current: number,
  pages: number,
  listedMax: 3 | 5 | 7,
): PaginationEntry[] {
  if (pages <= listedMax) return range(1, pages);
  const beside = Math.max(0, (listedMax - 5) / 2);
  const edge = Math.max(2, listedMax - 2);
  const nearEdge = (listedMax + 1) / 2;
  if (current <= nearEdge) return [...range(1, edge), "gap", pages];
  if (current > pages - nearEdge) return [1, "gap", ...range(pages - edge + 1, pages)];
  return [1, "gap", ...range(current - beside, current + beside), "gap", pages];
}

/** The first and last item shown, counted from 1; both 0 when there are none. */
export function showRange(page: number, size: number, total: number): { from: number; to: number } {
  if (total <= 0) return { from: 0, to: 0 };
  const from = Math.min(page * size + 1, total);
  return { from, to: Math.min((page + 1) * size, total) };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, step) => from + step);
}
