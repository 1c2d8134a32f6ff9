/** Finds a size or quality among those that a price lists. */

/** Providers take `HD` for `hd` and `1792X1024` for `1792x1024`, and both cost the same. */
const foldVariant = (name: string): string => name.trim().toLowerCase().replace(/[×*]/g, "x");

export function findListedVariant<Value>(
  of: Readonly<Record<string, Value>> = {},
  name: string,
): Value | undefined {
  const folded = foldVariant(name);
  return Object.entries(of).find(([listed]) => foldVariant(listed) === folded)?.[1];
}
