/** Pages, sort orders and capped totals of lists. */
import { pageSizeDefault } from "@tollgate/contract/api/page.ts";

export interface PageQuery {
  p?: number | undefined;
  size?: number | undefined;
}

export function computePage({ p = 0, size = pageSizeDefault }: PageQuery) {
  return { limit: size, offset: p * size };
}

/** Counting stops here: an exact total of a million rows is not worth the time it takes. */
export const totalMax = 10_000;

/** `capTotal` takes a count over at most `totalMax + 1` rows. */
export const capTotal = (counted: number) =>
  counted > totalMax ? { total: totalMax, total_capped: true } : { total: counted };

interface SortQuery {
  sort?: string | undefined;
  order?: string | undefined;
}

/**
 * Column names come from `columns` alone, never from the request. `order` may name a column, as old
 * clients do.
 */
export function chooseOrder<Column>(
  { sort, order }: SortQuery,
  columns: Readonly<Record<string, Column>>,
  defaultColumn: Column,
): { column: Column; direction: "asc" | "desc" } {
  if (order !== undefined && order !== "asc" && order !== "desc")
    return { column: columns[order] ?? defaultColumn, direction: "desc" };
  return {
    column: (sort === undefined ? undefined : columns[sort]) ?? defaultColumn,
    direction: order ?? "desc",
  };
}

/** Escapes text for `like … escape '!'`, so that nothing in it is a pattern. */
export const escapeLike = (text: string) => text.replace(/[!%_]/g, "!$&");
