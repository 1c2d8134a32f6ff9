/** Virtual models as the router reads them. */
import type { VirtualModelRules } from "@tollgate/contract/catalogue/virtual-models.ts";
import { parseStoredRules } from "../../catalogue/models/virtual-model-rules.ts";
import type { VirtualModelRow } from "../../catalogue/models/virtual-model-store.ts";

/** A name that stands for tiers of models. */
export interface RoutedName extends VirtualModelRules {
  name: string;
  /** Distinguishes the draws of two virtual models, also after one is renamed. */
  seed: string;
}

/** Throws for a row that holds no rules: none is written by this program. */
export const buildRoutedName = (
  row: Pick<VirtualModelRow, "uuid" | "name" | "rules">,
): RoutedName => ({
  ...parseStoredRules(row),
  name: row.name,
  seed: row.uuid,
});

/** A model of its own name, for the lists of models that requests send. */
export const buildRoutedAlone = (name: string): RoutedName => ({
  name,
  seed: name,
  tiers: [{ strategy: "weights", targets: [{ model: name, weight: 1 }] }],
  sticky: "none",
  access: "name",
  retries_refused_content: false,
});

/** The tiers of `others` after those of the first, each model where it stands first. */
export function addFallbacks(first: RoutedName, others: readonly RoutedName[]): RoutedName {
  const seen = new Set<string>();
  const tiers = [first, ...others].flatMap((routed) =>
    routed.tiers.flatMap(({ strategy, targets }) => {
      const left = targets.filter(({ model }) => !seen.has(model));
      for (const { model } of left) seen.add(model);
      return left.length > 0 ? [{ strategy, targets: left }] : [];
    }),
  );
  return { ...first, tiers };
}
