import type { MessageDescriptor } from "@lingui/core";
import type { ReactNode } from "react";

/** The table width from which a column is shown; "never" shows it only in expanded rows on mobile. */
export type TableWidth = "never" | "3xl" | "4xl" | "5xl" | "6xl" | "7xl" | "8xl";

export type TableColumn<Row> = {
  /** The name of the column in the server's sort parameter. */
  id: string;
  label: MessageDescriptor;
  cell: (row: Row) => ReactNode;
  sortable?: boolean;
  /** Right-aligned, with tabular figures. */
  numeric?: boolean;
  /** Stays at the left while the table scrolls. */
  pinned?: boolean;
  /** Hidden while the table is narrower than this. */
  from?: TableWidth;
  /** The approximate content width in pixels, for skeletons, so that columns do not move when data arrives. */
  width?: number;
  /**
   * Below 768 px: the part of the two lines that shows the column; "detail" (the default) is only in the expanded row.
   */
  mobile?: "title" | "status" | "fact" | "detail" | "none";
  /**
   * The short form for the second line on mobile, without focusable elements. Null leaves the column out for this row.
   */
  compactCell?: (row: Row) => ReactNode;
};

/** Literal class names, so that Tailwind finds them. */
export const shownFromClass: Record<TableWidth, string> = {
  never: "hidden",
  "3xl": "hidden @3xl:table-cell",
  "4xl": "hidden @4xl:table-cell",
  "5xl": "hidden @5xl:table-cell",
  "6xl": "hidden @6xl:table-cell",
  "7xl": "hidden @7xl:table-cell",
  "8xl": "hidden @[84.5rem]:table-cell",
};
