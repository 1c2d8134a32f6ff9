import type { ReactNode } from "react";
import type { TableColumn } from "./data-table-columns.ts";
import type { RowSelection } from "./data-table-selection.tsx";
import type { TableView } from "./data-table-view.ts";

/**
 * `TableLayoutProps` are what the table of wide screens and the cards of narrow ones both draw
 * from.
 */
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
