import type { ReactNode } from "react";

type ItemParts = { children: ReactNode };

/** A row of several lines in a card: `ItemText`, then `ItemActions`, then dialogs. */
export function ItemRow({ children }: ItemParts) {
  return <li className="flex flex-wrap items-start justify-between gap-3 py-3 first:pt-0 last:pb-0">{children}</li>;
}

/** What the row is about, with `ItemTitle` first. */
export function ItemText({ children }: ItemParts) {
  return <div className="flex min-w-0 flex-1 basis-80 flex-col gap-1">{children}</div>;
}

/** A name and its badges. */
export function ItemTitle({ children }: ItemParts) {
  return <p className="flex flex-wrap items-center gap-x-2">{children}</p>;
}

export function ItemActions({ children }: ItemParts) {
  return <div className="flex flex-wrap gap-2">{children}</div>;
}
