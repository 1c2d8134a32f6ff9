import type { ReactNode } from "react";
import { LazyEmptyPicture } from "../../ui/lazy-empty-picture.tsx";
import { ChangeOnly } from "../../ui/may-change.tsx";
import { CardLoading } from "../forms/form-loading.tsx";

type ItemListProps<Row> = {
  source: { data: unknown; error: Error | null; isFetching: boolean; refetch: () => unknown };
  rows: readonly Row[];
  /** The sentence in place of rows when there are none. */
  empty?: ReactNode;
  children: (row: Row) => ReactNode;
};

/** The rows of a card: loading, failed, empty and filled. */
export function ItemList<Row>({ source, rows, empty, children }: ItemListProps<Row>) {
  if (source.data === undefined || source.error !== null) return <CardLoading source={source} />;
  if (rows.length === 0)
    return empty === undefined ? null : (
      <div className="flex flex-col gap-3 py-4 text-center text-muted">
        {/* Beside other cards, the sentence is enough: the drawing took the room of three rows. */}
        <div className="[section:has(~section)_&]:hidden [section~section_&]:hidden">
          <LazyEmptyPicture scene="list" />
        </div>
        <p>{empty}</p>
      </div>
    );
  return <ul className="flex flex-col divide-y divide-line">{rows.map(children)}</ul>;
}

type ItemParts = { children: ReactNode };

/** A row of several lines in a card: `ItemText`, then `ItemActions`, then dialogs. */
export function ItemRow({ children }: ItemParts) {
  return (
    <li className="flex flex-wrap items-start justify-between gap-3 py-3 first:pt-0 last:pb-0">
      {children}
    </li>
  );
}

/** `ItemText` shows what the row is about, with `ItemTitle` first. */
export function ItemText({ children }: ItemParts) {
  return <div className="flex min-w-0 flex-1 basis-80 flex-col gap-1">{children}</div>;
}

/** A name and its badges. */
export function ItemTitle({ children }: ItemParts) {
  return <p className="flex flex-wrap items-center gap-x-2">{children}</p>;
}

export function ItemActions({ children }: ItemParts) {
  return (
    <ChangeOnly>
      <div className="flex flex-wrap gap-2">{children}</div>
    </ChangeOnly>
  );
}
