import { Trans, useLingui } from "@lingui/react/macro";
import clsx from "clsx";
import { chooseMark, markBackground, restMark } from "../../../ui/chart/chart-palette.ts";
import { formatChange, formatPercent, missing } from "../../../ui/format.ts";
import { SmallTable } from "../../../ui/table/small-table.tsx";
import type { LegendRow } from "./spending-view.ts";

type SpendingLegendProps = {
  rows: readonly LegendRow[];
  total: LegendRow;
  /** The heading of the names. */
  head: string;
  areModels: boolean;
  /** False where nothing is compared with the time before. */
  hasChange?: boolean;
  format: (value: number) => string;
  formatExact: (value: number) => string;
  /** The series that stands alone; undefined while all are shown. */
  isolated: string | undefined;
  onIsolate: (name: string | undefined) => void;
};

/** The legend of the chart as a table; a press of a name shows it alone, and all again. */
export function SpendingLegend(props: SpendingLegendProps) {
  const {
    rows,
    total,
    head,
    areModels,
    hasChange = true,
    isolated,
    onIsolate,
    format,
    formatExact,
  } = props;
  const formats = { format, formatExact, hasChange };
  const { t } = useLingui();
  return (
    <SmallTable
      label={t`Series`}
      words={[head]}
      figures={[
        t({ message: "Amount", context: "of anything" }),
        t`Share`,
        ...(hasChange ? [t({ message: "Change", context: "difference" })] : []),
      ]}
      height="max-h-32 lg:max-h-60"
    >
      <tbody>
        {rows.map((row) => (
          <tr key={row.name} className="border-line border-t">
            <th scope="row" className="max-w-40 px-1 py-0 text-start font-normal">
              <button
                type="button"
                aria-pressed={isolated === row.name}
                onClick={() => onIsolate(isolated === row.name ? undefined : row.name)}
                className={clsx(
                  "flex min-h-7 w-full min-w-0 items-center gap-1.5 rounded-md px-2 text-start text-xs hover:bg-hover aria-pressed:bg-accent-soft",
                  isolated !== undefined && isolated !== row.name && "text-muted",
                  areModels && "font-mono",
                )}
              >
                <span
                  aria-hidden="true"
                  className="size-3 shrink-0 rounded-full forced-color-adjust-none"
                  style={{
                    background: markBackground(
                      row.mark ?? (row.isOther ? restMark : chooseMark(row.name)),
                    ),
                  }}
                />
                <span dir="auto" className="truncate">
                  {row.name}
                </span>
              </button>
            </th>
            <Figures row={row} {...formats} />
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr className="border-line border-t font-medium">
          <th scope="row" className="px-3 py-1.5 text-start font-medium text-xs">
            <Trans>All</Trans>
          </th>
          <Figures row={total} {...formats} />
        </tr>
      </tfoot>
    </SmallTable>
  );
}

type FiguresProps = Pick<SpendingLegendProps, "format" | "formatExact"> & {
  row: LegendRow;
  hasChange: boolean;
};

function Figures({ row: { amount, share, change }, format, formatExact, hasChange }: FiguresProps) {
  const { t } = useLingui();
  return (
    <>
      <td className="numeric px-3 text-xs max-sm:px-2" title={formatExact(amount)}>
        {format(amount)}
      </td>
      <td className="numeric px-3 text-muted text-xs max-sm:px-2">
        {formatPercent(share * 100, 0)}
      </td>
      {hasChange && (
        <td className="numeric px-3 text-muted text-xs max-sm:px-2">
          {change === undefined ? (
            missing
          ) : (
            <>
              <span className="sr-only">{change > 0 ? t`up` : change < 0 ? t`down` : ""}</span>
              <span aria-hidden="true">{change > 0 ? "↑" : change < 0 ? "↓" : ""}</span>
              {formatChange(change)}
            </>
          )}
        </td>
      )}
    </>
  );
}
