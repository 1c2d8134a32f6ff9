import type { TablePage } from "../../ui/table/data-table.tsx";
import type { TableView } from "../../ui/table/data-table-view.ts";

export type ListReply<Row> = {
  data: readonly Row[];
  total?: number | undefined;
  total_capped?: boolean | undefined;
};

/**
 * Converts a reply for the table. A compatible server that sends no total has sent all rows, from
 * which the page is cut here, or this page of them.
 */
export function buildListPage<Row>(
  { data, total, total_capped }: ListReply<Row>,
  { p, size }: Pick<TableView, "p" | "size">,
): TablePage<Row> {
  if (total === undefined && data.length > size) {
    return { items: data.slice(p * size, (p + 1) * size), total: data.length };
  }
  if (total === undefined) return { items: data, total: p * size + data.length };
  return { items: data, total, capped: total_capped === true };
}
