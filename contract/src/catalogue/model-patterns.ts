/**
 * Patterns in a channel's list of models and in its mapping: `gpt-*` stands for every name that
 * begins so. Pure.
 */
import { buildChannelIssue, type ChannelIssue } from "./channel-issues.ts";

/**
 * `isModelPattern` gives one star, at the end, after at least two characters. Another star is a
 * part of a name.
 */
export const isModelPattern = (name: string): boolean => /^[^*]{2,}\*$/.test(name);

const readPatternStart = (pattern: string): string => pattern.slice(0, -1);

/** `coversModel` says whether a pattern stands for a name; for its own beginning it does not. */
export const coversModel = (pattern: string, name: string): boolean =>
  isModelPattern(pattern) &&
  name.length >= pattern.length &&
  name.startsWith(readPatternStart(pattern));

/**
 * `findListing` says how a list has a name: by itself, by the length of the longest pattern that
 * covers it, or not.
 */
export function findListing(list: Iterable<string>, name: string): "exact" | number | undefined {
  let longest: number | undefined;
  for (const one of list) {
    if (one === name) return "exact";
    if (one.endsWith("*") && coversModel(one, name))
      longest = Math.max(longest ?? 0, one.length - 1);
  }
  return longest;
}

export const listsModel = (list: Iterable<string>, name: string): boolean =>
  findListing(list, name) !== undefined;

/**
 * A mapping of names; an entry for a pattern maps all names that it covers, and a star at the end
 * of its value stands for their rest.
 */
export class ModelMapping extends Map<string, string> {
  readonly #patterns: readonly string[];

  constructor(entries: Readonly<Record<string, string>> = {}) {
    super(Object.entries(entries));
    this.#patterns = [...this.keys()].filter(isModelPattern).sort((a, b) => b.length - a.length);
  }

  override get(name: string): string | undefined {
    const exact = super.get(name);
    if (exact !== undefined || this.#patterns.length === 0) return exact;
    const pattern = this.#patterns.find((one) => coversModel(one, name));
    const target = pattern === undefined ? undefined : super.get(pattern);
    if (pattern === undefined || target === undefined) return undefined;
    return target.endsWith("*")
      ? readPatternStart(target) + name.slice(pattern.length - 1)
      : target;
  }

  /** Names for which `pattern` stands, of those that a provider is known to have. */
  namesCovered(pattern: string, known: readonly string[]): string[] {
    const target = super.get(pattern);
    const start = readPatternStart(pattern);
    const names = new Set(known.filter((name) => coversModel(pattern, name)));
    if (target?.endsWith("*"))
      for (const name of known)
        if (name.startsWith(readPatternStart(target)))
          names.add(start + name.slice(target.length - 1));
    names.delete(start);
    return [...names].slice(0, namesCoveredMax);
  }
}

/**
 * `parseModelMapping` reads the mapping of a channel as its row holds it. Unreadable text counts as
 * none.
 */
export function parseModelMapping(text: string | null): ModelMapping {
  try {
    return new ModelMapping(
      (text ? (JSON.parse(text) as Record<string, string> | null) : null) ?? {},
    );
  } catch {
    return new ModelMapping();
  }
}

/** `namesCoveredMax` is that of one pattern: lists of models must stay lists that people read. */
export const namesCoveredMax = 200;

/** The names in a list, its patterns replaced by those that a provider is known to have. */
export const listNames = (
  list: readonly string[],
  mapping: ModelMapping,
  known: () => readonly string[],
): string[] =>
  list.some(isModelPattern)
    ? [
        ...new Set(
          list.flatMap((name) =>
            isModelPattern(name) ? mapping.namesCovered(name, known()) : [name],
          ),
        ),
      ]
    : [...list];

/** `findPatternIssue` gives what is wrong with a comma-joined list; undefined where nothing is. */
export function findPatternIssue(list: string): ChannelIssue | undefined {
  const wrong = list.split(",").find((name) => name.includes("*") && !isModelPattern(name));
  return wrong === undefined
    ? undefined
    : buildChannelIssue("model_pattern_invalid", { name: wrong });
}
