import { type KnownCost, marginShare, marginUnits } from "@tollgate/contract/known-cost.ts";
import { formatDecimal, formatQuota, type QuotaStyle } from "../ui/format.ts";

/** `$1.20 (40 %)`; without the share where nothing was charged. */
export function marginText(cost: KnownCost, style: QuotaStyle): string {
  const amount = formatQuota(marginUnits(cost), style);
  const share = marginShare(cost);
  return share === undefined ? amount : `${amount} (${formatDecimal(share * 100, 1)} %)`;
}
