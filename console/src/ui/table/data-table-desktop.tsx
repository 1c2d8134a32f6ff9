import { useLingui } from "@lingui/react/macro";
import clsx from "clsx";
import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react";
import { useRef } from "react";
import { LoadingStatus } from "../skeleton.tsx";
import type { TableColumn } from "./data-table-columns.ts";
import { type RowDensity, useDensity } from "./data-table-density.ts";
import type { TableLayoutProps } from "./data-table-layout.ts";
import { useOverflow } from "./data-table-overflow.ts";
import { BodyRows } from "./data-table-rows.tsx";
import { SkeletonRows } from "./data-table-states.tsx";
import { toggleSort } from "./data-table-view.ts";

const height: Record<RowDensity, string> = { comfortable: "h-10", compact: "h-8" };
const cellStyle = "px-2 first:pl-4 last:pr-4 py-0 whitespace-nowrap";
/** `scrolling` keeps a cell that gets the focus clear of the head and of the pinned cells. */
const scrolling =
  "max-h-[calc(100dvh-96px)] overflow-auto scroll-pt-9 scroll-pr-32 scroll-pl-60 print:max-h-none print:overflow-visible";
/** `skeletonRowsMax` is the number of rows that a screen shows, not a full page of a hundred. */
const skeletonRowsMax = 20;

/** The table from 768 px up. */
export function DesktopTable<Row extends object>({
  id,
  ...table
}: TableLayoutProps<Row> & { id: string | undefined }) {
  const { label, columns, rows, rowId, actions, selection, view } = table;
  const { t } = useLingui();
  const [density] = useDensity();
  const box = useRef<HTMLDivElement>(null);
  const overflows = useOverflow(box);
  const cell = clsx(cellStyle, height[density]);
  return (
    <section
      ref={box}
      data-overflow={overflows ? "" : undefined}
      tabIndex={overflows ? 0 : undefined}
      aria-label={overflows ? label : undefined}
      className={clsx("group/box", overflows && scrolling)}
    >
      {rows === undefined && <LoadingStatus />}
      <table
        aria-label={label}
        aria-busy={rows === undefined}
        className="w-full border-separate border-spacing-0 text-sm"
      >
        <thead>
          <tr className="text-left">
            {selection !== undefined && (
              <th
                scope="col"
                className={clsx(headStyle, overflows ? "top-0" : "top-16", "z-2 w-0 pr-0! pl-2!")}
              >
                {selection.page((rows ?? []).map(rowId))}
              </th>
            )}
            {columns.map((column) => (
              <HeaderCell key={column.id} column={column} parts={table} sticksToBox={overflows} />
            ))}
            {actions !== undefined && (
              <th
                scope="col"
                className={clsx(
                  headStyle,
                  overflows ? "top-0" : "top-16",
                  "right-0 z-3 text-right",
                )}
              >
                {t`Actions`}
              </th>
            )}
          </tr>
        </thead>
        <tbody id={id} tabIndex={-1} className="scroll-mt-28 outline-none">
          {rows === undefined ? (
            <SkeletonRows
              columns={[
                ...(selection === undefined ? [] : [{ id: "select", width: 24 }]),
                ...columns,
                ...(actions === undefined ? [] : [{ id: "actions", numeric: true, width: 76 }]),
              ]}
              rows={Math.min(view.size, skeletonRowsMax)}
              cell={cell}
            />
          ) : (
            <BodyRows {...table} rows={rows} cell={cell} />
          )}
        </tbody>
      </table>
    </section>
  );
}

const headStyle =
  "sticky h-9 border-line border-b bg-card px-2 first:pl-4 last:pr-4 font-medium text-muted text-sm leading-4 group-data-overflow/box:bg-card";

type HeaderCellProps<Row extends object> = {
  column: TableColumn<Row>;
  parts: TableLayoutProps<Row>;
  sticksToBox: boolean;
};

function HeaderCell<Row extends object>({
  column,
  parts: table,
  sticksToBox,
}: HeaderCellProps<Row>) {
  const { view, onViewChange } = table;
  const { i18n } = useLingui();
  const isSorted = column.sortable === true && view.sort === column.id;
  const columnLabel = i18n._(column.label);
  const SortIcon = !isSorted ? ChevronsUpDown : view.order === "asc" ? ArrowUp : ArrowDown;
  return (
    <th
      scope="col"
      aria-sort={isSorted ? (view.order === "asc" ? "ascending" : "descending") : undefined}
      className={clsx(
        headStyle,
        sticksToBox ? "top-0" : "top-16",
        column.pinned ? "left-0 z-3" : "z-2",
        column.numeric && "text-right",
      )}
    >
      {column.sortable === true ? (
        <button
          type="button"
          onClick={() => onViewChange(toggleSort(view, column.id))}
          className={clsx(
            "group/sort relative -mx-1 inline-flex min-h-7 items-center gap-1 rounded-sm px-1 font-medium hover:text-ink",
            isSorted && "text-ink",
            column.numeric ? "text-right" : "text-left",
          )}
        >
          {columnLabel}
          <SortIcon
            aria-hidden="true"
            className={clsx(
              "size-3.5 transition-opacity duration-150",
              // In the gap to the column before: figures are narrow, and the mark has no room.
              column.numeric && "absolute -left-3",
              !isSorted &&
                "opacity-0 group-hover/sort:opacity-100 group-focus-visible/sort:opacity-100",
            )}
          />
        </button>
      ) : (
        columnLabel
      )}
    </th>
  );
}
