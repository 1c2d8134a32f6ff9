import type { ModelEfficiency } from "./usage-metrics.ts";

export type UsageTip =
  | { kind: "high-cost"; model: string; cost: number }
  | { kind: "most-efficient"; model: string; efficiency: number }
  | { kind: "projection"; monthly: number }
  | { kind: "concentration"; percent: number };

const costMax = 0.01;
const monthDays = 30;
const monthlyFrom = 100;
const topModels = 3;
const concentratedFrom = 80;

/** `models` are sorted by requests; costs are in currency. */
export function findTips(
  models: readonly ModelEfficiency[],
  spent: number,
  days: number,
): UsageTip[] {
  const tips: UsageTip[] = [];
  const mostExpensive = findLargest(models, (model) => model.cost);
  if (mostExpensive !== undefined && mostExpensive.cost > costMax)
    tips.push({ kind: "high-cost", model: mostExpensive.model, cost: mostExpensive.cost });
  const best = findLargest(models, (model) => model.efficiency);
  if (best !== undefined && best.efficiency > 0) {
    tips.push({ kind: "most-efficient", model: best.model, efficiency: best.efficiency });
  }
  const monthly = days === 0 ? 0 : (spent / days) * monthDays;
  if (monthly > monthlyFrom) tips.push({ kind: "projection", monthly });
  const requests = models.reduce((sum, model) => sum + model.requests, 0);
  const top = models.slice(0, topModels).reduce((sum, model) => sum + model.requests, 0);
  const percent = requests === 0 ? 0 : (top / requests) * 100;
  if (models.length > topModels && percent > concentratedFrom)
    tips.push({ kind: "concentration", percent });
  return tips;
}

function findLargest(
  models: readonly ModelEfficiency[],
  measure: (model: ModelEfficiency) => number,
): ModelEfficiency | undefined {
  return models.reduce<ModelEfficiency | undefined>(
    (best, model) => (best === undefined || measure(model) > measure(best) ? model : best),
    undefined,
  );
}
