import type { MessageDescriptor } from "@lingui/core";
import type { ReactNode } from "react";

/** The table's own width from which a column is worth its place; "never" is for opened rows on a phone only. */
export type TableWidth = "never" | "3xl" | "4xl" | "5xl" | "6xl" | "7xl" | "8xl";

export type TableColumn<Row> = {
  /** Also the name that the server sorts by. */
  id: string;
  label: MessageDescriptor;
  cell: (row: Row) => ReactNode;
  sortable?: boolean;
  /** Right-aligned, tabular figures. */
  numeric?: boolean;
  /** Stays at the left while the rest scrolls. */
  pinned?: boolean;
  /** Left out while the table is narrower than this. */
  from?: TableWidth;
  /** About how wide the content is, in pixels: skeletons take it, so that columns stay where they are. */
  width?: number;
  /** Below 768 px: a part of the two lines, only in the opened row (the default), or nowhere. */
  narrow?: "title" | "status" | "fact" | "detail" | "none";
  /** The short form for the second line; nothing in it may take focus. Null says nothing of this row. */
  compactCell?: (row: Row) => ReactNode;
};

/** Literal class names, so that the style sheet has them. */
export const shownFromClass: Record<TableWidth, string> = {
  never: "hidden",
  "3xl": "hidden @3xl:table-cell",
  "4xl": "hidden @4xl:table-cell",
  "5xl": "hidden @5xl:table-cell",
  "6xl": "hidden @6xl:table-cell",
  "7xl": "hidden @7xl:table-cell",
  "8xl": "hidden @[84.5rem]:table-cell",
};
