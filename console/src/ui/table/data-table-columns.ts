import type { MessageDescriptor } from "@lingui/core";
import type { ReactNode } from "react";

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
  /** Off until the user chooses it. The expanded row on mobile has it nevertheless. */
  optional?: boolean;
  /**
   * The approximate content width in pixels, for skeletons, so that columns do not move when data
   * arrives.
   */
  width?: number;
  /**
   * Below 768 px: the part of the two lines that shows the column; "detail" (the default) is only
   * in the expanded row.
   */
  mobile?: "title" | "status" | "fact" | "detail" | "none";
  /**
   * The short form for the second line on mobile, without focusable elements. Null leaves the
   * column out for this row.
   */
  compactCell?: (row: Row) => ReactNode;
};
