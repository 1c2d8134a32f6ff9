import { Trans, useLingui } from "@lingui/react/macro";
import type { DataOf } from "@tollgate/contract/api/endpoint.ts";
import { computeCostUnits } from "@tollgate/contract/catalogue/known-cost.ts";
import type { getMonthReport, ReportKind, ReportRow } from "@tollgate/contract/figures/reports.ts";
import type { ReactNode } from "react";
import { formatMarginText } from "../../components/margin-text.ts";
import { buildQuotaStyle, useSession } from "../../session.ts";
import { formatInteger, formatPercent, formatQuota, missing } from "../../ui/format.ts";

export type MonthSums = DataOf<typeof getMonthReport>["total"];
type ReportColumn = {
  id: string;
  name: string;
  isWide?: boolean;
  /** Paper has no room for it, or has it in the sums. */
  isOfScreen?: boolean;
  text: (sums: MonthSums) => ReactNode;
};
type ReportTableProps = {
  by: ReportKind;
  isOfTeam: boolean;
  label: string;
  rows: readonly ReportRow[];
  total: MonthSums;
};

const cell = "border-line border-b px-4 py-2 max-xl:px-2";
const wide = "max-md:hidden print:table-cell";
const ofScreen = "max-md:hidden print:hidden";
const chooseWidth = ({ isWide, isOfScreen }: ReportColumn) =>
  isOfScreen ? ofScreen : isWide ? wide : "";

/** Keys of services are user 0 in a team, and so is all that teams paid in the report of the site. */
function nameless(by: ReportKind, { id }: ReportRow, isOfTeam: boolean) {
  if (by === "tag") return <Trans>Without this tag</Trans>;
  if (id > 0) return `#${id}`;
  if (by === "user") return isOfTeam ? <Trans>Service keys</Trans> : <Trans>Teams</Trans>;
  return by === "key" ? <Trans>Deleted or moved</Trans> : <Trans>Deleted</Trans>;
}

/** Units are what was charged; dollars stand beside them where the site shows currency. */
export function ReportTable({ by, isOfTeam, label, rows, total }: ReportTableProps) {
  const { t } = useLingui();
  const style = buildQuotaStyle(useSession().status);
  const costs: ReportColumn[] = [
    {
      id: "costed",
      name: t`Requests of known cost`,
      isWide: true,
      text: ({ cost }) => formatInteger(cost?.requests ?? 0),
    },
    {
      id: "cost",
      name: t`Cost`,
      isWide: true,
      text: ({ cost }) => (cost ? formatQuota(computeCostUnits(cost), style) : missing),
    },
    {
      id: "margin",
      name: t`Margin`,
      text: ({ cost }) => (cost ? formatMarginText(cost, style) : missing),
    },
  ];
  const columns: ReportColumn[] = [
    { id: "requests", name: t`Requests`, text: ({ requests }) => formatInteger(requests) },
    {
      id: "failures",
      name: t`Failed`,
      isWide: true,
      text: ({ failures }) => formatInteger(failures),
    },
    {
      id: "prompt",
      name: t`Prompt Tokens`,
      isWide: true,
      text: (sums) => formatInteger(sums.prompt_tokens),
    },
    {
      id: "cached",
      name: t`of them cached`,
      isOfScreen: true,
      text: (sums) => formatInteger(sums.cached_prompt_tokens),
    },
    {
      id: "output",
      name: t`Completion Tokens`,
      isWide: true,
      text: (sums) => formatInteger(sums.completion_tokens),
    },
    {
      id: "units",
      name: t`Quota units`,
      isOfScreen: true,
      text: ({ quota }) => formatInteger(quota),
    },
    {
      id: "quota",
      name: style.inCurrency ? t`US dollars` : t`Quota`,
      text: ({ quota }) => formatQuota(quota, style),
    },
    {
      id: "share",
      name: t`Share`,
      text: (sums) =>
        sums === total ? "" : <ShareBar share={total.quota === 0 ? 0 : sums.quota / total.quota} />,
    },
    ...(total.cost ? costs : []),
  ];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section aria-label={label} tabIndex={0} className="overflow-x-auto print:overflow-visible">
      <table aria-label={label} className="w-full border-separate border-spacing-0 text-sm">
        <thead>
          <tr className="text-muted">
            <th scope="col" className={`${cell} border-t text-start font-medium`}>
              <Trans>Name</Trans>
            </th>
            {by === "key" && (
              <th scope="col" className={`${cell} border-t text-start font-medium`}>
                <Trans>Owner</Trans>
              </th>
            )}
            {columns.map((column) => (
              <th
                key={column.id}
                scope="col"
                className={`${cell} numeric border-t font-medium ${chooseWidth(column)}`}
              >
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: deleted things have no id, and rows keep their order
            <tr key={place} className="hover:bg-hover print:break-inside-avoid">
              <th
                scope="row"
                dir="auto"
                className={`${cell} min-w-28 text-left font-normal [overflow-wrap:anywhere]`}
              >
                {row.name || nameless(by, row, isOfTeam)}
              </th>
              {by === "key" && (
                <td dir="auto" className={`${cell} text-left text-muted`}>
                  {row.owner}
                </td>
              )}
              {columns.map((column) => (
                <td key={column.id} className={`${cell} numeric ${chooseWidth(column)}`}>
                  {column.text(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr className="font-semibold">
            <th
              scope="row"
              colSpan={by === "key" ? 2 : 1}
              className="px-4 py-2 text-start font-semibold max-xl:px-2"
            >
              <Trans>Total</Trans>
            </th>
            {columns.map((column) => (
              <td
                key={column.id}
                className={`numeric px-4 py-2 max-xl:px-2 ${chooseWidth(column)}`}
              >
                {column.text(total)}
              </td>
            ))}
          </tr>
        </tfoot>
      </table>
    </section>
  );
}

/** The part of all spending, as a number and as a bar. */
const ShareBar = ({ share }: { share: number }) => (
  <span className="flex items-center justify-end gap-2 whitespace-nowrap">
    {formatPercent(share * 100, 1)}
    <span
      aria-hidden="true"
      className="h-1.5 w-12 overflow-hidden rounded-full bg-line text-start max-sm:hidden"
    >
      <span
        className="report-bar block h-full rounded-full bg-accent"
        style={{ width: `${share * 100}%` }}
      />
    </span>
  </span>
);
