/**
 * The models that a user takes over of the difference between a channel's list and its provider's.
 */
import type { ModelDifference } from "@tollgate/contract/catalogue/model-differences.ts";

export type ChosenModels = { added: readonly string[]; gone: readonly string[] };

export const noModelsChosen: ChosenModels = { added: [], gone: [] };

/** The channel's list after that: its order stays, new names come last. */
export function listModels(
  { models }: Pick<ModelDifference, "models">,
  { added, gone }: ChosenModels,
): string[] {
  const kept = models.split(",").filter((model) => model !== "" && !gone.includes(model));
  return [...kept, ...added.filter((model) => !kept.includes(model))];
}

/**
 * The acts that take the change of a channel back: what went comes first, because a channel keeps
 * at least one model.
 */
export const listActsBack = (id: string, { added, gone }: ChosenModels) =>
  (["add_models", "remove_models"] as const)
    .map((verb) => ({ ids: [id], verb, models: (verb === "add_models" ? gone : added).join(",") }))
    .filter(({ models }) => models !== "");
