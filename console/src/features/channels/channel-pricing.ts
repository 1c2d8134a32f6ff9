import { parseObject } from "./channel-json-text.ts";

/**
 * Adds built-in prices to the typed ones, which win. With models chosen, adds only theirs: a
 * provider has hundreds.
 */
export function addDefaultPricing(
  typed: string,
  builtIn: string,
  models: readonly string[],
): string {
  const offered = Object.entries(parseObject(builtIn) ?? {});
  const selected =
    models.length === 0 ? offered : offered.filter(([model]) => models.includes(model));
  if (selected.length === 0) return typed;
  return JSON.stringify({ ...Object.fromEntries(selected), ...parseObject(typed) }, null, 2);
}
