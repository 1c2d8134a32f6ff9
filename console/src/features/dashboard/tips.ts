import type { Efficiency } from "./figures.ts";

export type Tip =
  | { kind: "high-cost"; model: string; cost: number }
  | { kind: "most-efficient"; model: string; efficiency: number }
  | { kind: "projection"; monthly: number }
  | { kind: "concentration"; percent: number };

const costMax = 0.01;
const monthDays = 30;
const monthlyFrom = 100;
const topModels = 3;
const concentratedFrom = 80;

/** `models` busiest first; costs in currency. */
export function tipsOf(models: readonly Efficiency[], spent: number, days: number): Tip[] {
  const tips: Tip[] = [];
  const dearest = largest(models, (model) => model.cost);
  if (dearest !== undefined && dearest.cost > costMax)
    tips.push({ kind: "high-cost", model: dearest.model, cost: dearest.cost });
  const best = largest(models, (model) => model.efficiency);
  if (best !== undefined && best.efficiency > 0) {
    tips.push({ kind: "most-efficient", model: best.model, efficiency: best.efficiency });
  }
  const monthly = days === 0 ? 0 : (spent / days) * monthDays;
  if (monthly > monthlyFrom) tips.push({ kind: "projection", monthly });
  const requests = models.reduce((sum, model) => sum + model.requests, 0);
  const top = models.slice(0, topModels).reduce((sum, model) => sum + model.requests, 0);
  const percent = requests === 0 ? 0 : (top / requests) * 100;
  if (models.length > topModels && percent > concentratedFrom) tips.push({ kind: "concentration", percent });
  return tips;
}

function largest(models: readonly Efficiency[], figure: (model: Efficiency) => number): Efficiency | undefined {
  return models.reduce<Efficiency | undefined>(
    (best, model) => (best === undefined || figure(model) > figure(best) ? model : best),
    undefined,
  );
}
