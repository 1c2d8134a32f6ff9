import {
  computeMarginUnits,
  findMarginShare,
  type KnownCost,
} from "@tollgate/contract/catalogue/known-cost.ts";
import { formatPercent, formatQuota, type QuotaStyle } from "../ui/format.ts";

/** `$1.20 (40 %)`; without the share where nothing was charged. */
export function formatMarginText(cost: KnownCost, style: QuotaStyle): string {
  const amount = formatQuota(computeMarginUnits(cost), style);
  const share = findMarginShare(cost);
  return share === undefined ? amount : `${amount} (${formatPercent(share * 100, 1)})`;
}
