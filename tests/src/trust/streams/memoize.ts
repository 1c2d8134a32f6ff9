const lengthMax = 500;

/**
 * The same answers without the work, for a function of texts that are mostly the same few hundred. It remembers the first
 * that it is asked for, so that what it keeps soon stops growing.
 */
export function memoize<T>(of: (text: string) => T, entriesMax = 2_000): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const answer = of(text);
    // A part of a text holds on to all of it: what is kept is a copy.
    if (known.size < entriesMax && text.length <= lengthMax) known.set(Buffer.from(text).toString(), answer);
    return answer;
  };
}
