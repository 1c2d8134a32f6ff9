/** Differences between a provider's list of models and that of a channel. Pure. */
import {
  coversModel,
  isModelPattern,
  parseModelMapping,
} from "@tollgate/contract/catalogue/model-patterns.ts";

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
 * A model of the channel is offered when the provider lists the name that it is called by there.
 * `isWhole`: the provider's list ends where it was read; otherwise a missing name may stand on its
 * next page, and none counts as gone.
 */
export function differentModels(
  { models, model_mapping }: ListedModels,
  offered: readonly string[],
  isWhole: boolean,
): ModelLists {
  const mapping = parseModelMapping(model_mapping);
  const all = models.split(",").filter(Boolean);
  const patterns = all.filter(isModelPattern);
  const own = all.filter((model) => !isModelPattern(model));
  // What a pattern sends under another name is known by that one: openai/* that goes out as *.
  const covering = [
    ...patterns,
    ...patterns.flatMap((pattern) => mapping.get(`${pattern.slice(0, -1)}*`) ?? []),
  ];
  const calledBy = (model: string): string => mapping.get(model) ?? model;
  const known = new Set([...own, ...own.map(calledBy)]);
  const listed = new Set(offered);
  return {
    added: [...listed].filter((name) => !known.has(name) && !isCovered(covering, name)),
    gone: isWhole ? own.filter((model) => !listed.has(calledBy(model))) : [],
  };
}

const isCovered = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) => pattern === "*" || coversModel(pattern, name));
