import { useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { formatInteger, missing } from "../../ui/format.ts";
import { Tooltip } from "../../ui/menu/tooltip.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useMetricFormats } from "./use-metric-formats.ts";

type AccountSummary = { total_quota: number | null; used_quota: number; status: string };

/** A failed summary shows dashes; the alert above gives the reason. */
export function SummaryCards({
  summary,
  loading,
}: {
  summary: AccountSummary | undefined;
  loading: boolean;
}) {
  const { t } = useLingui();
  const { quota } = useMetricFormats();
  const money = (units: number | undefined) => {
    if (units === undefined || Number.isNaN(units)) return missing;
    const exact = formatInteger(units);
    return (
      <Tooltip text={t`${exact} quota units`}>
        <data value={units}>{quota(units)}</data>
      </Tooltip>
    );
  };
  /** The server's label as it is; those of our gateway have words in other languages. */
  const statusText = (label: string): string => {
    const [, active, all] = /^(\d+)\/(\d+) Active$/.exec(label) ?? [];
    if (active !== undefined && all !== undefined) return t`${active}/${all} Active`;
    const known: Readonly<Record<string, string>> = {
      Active: t`Active`,
      Disabled: t`Disabled`,
      "All Active": t`All Active`,
      "No Active Users": t`No Active Users`,
    };
    return known[label] ?? label;
  };
  return (
    <div className="grid grid-cols-1 gap-4 max-sm:gap-3 md:grid-cols-3">
      <SummaryFigure
        label={t`Total Quota`}
        value={money(summary?.total_quota ?? undefined)}
        loading={loading}
      />
      <SummaryFigure label={t`Used Quota`} value={money(summary?.used_quota)} loading={loading} />
      <SummaryFigure
        label={t`Status`}
        value={summary?.status ? statusText(summary.status) : missing}
        loading={loading}
      />
    </div>
  );
}

function SummaryFigure({
  label,
  value,
  loading,
}: {
  label: string;
  value: ReactNode;
  loading: boolean;
}) {
  return (
    <dl className="flex flex-wrap items-baseline justify-between gap-x-4 rounded-lg border border-line bg-card px-4 py-2.5 md:flex-col md:items-start md:gap-0.5">
      <dt className="font-medium text-muted text-xs">{label}</dt>
      <dd className="font-medium text-base tabular-nums">
        {loading ? <Skeleton className="h-6 w-28" /> : value}
      </dd>
    </dl>
  );
}
