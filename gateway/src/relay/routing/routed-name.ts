/** Virtual models as the router reads them. */
import type { VirtualModelRules } from "@tollgate/contract/virtual-models.ts";
import { storedRules } from "../../models/virtual-model-rules.ts";
import type { VirtualModelRow } from "../../models/virtual-model-store.ts";

/** A name that stands for tiers of models. */
export interface RoutedName extends VirtualModelRules {
  name: string;
  /** Distinguishes the draws of two virtual models, also after one is renamed. */
  seed: string;
}

/** Throws for a row that holds no rules: none is written by this program. */
export const routedName = (row: Pick<VirtualModelRow, "uuid" | "name" | "rules">): RoutedName => ({
  ...storedRules(row),
  name: row.name,
  seed: row.uuid,
});
