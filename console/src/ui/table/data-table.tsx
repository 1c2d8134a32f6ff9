import { Trans } from "@lingui/react/macro";
import { lazy, type ReactNode, Suspense, useMemo } from "react";
import { ChangeOnly } from "../may-change.tsx";
import { PartBoundary } from "../part-boundary.tsx";
import { useBreakpoint } from "../use-breakpoint.ts";
import type { TableColumn } from "./data-table-columns.ts";
import { DesktopTable } from "./data-table-desktop.tsx";
import { MobileList } from "./data-table-mobile.tsx";
import type { RowSelection } from "./data-table-selection.tsx";
import { EmptyTable, FailedTable, NoMatches, SkeletonLines } from "./data-table-states.tsx";
import { TableToolbar } from "./data-table-toolbar.tsx";
import type { TableView } from "./data-table-view.ts";
import { Pagination } from "./pagination.tsx";
import { isColumnShown } from "./table-choice.ts";
import { useClampedPage } from "./use-clamped-page.ts";
import { useTableChoice } from "./use-table-choice.ts";

/** Loaded after the list is shown: it is not what a user needs first. */
const TableChoiceMenu = lazy(async () => ({
  default: (await import("./table-choice-menu.tsx")).TableChoiceMenu,
}));

export type TablePage<Row> = { items: readonly Row[]; total: number; capped?: boolean | undefined };

/** The part of a `useQuery` result that the table reads. */
export type TableSource<Row> = {
  data: TablePage<Row> | undefined;
  error: Error | null;
  isFetching: boolean;
  refetch: () => unknown;
};

/** `resultsId` is where a link of the shell skips to: the rows, past the heads of their columns. */
const resultsId = "results";

type DataTableProps<Row extends object> = {
  /** `isPart` is a table beside the list that its page is about: no link skips to it. */
  isPart?: true;
  /** Names the list for assistive technology. */
  label: string;
  source: TableSource<Row>;
  /**
   * `columns` are the same list at each drawing, as `actions` is: then a row that did not change is
   * not drawn again.
   */
  columns: readonly TableColumn<Row>[];
  /**
   * Names the user and the list whose columns and views this browser keeps. Undefined offers no
   * choice.
   */
  choiceOwner?: string | undefined;
  rowId: (row: Row) => string;
  rowName: (row: Row) => string;
  view: TableView;
  /** `replace` is set for a change that the user did not make: Back must not return to it. */
  onViewChange: (view: TableView, replace?: boolean) => void;
  /** The sentence and the button of the empty state. */
  empty?: ReactNode;
  emptyAction?: ReactNode;
  /** True while a search or filter is active: an empty list then shows "No results". */
  filtered?: boolean;
  /** The text that was searched for, named where nothing contains it. */
  searched?: string;
  onClearFilters?: (() => void) | undefined;
  toolbar?: ReactNode;
  actions?: (row: Row) => ReactNode;
  /** Puts a box before each row. */
  selection?: RowSelection | undefined;
  /** Opens a row, by click or by the button in its first cell. */
  onRowOpen?: (row: Row) => void;
  canRowOpen?: (row: Row) => boolean;
  rowOpenLabel?: ReactNode;
};

/**
 * The table of every list: loading, failed, empty and filled; sorting and paging by the server; two
 * lines per row on mobile.
 */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { source, columns, choiceOwner, view, onViewChange, label, rowId, rowName, actions } =
    props;
  const screen = useBreakpoint();
  const isMobile = screen === "mobile";
  const [choice] = useTableChoice(choiceOwner);
  // The opened row on mobile has all columns, whatever is chosen for the table.
  const shownColumns = useMemo(
    () => (isMobile ? columns : columns.filter((column) => isColumnShown(column, choice.columns))),
    [isMobile, columns, choice.columns],
  );
  // A failed list shows no rows, even when older ones are cached.
  const page = source.error === null ? source.data : undefined;
  const layout = {
    label,
    columns: shownColumns,
    view,
    onViewChange,
    rows: page?.items,
    rowId,
    rowName,
    actions,
    selection: props.selection,
    open: props.onRowOpen,
    canOpen: props.canRowOpen ?? (() => true),
  };
  const isEmpty = page !== undefined && page.items.length === 0;
  const place = props.isPart === true ? undefined : resultsId;
  const rowsAreInTable = source.error === null && !isEmpty && !isMobile;
  return (
    <div className="min-w-0 rounded-lg border border-line bg-card">
      <TableToolbar
        isMobile={isMobile}
        isFetching={source.isFetching}
        onRefresh={() => void source.refetch()}
        choiceMenu={
          choiceOwner !== undefined && (
            <PartBoundary>
              <Suspense fallback={<span className="size-8" />}>
                <TableChoiceMenu
                  {...{ owner: choiceOwner, columns, isMobile, view, onViewChange }}
                />
              </Suspense>
            </PartBoundary>
          )
        }
      >
        <PartBoundary>{props.toolbar}</PartBoundary>
      </TableToolbar>
      <div
        id={rowsAreInTable ? undefined : place}
        tabIndex={-1}
        className="scroll-mt-20 border-line border-t outline-none"
      >
        <PartBoundary>
          {source.error !== null ? (
            <FailedTable
              error={source.error}
              busy={source.isFetching}
              onRetry={() => void source.refetch()}
            />
          ) : isEmpty ? (
            <NoRows {...props} />
          ) : isMobile ? (
            <MobileList {...layout} openLabel={props.rowOpenLabel ?? <Trans>Details</Trans>} />
          ) : (
            <DesktopTable {...layout} id={place} />
          )}
        </PartBoundary>
      </div>
      {page === undefined && source.error === null && (
        <div className="h-[49px] border-line border-t" />
      )}
      {page !== undefined && (!isEmpty || page.total > 0) && (
        <div className="border-line border-t">
          <Pagination
            page={view.p}
            size={view.size}
            total={page.total}
            capped={page.capped === true}
            screen={screen}
            onPage={(p) => onViewChange({ ...view, p })}
            onSize={(size) => onViewChange({ ...view, size, p: 0 })}
          />
        </div>
      )}
    </div>
  );
}

function NoRows<Row extends object>(props: DataTableProps<Row>) {
  const { source, view, onViewChange, filtered, searched, onClearFilters, empty, emptyAction } =
    props;
  const { data, isFetching } = source;
  const isPastEnd = useClampedPage({ total: data?.total, isFetching }, view.p, view.size, (p) =>
    onViewChange({ ...view, p }, true),
  );
  if (isPastEnd) return <SkeletonLines rows={1} />;
  if (filtered === true || empty === undefined) {
    return (
      <NoMatches searched={searched} onClear={filtered === true ? onClearFilters : undefined} />
    );
  }
  return <EmptyTable sentence={empty} action={<ChangeOnly>{emptyAction}</ChangeOnly>} />;
}
