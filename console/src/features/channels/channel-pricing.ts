import { parseObject } from "./channel-json-text.ts";

/**
 * Built-in prices beside what is already there: an entry that somebody made wins over the built-in one. With models
 * chosen only theirs are added, since a provider has hundreds.
 */
export function withDefaultPricing(typed: string, builtIn: string, models: readonly string[]): string {
  const offered = Object.entries(parseObject(builtIn) ?? {});
  const selected = models.length === 0 ? offered : offered.filter(([model]) => models.includes(model));
  if (selected.length === 0) return typed;
  return JSON.stringify({ ...Object.fromEntries(selected), ...parseObject(typed) }, null, 2);
}
