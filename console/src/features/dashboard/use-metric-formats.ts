import { quotaStyle, useSession } from "../../session.ts";
import { formatCompact, formatInteger, formatQuota } from "../../ui/format.ts";

const axisFormat = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 });

/** Number formats of the dashboard: two decimals for money, six for exact values. */
export function useMetricFormats() {
  const style = quotaStyle(useSession().status);
  return {
    perUnit: style.perUnit,
    quota: (units: number) => formatQuota(units, style, 2),
    quotaExact: (units: number) => (style.inCurrency ? formatQuota(units, style, 6) : formatInteger(units)),
    quotaAxis: (units: number) =>
      style.inCurrency ? `$${axisFormat.format(units / style.perUnit)}` : axisFormat.format(units),
    count: formatInteger,
    countShort: formatCompact,
    countAxis: (value: number) => axisFormat.format(value),
  };
}
