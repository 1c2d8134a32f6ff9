/** How a provider's list of models differs from that of a channel. Pure. */

export interface ListedModels {
  /** Comma-joined, as channels hold them. */
  models: string;
  /** JSON by the names that clients use. */
  model_mapping: string | null;
}

export interface ModelLists {
  added: string[];
  gone: string[];
}

/**
 * A model of the channel is offered when the provider lists the name that it is called by there. `isWhole`: the provider's list
 * ends where it was read; otherwise a missing name may stand on its next page, and none counts as gone.
 */
export function differentModels(
  { models, model_mapping }: ListedModels,
  offered: readonly string[],
  isWhole: boolean,
): ModelLists {
  const mapping = new Map(Object.entries(model_mapping ? (JSON.parse(model_mapping) as Record<string, string>) : {}));
  const own = models.split(",").filter(Boolean);
  const calledBy = (model: string): string => mapping.get(model) ?? model;
  const known = new Set([...own, ...own.map(calledBy)]);
  const listed = new Set(offered);
  return {
    added: [...listed].filter((name) => !known.has(name)),
    gone: isWhole ? own.filter((model) => !listed.has(calledBy(model))) : [],
  };
}
