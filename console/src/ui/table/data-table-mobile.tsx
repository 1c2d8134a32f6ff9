import { useLingui } from "@lingui/react/macro";
import clsx from "clsx";
import { ChevronDown } from "lucide-react";
import { Fragment, type ReactNode, useId, useState } from "react";
import { Button } from "../button.tsx";
import type { TableColumn } from "./data-table-columns.ts";
import type { TableLayoutProps } from "./data-table-layout.ts";
import { SkeletonLines } from "./data-table-states.tsx";

const skeletonRowsMax = 8;

type MobileListProps<Row extends object> = TableLayoutProps<Row> & { openLabel: ReactNode };

/** The list below 768 px: two lines per row, expandable to all columns. */
export function MobileList<Row extends object>(table: MobileListProps<Row>) {
  const { label, rows, rowId, view } = table;
  if (rows === undefined) return <SkeletonLines rows={Math.min(view.size, skeletonRowsMax)} />;
  return (
    <ul aria-label={label}>
      {rows.map((row, place) => (
        <MobileRow key={rowId(row) || place} row={row} parts={table} />
      ))}
    </ul>
  );
}

function MobileRow<Row extends object>({
  row,
  parts: table,
}: {
  row: Row;
  parts: MobileListProps<Row>;
}) {
  const { columns, rowName, rowId, selection } = table;
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const facts = columns
    .filter((column) => column.mobile === "fact")
    .map((column) => ({ id: column.id, fact: (column.compactCell ?? column.cell)(row) }))
    .filter(({ fact }) => fact !== null);
  const status = columns.find((column) => column.mobile === "status");
  return (
    <li className="border-line not-first:border-t">
      <div className="relative flex items-center gap-3 px-4 py-2.5 hover:bg-hover">
        {selection !== undefined && (
          <span className="-mx-2 shrink-0">{selection.row(rowId(row), rowName(row))}</span>
        )}
        <div className="min-w-0 grow">
          <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
            <button
              type="button"
              aria-expanded={isOpen}
              aria-controls={isOpen ? id : undefined}
              onClick={() => setOpen(!isOpen)}
              className="min-w-0 text-left font-medium [overflow-wrap:anywhere] after:absolute after:inset-0"
            >
              {rowName(row)}
            </button>
            {status?.cell(row)}
          </div>
          <p className="text-muted text-sm tabular-nums [overflow-wrap:anywhere]">
            {facts.map(({ id, fact }, index) => (
              <Fragment key={id}>
                {index > 0 && <span aria-hidden="true"> · </span>}
                <span className="inline-block">{fact}</span>
              </Fragment>
            ))}
          </p>
        </div>
        <ChevronDown
          aria-hidden="true"
          className={clsx(
            "size-4 shrink-0 text-faint transition-transform duration-150",
            isOpen && "rotate-180",
          )}
        />
      </div>
      {isOpen && <ExpandedRow id={id} row={row} parts={table} />}
    </li>
  );
}

const isInExpandedRow = (column: { mobile?: TableColumn<never>["mobile"] }) =>
  column.mobile === undefined || column.mobile === "detail" || column.mobile === "fact";

function ExpandedRow<Row extends object>({
  id,
  row,
  parts: table,
}: {
  id: string;
  row: Row;
  parts: MobileListProps<Row>;
}) {
  const { i18n } = useLingui();
  const { columns, actions, open, canOpen, openLabel } = table;
  return (
    <div id={id} className="bg-sunken px-4 py-3">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-1.5">
        {columns.filter(isInExpandedRow).map((column) => (
          <Fragment key={column.id}>
            <dt className="text-muted text-sm">{i18n._(column.label)}</dt>
            <dd className="flex min-w-0 justify-end text-right tabular-nums [overflow-wrap:anywhere]">
              {column.cell(row)}
            </dd>
          </Fragment>
        ))}
      </dl>
      <div className="mt-3 flex flex-wrap justify-end gap-2 empty:hidden [&_:is(a,button):not([role])]:border-edge [&_:is(a,button):not([role])]:bg-card [&_span]:gap-2">
        {open !== undefined && canOpen(row) && (
          <Button size="sm" onClick={() => open(row)}>
            {openLabel}
          </Button>
        )}
        {actions?.(row)}
      </div>
    </div>
  );
}
