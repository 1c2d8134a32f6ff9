const quote = 34;
const newline = 10;

/** Counts the lines of a CSV that comes in pieces; a line break within quotes ends none. The heads are a line too. */
export function csvLineCounter(): (part: Uint8Array) => number {
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
