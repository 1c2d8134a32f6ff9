/** Parses the text columns of a channel that concern its models. */

export interface ChannelModels {
  models: string;
  hidden_models: string | null;
}

export const namesIn = (text: string): string[] =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);

/** Unreadable stored JSON counts as absent. */
export function jsonOr<Value>(text: string | null, fallback: Value): Value {
  try {
    return text === null || text === "" ? fallback : (JSON.parse(text) ?? fallback);
  } catch {
    return fallback;
  }
}

export function visibleModels({ models, hidden_models }: ChannelModels): string[] {
  const hidden = new Set(jsonOr<string[]>(hidden_models, []));
  return namesIn(models).filter((model) => !hidden.has(model));
}
