import { useLingui } from "@lingui/react/macro";
import clsx from "clsx";
import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react";
import { type ReactNode, useRef } from "react";
import type { TableColumn } from "./data-table-columns.ts";
import { type RowDensity, useDensity } from "./data-table-density.ts";
import { useOverflow } from "./data-table-overflow.ts";
import type { RowSelection } from "./data-table-selection.tsx";
import { SkeletonRows } from "./data-table-states.tsx";
import { type TableView, toggleSort } from "./data-table-view.ts";
import { LoadingStatus } from "./skeleton.tsx";

export type TableLayoutProps<Row extends object> = {
  label: string;
  columns: readonly TableColumn<Row>[];
  view: TableView;
  onViewChange: (view: TableView) => void;
  rowId: (row: Row) => string;
  /** Undefined while loading. */
  rows: readonly Row[] | undefined;
  rowName: (row: Row) => string;
  actions: ((row: Row) => ReactNode) | undefined;
  selection: RowSelection | undefined;
  open: ((row: Row) => void) | undefined;
  canOpen: (row: Row) => boolean;
};

const height: Record<RowDensity, string> = { comfortable: "h-10", compact: "h-8" };
const cellStyle = "px-2 first:pl-4 last:pr-4 py-0 whitespace-nowrap";
// Sticky only when the box scrolls: hundreds of sticky cells cost a long frame on each change of rows.
const pinned =
  "group-data-overflow/box:sticky group-data-overflow/box:z-1 group-data-overflow/box:bg-card group-data-overflow/box:group-hover/row:bg-hover";
const pinnedLeft = `${pinned} left-0 group-data-overflow/box:shadow-[1px_0_0_var(--line)]`;
const pinnedRight = `${pinned} right-0 group-data-overflow/box:shadow-[-1px_0_0_var(--line)]`;
/** What gets the focus scrolls clear of the head and of the pinned cells. */
const scrolling =
  "max-h-[calc(100dvh-96px)] overflow-auto scroll-pt-9 scroll-pr-32 scroll-pl-60 print:max-h-none print:overflow-visible";
/** As many skeleton rows as a screen shows, not a full page of a hundred. */
const skeletonRowsMax = 20;

/** The table from 768 px up. */
export function DesktopTable<Row extends object>(table: TableLayoutProps<Row>) {
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
              <th scope="col" className={clsx(headStyle, overflows ? "top-0" : "top-16", "z-2 w-0 pr-0! pl-2!")}>
                {selection.page((rows ?? []).map(rowId))}
              </th>
            )}
            {columns.map((column) => (
              <HeaderCell key={column.id} column={column} parts={table} sticksToBox={overflows} />
            ))}
            {actions !== undefined && (
              <th scope="col" className={clsx(headStyle, overflows ? "top-0" : "top-16", "right-0 z-3 text-right")}>
                {t`Actions`}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
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

function HeaderCell<Row extends object>({ column, parts: table, sticksToBox }: HeaderCellProps<Row>) {
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
            "group/sort -mx-1 inline-flex min-h-7 items-center gap-1 rounded-sm px-1 text-left font-medium hover:text-ink",
            isSorted && "text-ink",
            column.numeric && "flex-row-reverse",
          )}
        >
          {columnLabel}
          <SortIcon
            aria-hidden="true"
            className={clsx(
              "size-3.5 transition-opacity duration-150",
              !isSorted && "opacity-0 group-hover/sort:opacity-100 group-focus-visible/sort:opacity-100",
            )}
          />
        </button>
      ) : (
        columnLabel
      )}
    </th>
  );
}

type BodyRowsProps<Row extends object> = TableLayoutProps<Row> & { rows: readonly Row[]; cell: string };

function BodyRows<Row extends object>({
  rows,
  rowId,
  columns,
  actions,
  selection,
  open,
  canOpen,
  rowName,
  cell,
}: BodyRowsProps<Row>) {
  const opener = columns.find((column) => column.pinned) ?? columns[0];
  return rows.map((row, place) => {
    const opens = open !== undefined && canOpen(row);
    // Keyboard users open a row by the button in its first cell; the click handler of the row is for the pointer.
    return (
      <tr
        key={rowId(row) || place}
        onClick={opens ? (event) => isOnControl(event.target) || open(row) : undefined}
        className={clsx("group/row hover:bg-hover", opens && "cursor-pointer")}
      >
        {selection !== undefined && (
          <td className={clsx(cell, "w-0 border-line border-b pr-0! pl-2! group-last/row:border-b-0")}>
            {selection.row(rowId(row), rowName(row))}
          </td>
        )}
        {columns.map((column) => {
          const content = column.cell(row);
          return (
            <td
              key={column.id}
              className={clsx(
                cell,
                "border-line border-b group-last/row:border-b-0",
                column.numeric && "numeric",
                column.pinned && pinnedLeft,
              )}
            >
              {opens && column === opener ? (
                <button
                  type="button"
                  aria-label={rowName(row)}
                  onClick={() => open(row)}
                  className="rounded-sm text-left"
                >
                  {content}
                </button>
              ) : (
                content
              )}
            </td>
          );
        })}
        {actions !== undefined && (
          <td className={clsx(cell, "border-line border-b pl-1 text-right group-last/row:border-b-0", pinnedRight)}>
            {actions(row)}
          </td>
        )}
      </tr>
    );
  });
}

/** Clicks on controls, and clicks that select text, do not open the row. */
function isOnControl(target: EventTarget): boolean {
  if ((getSelection()?.toString() ?? "") !== "") return true;
  return target instanceof Element && target.closest("a, button, input, select, label") !== null;
}
