import { Trans } from "@lingui/react/macro";
import clsx from "clsx";
import { type ReactNode, useLayoutEffect, useRef } from "react";
import { Alert } from "../alert.tsx";
import { Button } from "../button.tsx";
import { LazyEmptyPicture } from "../lazy-empty-picture.tsx";
import { LoadingStatus, Skeleton } from "../skeleton.tsx";
import type { TableColumn } from "./data-table-columns.ts";

/** A failed list shows the error and a retry button, neither rows nor the empty state. */
export function FailedTable({
  error,
  busy,
  onRetry,
}: {
  error: Error;
  busy: boolean;
  onRetry: () => void;
}) {
  const requestId =
    "requestId" in error && typeof error.requestId === "string" ? error.requestId : undefined;
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => keepFocusNearby(ref.current), []);
  return (
    <div ref={ref} className="p-4">
      <Alert
        title={<Trans>This list could not be loaded</Trans>}
        requestId={requestId}
        onRetry={onRetry}
        retrying={busy}
      >
        {error.message}
      </Alert>
    </div>
  );
}

/**
 * `keepFocusNearby` moves the focus to the list when the alert unmounts with its focused Retry
 * button, instead of losing it.
 */
function keepFocusNearby(alert: HTMLElement | null) {
  const region = alert?.parentElement;
  return () => {
    if (alert?.contains(document.activeElement)) region?.focus({ preventScroll: true });
  };
}

/** The empty state: one sentence, and the button that creates the first entity. */
export function EmptyTable({ sentence, action }: { sentence: ReactNode; action: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-4 px-4 py-12 text-center text-muted">
      <LazyEmptyPicture scene="road" />
      <p>{sentence}</p>
      <div className="flex flex-wrap justify-center gap-2 empty:hidden">{action}</div>
    </div>
  );
}

type NoMatchesProps = { searched: string | undefined; onClear: (() => void) | undefined };

export function NoMatches({ searched = "", onClear }: NoMatchesProps) {
  return (
    <div className="flex flex-col items-center gap-1 px-4 py-16 text-center">
      <p className="font-medium">
        <Trans>No results.</Trans>
      </p>
      <p className="mb-3 text-muted [overflow-wrap:anywhere]">
        {searched === "" ? (
          <Trans>Nothing matches the filters.</Trans>
        ) : (
          <Trans>Nothing found for “{searched}”.</Trans>
        )}
      </p>
      {onClear !== undefined && (
        <Button onClick={onClear}>
          <Trans>Clear filters</Trans>
        </Button>
      )}
    </div>
  );
}

type SkeletonColumn = Pick<TableColumn<never>, "id" | "numeric" | "width">;
type SkeletonRowsProps = { columns: readonly SkeletonColumn[]; rows: number; cell: string };

const defaultWidthPx = 72;

/**
 * Skeleton rows of the final height and about the final widths, so that little moves when data
 * arrives.
 */
export function SkeletonRows({ columns, rows, cell }: SkeletonRowsProps) {
  return Array.from({ length: rows }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: skeleton rows are all alike
    <tr key={row} className="group/row">
      {columns.map((column, columnIndex) => (
        <td
          key={column.id}
          className={clsx(cell, "border-line border-b group-last/row:border-b-0")}
        >
          <div
            style={{ width: column.width ?? defaultWidthPx }}
            className={clsx(column.numeric && "ml-auto")}
          >
            <Skeleton
              className={clsx(
                "h-3",
                skeletonWidths[(row * 3 + columnIndex) % skeletonWidths.length],
                column.numeric && "ml-auto",
              )}
            />
          </div>
        </td>
      ))}
    </tr>
  ));
}

const skeletonWidths = ["w-3/5", "w-2/5", "w-4/5", "w-1/2", "w-2/3"];

export function SkeletonLines({ rows }: { rows: number }) {
  return (
    <>
      <LoadingStatus />
      {Array.from({ length: rows }, (_, row) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: skeleton rows are all alike
          key={row}
          className="flex h-16 flex-col justify-center gap-2 border-line px-4 not-first:border-t"
        >
          <Skeleton className="h-3.5 w-2/5" />
          <Skeleton className="h-3 w-3/5" />
        </div>
      ))}
    </>
  );
}
