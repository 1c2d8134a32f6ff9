/** Parses the text columns of a channel that concern its models. */
import {
  isModelPattern,
  listNames,
  listsModel,
  parseModelMapping,
} from "@tollgate/contract/catalogue/model-patterns.ts";
import { listKnownModels } from "../channels/built-in-models.ts";

export interface ChannelModels {
  type: number;
  models: string;
  hidden_models: string | null;
  model_mapping: string | null;
}

export const parseNames = (text: string): string[] =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);

/** Unreadable stored JSON counts as absent. */
export function parseJson<Value>(text: string | null, fallback: Value): Value {
  try {
    return text === null || text === "" ? fallback : (JSON.parse(text) ?? fallback);
  } catch {
    return fallback;
  }
}

/**
 * `listVisibleModels` gives what lists of models show of a channel: known names in place of its
 * patterns.
 */
export function listVisibleModels({
  type,
  models,
  hidden_models,
  model_mapping,
}: ChannelModels): string[] {
  const hidden = new Set(parseJson<string[]>(hidden_models, []));
  const names = listNames(parseNames(models), parseModelMapping(model_mapping), () =>
    listKnownModels(type),
  );
  return names.filter((model) => !hidden.has(model));
}

/**
 * The names that calls may use, of channels that list them, and of every name that a pattern of
 * theirs covers.
 */
export function servedNames(
  channels: readonly Pick<ChannelModels, "models" | "hidden_models">[],
  more: readonly string[] = [],
): Pick<ReadonlySet<string>, "has"> {
  const lists = channels.map(({ models, hidden_models }) => {
    return { names: parseNames(models), hidden: new Set(parseJson<string[]>(hidden_models, [])) };
  });
  const exact = new Set([
    ...lists.flatMap(({ names, hidden }) => names.filter((name) => !hidden.has(name))),
    ...more,
  ]);
  const patterned = [...lists, { names: more, hidden: new Set<string>() }].filter(({ names }) =>
    names.some(isModelPattern),
  );
  const isCovered = (name: string): boolean =>
    patterned.some(({ names, hidden }) => !hidden.has(name) && listsModel(names, name));
  return { has: (name) => (exact.has(name) && !isModelPattern(name)) || isCovered(name) };
}
