const lengthMax = 500;

/**
 * Caches the results of a function whose arguments are mostly the same few hundred texts. It keeps
 * only the first ones, so the cache soon stops growing.
 */
export function memoize<T>(of: (text: string) => T, entriesMax = 2_000): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const answer = of(text);
    // A slice keeps the whole text in memory, so the key is a copy.
    if (known.size < entriesMax && text.length <= lengthMax)
      known.set(Buffer.from(text).toString(), answer);
    return answer;
  };
}
