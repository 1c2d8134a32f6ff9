import { useLingui } from "@lingui/react/macro";
import clsx from "clsx";
import { ChevronDown } from "lucide-react";
import { Fragment, type ReactNode, useId, useState } from "react";
import { Button } from "./button.tsx";
import type { Column } from "./data-table-columns.ts";
import { SkeletonLines } from "./data-table-states.tsx";
import type { TableParts } from "./data-table-wide.tsx";

const skeletonRowsMax = 8;

type NarrowListProps<Row extends object> = TableParts<Row> & { openLabel: ReactNode };

/** The list below 768 px: two lines a row, and the rest opens in place. */
export function NarrowList<Row extends object>(parts: NarrowListProps<Row>) {
  const { label, rows, rowId, view } = parts;
  if (rows === undefined) return <SkeletonLines rows={Math.min(view.size, skeletonRowsMax)} />;
  return (
    <ul aria-label={label}>
      {rows.map((row) => (
        <NarrowRow key={rowId(row)} row={row} parts={parts} />
      ))}
    </ul>
  );
}

function NarrowRow<Row extends object>({ row, parts }: { row: Row; parts: NarrowListProps<Row> }) {
  const { columns, rowName } = parts;
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const facts = columns
    .filter((column) => column.narrow === "fact")
    .map((column) => ({ id: column.id, fact: (column.brief ?? column.cell)(row) }))
    .filter(({ fact }) => fact !== null);
  const status = columns.find((column) => column.narrow === "status");
  return (
    <li className="border-line not-first:border-t">
      <div className="relative flex items-center gap-3 px-4 py-2.5 hover:bg-hover">
        <div className="min-w-0 grow">
          <div className="flex items-center justify-between gap-3">
            <button
              type="button"
              aria-expanded={isOpen}
              aria-controls={isOpen ? id : undefined}
              onClick={() => setOpen(!isOpen)}
              className="min-w-0 truncate text-left font-medium after:absolute after:inset-0"
            >
              {rowName(row)}
            </button>
            {status?.cell(row)}
          </div>
          <p className="truncate text-muted text-sm tabular-nums">
            {facts.map(({ id, fact }, place) => (
              <Fragment key={id}>
                {place > 0 && <span aria-hidden="true"> · </span>}
                {fact}
              </Fragment>
            ))}
          </p>
        </div>
        <ChevronDown
          aria-hidden="true"
          className={clsx("size-4 shrink-0 text-faint transition-transform duration-150", isOpen && "rotate-180")}
        />
      </div>
      {isOpen && <OpenedRow id={id} row={row} parts={parts} />}
    </li>
  );
}

const inOpenedRow = (column: { narrow?: Column<never>["narrow"] }) =>
  column.narrow === undefined || column.narrow === "detail" || column.narrow === "fact";

function OpenedRow<Row extends object>({ id, row, parts }: { id: string; row: Row; parts: NarrowListProps<Row> }) {
  const { i18n } = useLingui();
  const { columns, actions, open, canOpen, openLabel } = parts;
  return (
    <div id={id} className="bg-sunken px-4 py-3">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-1.5">
        {columns.filter(inOpenedRow).map((column) => (
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
