import { quotaStyle, useSession } from "../../session.ts";
import { decimalPoint, formatCompact, formatInteger, formatQuota } from "../../ui/format.ts";

const axisFormat = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 });
/** With K, M and B in every language: the compact words of others ("Mio.") are too wide for an axis. */
const axisText = (value: number): string => axisFormat.format(value).replace(".", decimalPoint());

/** Number formats of the dashboard: six decimals for exact values of money. */
export function useMetricFormats() {
  const style = quotaStyle(useSession().status);
  return {
    style,
    perUnit: style.perUnit,
    quota: (units: number) => formatQuota(units, style),
    quotaExact: (units: number) =>
      style.inCurrency ? formatQuota(units, { ...style, digits: 6 }) : formatInteger(units),
    quotaAxis: (units: number) => (style.inCurrency ? `$${axisText(units / style.perUnit)}` : axisText(units)),
    count: formatInteger,
    countShort: formatCompact,
    countAxis: axisText,
  };
}
