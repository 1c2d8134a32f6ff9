/** The models that a key of LiteLLM may use, as names. A loss may only narrow them. Pure. */

export interface LitellmCatalogue {
  /** The names that clients ask for. */
  names: readonly string[];
  /** Names of models by access group. */
  byGroup: ReadonlyMap<string, readonly string[]>;
  /** Aliases by the model that they stand for: a key for the model may call it by each of them. */
  aliasesOf: ReadonlyMap<string, readonly string[]>;
}

export type ModelScope = "all" | ReadonlySet<string>;

const everything: ReadonlySet<string> = new Set(["all-proxy-models", "*"]);
/** The list of the key's team, with which every list is intersected. */
const ofTheTeam = "all-team-models";
const noneByDefault = "no-default-models";

/** `readModelScope` gives what a list of a key, team or user allows; an empty one allows everything. */
export function readModelScope(
  list: readonly string[],
  { names, byGroup, aliasesOf }: LitellmCatalogue,
): ModelScope {
  if (list.length === 0 || list.some((name) => everything.has(name) || name === ofTheTeam))
    return "all";
  const found = list.flatMap((name) => {
    if (name === noneByDefault) return [];
    const group = byGroup.get(name);
    if (group) return group;
    return name.includes("*") ? names.filter((candidate) => matches(candidate, name)) : [name];
  });
  // A name with a comma would be read as two.
  const withAliases = found.flatMap((name) => [name, ...(aliasesOf.get(name) ?? [])]);
  return new Set(withAliases.filter((name) => name !== "" && !name.includes(",")));
}

/**
 * A pattern with stars, compared without a regular expression: its cost must not depend on what the
 * source holds.
 */
function matches(name: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (!name.startsWith(first)) return false;
  const last = rest.pop() ?? "";
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}

/** `narrowScope` gives what both allow. */
export function narrowScope(a: ModelScope, b: ModelScope): ModelScope {
  if (a === "all") return b;
  return b === "all" ? a : a.intersection(b);
}
