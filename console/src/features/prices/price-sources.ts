import { msg } from "@lingui/core/macro";
import type { priceSources } from "@tollgate/contract/catalogue/model-prices.ts";
import type { StatusLabel } from "../../components/lists/status-badge.tsx";

/** `priceSourceLabels` are where the price of a model comes from. */
export const priceSourceLabels: Readonly<Record<string, StatusLabel>> = {
  operator: { label: msg`Yours`, tone: "good" },
  built_in: { label: msg`Built-in`, tone: "neutral" },
  default: { label: msg`Default`, tone: "warn" },
} satisfies Record<(typeof priceSources)[number], StatusLabel>;
