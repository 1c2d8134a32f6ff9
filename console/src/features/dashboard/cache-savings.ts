/**
 * The tokens that the prompt caches of providers served, and the money that they saved at the
 * prices of today. Pure.
 */

import type { DisplayedProvider } from "@tollgate/contract/catalogue/models.ts";
import type { ModelUsage } from "@tollgate/contract/figures/dashboard.ts";

export type ModelCache = {
  model: string;
  promptTokens: number;
  cachedTokens: number;
  /** Cached tokens × (input price − cache price), in dollars; undefined without a known price. */
  savedDollars: number | undefined;
};

type CacheRow = Pick<ModelUsage, "ModelName" | "PromptTokens" | "CachedPromptTokens">;

const perMillion = 1_000_000;

/** Models of which the cache served something, most tokens first. */
export function listCacheByModel(
  rows: readonly CacheRow[],
  savings: ReadonlyMap<string, number>,
): ModelCache[] {
  const sums = new Map<string, { promptTokens: number; cachedTokens: number }>();
  for (const row of rows) {
    const sum = sums.get(row.ModelName) ?? { promptTokens: 0, cachedTokens: 0 };
    sum.promptTokens += row.PromptTokens || 0;
    sum.cachedTokens += row.CachedPromptTokens || 0;
    sums.set(row.ModelName, sum);
  }
  return [...sums]
    .filter(([, { cachedTokens }]) => cachedTokens > 0)
    .map(([model, sum]) => {
      const saving = savings.get(model);
      return {
        model,
        ...sum,
        savedDollars: saving === undefined ? undefined : (sum.cachedTokens / perMillion) * saving,
      };
    })
    .sort((a, b) => b.cachedTokens - a.cachedTokens || a.model.localeCompare(b.model));
}

/**
 * Dollars that a million tokens cost less from the cache, by model. Of several channels the one
 * with the least difference counts, so that the figure is never too large.
 */
export function collectSavings(
  providers: Readonly<Record<string, DisplayedProvider>>,
): Map<string, number> {
  const savings = new Map<string, number>();
  for (const { models } of Object.values(providers)) {
    for (const [model, { input_price, cached_input_price }] of Object.entries(models)) {
      const saving = Math.max(0, input_price - cached_input_price);
      savings.set(model, Math.min(saving, savings.get(model) ?? saving));
    }
  }
  return savings;
}
