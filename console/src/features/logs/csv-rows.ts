const quote = 34;
const newline = 10;

/**
 * Counts the lines of a CSV that arrives in chunks, including the header line. A line break within
 * quotes does not count.
 */
export function makeCsvLineCounter(): (part: Uint8Array) => number {
  let lines = 0;
  let isQuoted = false;
  return (part) => {
    for (const byte of part) {
      if (byte === quote) isQuoted = !isQuoted;
      else if (byte === newline && !isQuoted) lines += 1;
    }
    return lines;
  };
}
