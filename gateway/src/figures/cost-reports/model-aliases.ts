/**
 * Names of a model that belong together. Clients call a model by an alias (`gpt-4o`), and its
 * provider reports the dated version that served it (`gpt-4o-2024-08-06`). Pure.
 */

/**
 * A date at the end, `-latest`, the `-0` of Anthropic's aliases, and the routing suffix of
 * OpenRouter.
 */
const datePattern = /[-@](?:20\d\d-\d\d-\d\d|20\d{6})$/;
const aliasPattern = /-latest$/;
const claudeAliasPattern = /^((?:anthropic\/)?claude-.+)-0$/;
const routePattern = /:(?:nitro|floor|online|exacto)$/;

/** The name without what tells its versions and aliases apart. */
export function readModelBase(name: string): string {
  const plain = name.trim().toLowerCase().replace(routePattern, "");
  return plain.replace(datePattern, "").replace(aliasPattern, "").replace(claudeAliasPattern, "$1");
}

/**
 * The group of every name. Names of one base are one group, because the provider alone knows which
 * version served an alias. Only where each charged name is also a reported one does every name stay
 * a group of its own.
 */
export function collectModelGroups(
  charged: ReadonlySet<string>,
  reported: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const names = [...new Set([...charged, ...reported])];
  const groups = new Map<string, string>();
  for (const [base, ofBase] of Map.groupBy(names, readModelBase)) {
    const isExact = ofBase.every((name) => !charged.has(name) || reported.has(name));
    for (const name of ofBase) groups.set(name, isExact ? name : base);
  }
  return groups;
}
