/** Page (from 0), page size and sort of a list, named as in the API. */
export type TableView = { p: number; size: number; sort: string; order: "asc" | "desc" };

/** Search parameters of the URL: plain strings, never parsed as JSON. */
export type SearchParams = Readonly<Record<string, unknown>>;

export const pageSizes = [10, 20, 50, 100] as const;
export const defaultView: TableView = { p: 0, size: 20, sort: "id", order: "desc" };

/** Reads the view from the URL; invalid values fall back to the defaults. */
export function readView(search: SearchParams, defaults: TableView): TableView {
  const p = Number(search.p);
  const size = Number(search.size);
  const sort = search.sort;
  const order = search.order;
  return {
    p: search.p !== undefined && Number.isSafeInteger(p) && p >= 0 ? p : defaults.p,
    size: pageSizes.find((offered) => offered === size) ?? defaults.size,
    sort: typeof sort === "string" && sort !== "" ? sort : defaults.sort,
    order: order === "asc" || order === "desc" ? order : defaults.order,
  };
}

/**
 * Writes the view into the search parameters. Default values are removed, other parameters stay.
 */
export function writeView(
  search: SearchParams,
  view: TableView,
  defaults: TableView,
): Record<string, unknown> {
  const next: Record<string, unknown> = { ...search };
  for (const key of ["p", "size", "sort", "order"] as const) {
    if (view[key] === defaults[key]) delete next[key];
    else next[key] = String(view[key]);
  }
  return next;
}

/** Sorts by another column in descending order, or reverses the sorted one. */
export function toggleSort(view: TableView, sort: string): TableView {
  const isReversed = view.sort === sort && view.order === "desc";
  return { ...view, sort, order: isReversed ? "asc" : "desc", p: 0 };
}
