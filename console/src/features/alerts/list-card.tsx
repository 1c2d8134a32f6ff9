import type { ReactNode } from "react";
import { ItemList } from "../../components/item-row.tsx";
import { type ListReply, toListPage } from "../../components/list-page.ts";
import { Card } from "../../ui/card.tsx";
import { Pagination } from "../../ui/pagination.tsx";
import { useBreakpoint } from "../../ui/use-breakpoint.ts";

export type ShownPage = { p: number; size: number };
export const firstPage: ShownPage = { p: 0, size: 20 };

type ListCardProps<Row> = {
  source: { data: ListReply<Row> | undefined; error: Error | null; isFetching: boolean; refetch: () => unknown };
  shown: ShownPage;
  onShow: (next: ShownPage) => void;
  /** Above the rows, also while they load. */
  filter: ReactNode;
  empty: ReactNode;
  children: (row: Row) => ReactNode;
};

/** Rows of several lines, page by page. */
export function ListCard<Row>({ source, shown, onShow, filter, empty, children }: ListCardProps<Row>) {
  const screen = useBreakpoint();
  const page = source.data === undefined ? undefined : toListPage(source.data, shown);
  return (
    <>
      <Card>
        <div className="mb-4">{filter}</div>
        <ItemList source={source} rows={page?.items ?? []} empty={empty}>
          {children}
        </ItemList>
      </Card>
      {page !== undefined && page.total > page.items.length && (
        <Pagination
          page={shown.p}
          size={shown.size}
          total={page.total}
          capped={page.capped === true}
          screen={screen}
          onPage={(p) => onShow({ ...shown, p })}
          onSize={(size) => onShow({ p: 0, size })}
        />
      )}
    </>
  );
}
