import { Trans, useLingui } from "@lingui/react/macro";
import { computeCostUnits } from "@tollgate/contract/catalogue/known-cost.ts";
import { formatMarginText } from "../../components/margin-text.ts";
import { buildQuotaStyle, useSession } from "../../session.ts";
import { readSiteAddress } from "../../site-path.ts";
import { formatInteger, formatPercent, formatQuota, formatShort } from "../../ui/format.ts";
import type { MonthSums } from "./report-table.tsx";

/** The sums of the month, before its rows. */
export function ReportFigures({ total }: { total: MonthSums }) {
  const { t } = useLingui();
  const style = buildQuotaStyle(useSession().status);
  const failedShare = formatPercent(
    total.requests === 0 ? 0 : (total.failures / total.requests) * 100,
    1,
  );
  const failedCalls = formatInteger(total.failures);
  const cached = formatShort(total.cached_prompt_tokens);
  const exact = formatInteger(total.quota);
  const figures: { name: string; value: string; detail: string }[] = [
    {
      name: t`Spent`,
      value: formatQuota(total.quota, style),
      detail: style.inCurrency ? t`${exact} quota units` : "",
    },
    {
      name: t`Requests`,
      value: formatInteger(total.requests),
      detail: t`${failedCalls} failed (${failedShare})`,
    },
    {
      name: t`Prompt Tokens`,
      value: formatShort(total.prompt_tokens),
      detail: t`${cached} of them cached`,
    },
    { name: t`Completion Tokens`, value: formatShort(total.completion_tokens), detail: "" },
    ...(total.cost
      ? [
          {
            name: t`Cost`,
            value: formatQuota(computeCostUnits(total.cost), style),
            detail: `${t`Margin`} ${formatMarginText(total.cost, style)}`,
          },
        ]
      : []),
  ];
  return (
    <dl className="grid grid-cols-[repeat(auto-fit,minmax(8rem,1fr))] gap-x-6 gap-y-3 rounded-lg border border-line bg-card p-4 print:border-0 print:p-0">
      {figures.map(({ name, value, detail }) => (
        <div key={name} className="min-w-0 print:break-inside-avoid">
          <dt className="font-medium text-muted text-xs">{name}</dt>
          <dd className="font-semibold text-xl tabular-nums [overflow-wrap:anywhere]">{value}</dd>
          <dd className="text-muted text-xs tabular-nums">{detail}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Below the rows on paper: what a reader without the console has to know. */
export function ReportFoot({ month }: { month: string }) {
  const source = readSiteAddress();
  return (
    <p className="mt-4 hidden text-muted text-xs print:block">
      <Trans>
        Amounts are what accounts were charged for calls in {month}. Days are UTC. Source: {source}
      </Trans>
    </p>
  );
}
