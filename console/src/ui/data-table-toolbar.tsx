import { useLingui } from "@lingui/react/macro";
import { ArrowDown, ArrowUp, RotateCw, Rows2, Rows3 } from "lucide-react";
import type { ReactNode } from "react";
import type { TableColumn } from "./data-table-columns.ts";
import { useDensity } from "./data-table-density.ts";
import type { TableView } from "./data-table-view.ts";
import { IconButton } from "./icon-button.tsx";
import { Select } from "./input.tsx";
import { Spinner } from "./spinner.tsx";

type TableToolbarProps<Row> = {
  children: ReactNode;
  isMobile: boolean;
  isFetching: boolean;
  onRefresh: () => void;
  columns: readonly TableColumn<Row>[];
  view: TableView;
  onViewChange: (view: TableView) => void;
  /** Chooses columns and views. */
  choiceMenu: ReactNode;
};

/** The list's own tools at the left; refresh, density, columns and, on mobile, sorting at the right. */
export function TableToolbar<Row>({
  children,
  isMobile,
  isFetching,
  onRefresh,
  choiceMenu,
  ...sorting
}: TableToolbarProps<Row>) {
  const { t } = useLingui();
  const [density, setDensity] = useDensity();
  const isCompact = density === "compact";
  return (
    <div className="flex flex-wrap items-center justify-between gap-2 p-3 print:hidden">
      <div className="flex min-w-0 grow flex-wrap items-center gap-2">{children}</div>
      <div className="flex items-center gap-1">
        {isMobile && sorting.columns.some(({ sortable }) => sortable) && <SortSelect {...sorting} />}
        <IconButton
          size="sm"
          label={t`Refresh`}
          icon={isFetching ? <Spinner /> : <RotateCw />}
          aria-disabled={isFetching || undefined}
          onClick={() => isFetching || onRefresh()}
        />
        {!isMobile && (
          <IconButton
            size="sm"
            label={isCompact ? t`Comfortable rows` : t`Compact rows`}
            icon={isCompact ? <Rows2 /> : <Rows3 />}
            onClick={() => setDensity(isCompact ? "comfortable" : "compact")}
          />
        )}
        {choiceMenu}
      </div>
    </div>
  );
}

type SortSelectProps<Row> = Pick<TableToolbarProps<Row>, "columns" | "view" | "onViewChange">;

function SortSelect<Row>({ columns, view, onViewChange }: SortSelectProps<Row>) {
  const { t, i18n } = useLingui();
  const isAscending = view.order === "asc";
  return (
    <>
      <Select
        controlSize="sm"
        aria-label={t`Sort by`}
        className="max-w-40"
        value={view.sort}
        onChange={(event) => onViewChange({ ...view, sort: event.target.value, order: "desc", p: 0 })}
      >
        {columns
          .filter((column) => column.sortable)
          .map((column) => (
            <option key={column.id} value={column.id}>
              {i18n._(column.label)}
            </option>
          ))}
      </Select>
      <IconButton
        size="sm"
        label={isAscending ? t`Ascending` : t`Descending`}
        icon={isAscending ? <ArrowUp /> : <ArrowDown />}
        onClick={() => onViewChange({ ...view, order: isAscending ? "desc" : "asc", p: 0 })}
      />
    </>
  );
}
