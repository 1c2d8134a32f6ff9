import { useLingui } from "@lingui/react/macro";
import clsx from "clsx";
import { useEffect, useMemo, useState } from "react";
import type { TableLayoutProps } from "./data-table-layout.ts";

// Sticky only when the box scrolls: hundreds of sticky cells cost a long frame on each change of
// rows.
const pinned =
  "group-data-overflow/box:sticky group-data-overflow/box:z-1 group-data-overflow/box:bg-card group-data-overflow/box:group-hover/row:bg-hover";
const pinnedLeft = `${pinned} left-0 group-data-overflow/box:shadow-[1px_0_0_var(--line)]`;
const pinnedRight = `${pinned} right-0 group-data-overflow/box:shadow-[-1px_0_0_var(--line)]`;
/** `firstRowsMax` is as many as a high screen shows. */
const firstRowsMax = 30;

type BodyRowsProps<Row extends object> = TableLayoutProps<Row> & {
  rows: readonly Row[];
  cell: string;
};

/**
 * The rows of a list. The first ones do not wait for those below the screen, which follow in the
 * next frame.
 */
export function BodyRows<Row extends object>(table: BodyRowsProps<Row>) {
  const { rows, rowId } = table;
  const { i18n } = useLingui();
  const drawn = useDrawnRows(rows.length);
  return rows
    .slice(0, drawn)
    .map((row, place) => (
      <BodyRow key={rowId(row) || place} row={row} parts={table} language={i18n.locale} />
    ));
}

/**
 * `useDrawnRows` says how many of the rows to draw now. Not by `useDeferredValue`: it draws a row
 * at a time between other work, which took twice as long in all.
 */
function useDrawnRows(count: number): number {
  const [drawn, setDrawn] = useState(firstRowsMax);
  useEffect(() => {
    if (drawn >= count) return;
    let timer = 0;
    // A frame begins before it is painted: only what comes after it does not hold the first rows
    // back.
    const frame = requestAnimationFrame(() => {
      timer = window.setTimeout(() => setDrawn(count));
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, [drawn, count]);
  return drawn;
}

type BodyRowProps<Row extends object> = { row: Row; parts: BodyRowsProps<Row>; language: string };

function BodyRow<Row extends object>({ row, parts, language }: BodyRowProps<Row>) {
  const { rowId, rowName, columns, actions, selection, open, canOpen, cell } = parts;
  const name = rowName(row);
  const opens = open !== undefined && canOpen(row);
  // Of a page of a hundred, a change of the address or of one row draws what changed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: cells write their numbers in the language
  const cells = useMemo(() => {
    const opener = columns.find((column) => column.pinned) ?? columns[0];
    return (
      <>
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
                  aria-label={name}
                  data-opens-row=""
                  className="rounded-sm text-left align-middle"
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
          <td
            className={clsx(
              cell,
              "border-line border-b pl-1 text-right group-last/row:border-b-0",
              pinnedRight,
            )}
          >
            {actions(row)}
          </td>
        )}
      </>
    );
  }, [row, columns, actions, cell, opens, name, language]);
  return (
    <tr
      // The keyboard presses the button in the first cell, whose click arrives here too.
      onClick={opens ? ({ target }) => opensRow(target) && open(row) : undefined}
      className={clsx("group/row hover:bg-hover", opens && "cursor-pointer")}
    >
      {selection !== undefined && (
        <td
          className={clsx(cell, "w-0 border-line border-b pr-0! pl-2! group-last/row:border-b-0")}
        >
          {selection.row(rowId(row), name)}
        </td>
      )}
      {cells}
    </tr>
  );
}

/** Clicks on other controls, and clicks that select text, do not open the row. */
function opensRow(target: EventTarget): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest("[data-opens-row]") !== null) return true;
  return (
    (getSelection()?.toString() ?? "") === "" &&
    target.closest("a, button, input, select, label") === null
  );
}
