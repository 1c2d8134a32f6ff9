import type { TablePage } from "../ui/data-table.tsx";
import type { TableView } from "../ui/data-table-view.ts";

export type ListReply<Row> = { data: readonly Row[]; total?: number | undefined; total_capped?: boolean | undefined };

/** Converts a reply for the table. Without a total a compatible server has sent all rows, and the page is cut here. */
export function toListPage<Row>(
  { data, total, total_capped }: ListReply<Row>,
  { p, size }: Pick<TableView, "p" | "size">,
): TablePage<Row> {
  if (total === undefined) return { items: data.slice(p * size, (p + 1) * size), total: data.length };
  return { items: data, total, capped: total_capped === true };
}
