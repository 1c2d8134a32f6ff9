/**
 * Settings that are lines of text: what we add stands between two marks, and what it replaces stays
 * as comments, so that it can be taken out again whatever else has changed. Pure.
 */

const begin = "# >>> tollgate: written by `tollgate use`, taken out by `tollgate use --undo` >>>";
const end = "# <<< tollgate <<<";
const setAside = "#tollgate# ";

/** `splitLines` keeps the ends of lines, so that joining gives the same text. */
const splitLines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

const writeBlock = (lines: readonly string[]): string => [begin, ...lines, end, ""].join("\n");

export interface MarkedEdit {
  /** Lines in front of everything else, and behind it. */
  top?: readonly string[];
  bottom?: readonly string[];
  /**
   * `replaces` says whether a line must not stand beside ours; `table` is the header of the table
   * that it is in.
   */
  replaces(line: string, table: string): boolean;
}

export function addMarked(text: string, { top = [], bottom = [], replaces }: MarkedEdit): string {
  let table = "";
  const kept = splitLines(text).map((line) => {
    if (/^\s*\[/.test(line)) table = line.trim();
    return replaces(line, table) ? setAside + line : line;
  });
  const body = kept.join("");
  const gap = body === "" || body.endsWith("\n") ? "" : "\n";
  return [
    top.length > 0 ? writeBlock(top) : "",
    body,
    bottom.length > 0 ? gap + writeBlock(bottom) : "",
  ].join("");
}

export function removeMarked(text: string): string {
  let isOurs = false;
  const kept: string[] = [];
  for (const line of splitLines(text)) {
    const bare = line.replace(/\r?\n$/, "");
    if (bare === begin) isOurs = true;
    else if (isOurs) isOurs = bare !== end;
    else kept.push(line.startsWith(setAside) ? line.slice(setAside.length) : line);
  }
  return kept.join("");
}
