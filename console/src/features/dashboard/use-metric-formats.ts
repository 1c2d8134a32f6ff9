import { buildQuotaStyle, useSession } from "../../session.ts";
import { formatCompact, formatInteger, formatQuota, formatShort } from "../../ui/format.ts";

/** Number formats of the dashboard: six decimals for exact values of money. */
export function useMetricFormats() {
  const style = buildQuotaStyle(useSession().status);
  return {
    style,
    perUnit: style.perUnit,
    quota: (units: number) => formatQuota(units, style),
    /** `quotaOwn` is for the cards that no specification names. */
    quotaOwn: (units: number) => formatQuota(units, { ...style, digits: "own" }),
    quotaExact: (units: number) =>
      style.inCurrency ? formatQuota(units, { ...style, digits: 6 }) : formatInteger(units),
    quotaAxis: (units: number) =>
      style.inCurrency ? `$${formatShort(units / style.perUnit)}` : formatShort(units),
    count: formatInteger,
    countShort: formatCompact,
    countAxis: formatShort,
  };
}
