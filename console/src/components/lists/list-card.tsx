import type { ReactNode } from "react";
import { Card } from "../../ui/card.tsx";
import { Pagination } from "../../ui/table/pagination.tsx";
import { useClampedPage } from "../../ui/table/use-clamped-page.ts";
import { useBreakpoint } from "../../ui/use-breakpoint.ts";
import { ItemList } from "./item-row.tsx";
import { buildListPage, type ListReply } from "./list-page.ts";

export type ShownPage = { p: number; size: number };
export const firstPage: ShownPage = { p: 0, size: 20 };

type ListCardProps<Row> = {
  source: {
    data: ListReply<Row> | undefined;
    error: Error | null;
    isFetching: boolean;
    refetch: () => unknown;
  };
  shown: ShownPage;
  onShow: (next: ShownPage) => void;
  title?: ReactNode;
  note?: ReactNode;
  action?: ReactNode;
  /** Above the rows, also while they load. */
  filter?: ReactNode;
  empty: ReactNode;
  children: (row: Row) => ReactNode;
};

/** Rows of several lines, page by page. */
export function ListCard<Row>({
  source,
  shown,
  onShow,
  title,
  note,
  action,
  filter,
  empty,
  children,
}: ListCardProps<Row>) {
  const screen = useBreakpoint();
  const page = source.data === undefined ? undefined : buildListPage(source.data, shown);
  const { p, size } = shown;
  const isPastEnd = useClampedPage(
    { total: page?.total, isFetching: source.isFetching },
    p,
    size,
    (last) => onShow({ p: last, size }),
  );
  return (
    <>
      <Card {...{ title, note, action }}>
        {filter !== undefined && <div className="mb-4">{filter}</div>}
        <ItemList source={source} rows={page?.items ?? []} empty={!isPastEnd && empty}>
          {children}
        </ItemList>
      </Card>
      {page !== undefined && page.total > page.items.length && (
        <Pagination
          page={p}
          size={size}
          total={page.total}
          capped={page.capped === true}
          screen={screen}
          onPage={(next) => onShow({ p: next, size })}
          onSize={(next) => onShow({ p: 0, size: next })}
        />
      )}
    </>
  );
}
