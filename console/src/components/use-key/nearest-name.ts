/** The name that was probably meant. Pure. */

/**
 * More than this share of the letters wrong is another name; in short names, two swapped letters.
 */
const wrongShareMax = 0.34;
const swappedLetters = 2;

/** Levenshtein distance, by rows. */
export function computeEditDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

/** Undefined when no name is near. A provider's prefix, such as `openai/`, does not count. */
export function findNearestName(typed: string, names: readonly string[]): string | undefined {
  const bare = (name: string): string => name.toLowerCase().slice(name.lastIndexOf("/") + 1);
  const wanted = bare(typed);
  let best: { name: string; distance: number } | undefined;
  for (const name of names) {
    const distance = computeEditDistance(wanted, bare(name));
    if (best === undefined || distance < best.distance) best = { name, distance };
  }
  const wrongMax = Math.max(
    wanted.length * wrongShareMax,
    Math.min(swappedLetters, wanted.length - 1),
  );
  return best !== undefined && best.distance <= wrongMax ? best.name : undefined;
}
