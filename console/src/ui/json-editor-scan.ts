/** Where a JSON text goes wrong. Browsers tell in words of their own and often without a place, so we look ourselves. */
export type JsonTrouble = { line: number; column: number; offset: number };

export function findJsonTrouble(text: string): JsonTrouble | undefined {
  try {
    JSON.parse(text);
    return;
  } catch {
    return placeOf(text, troubleOffset(text));
  }
}

/** Indented by two; the text as it was when it is no JSON. */
export function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function placeOf(text: string, offset: number): JsonTrouble {
  const before = text.slice(0, offset);
  return { offset, line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

class Trouble extends Error {
  readonly offset: number;
  constructor(offset: number) {
    super();
    this.offset = offset;
  }
}

/** Deeper than any setting of ours; it keeps the scan off the end of the stack. */
const depthMax = 500;
const stringPattern = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\x7f|[\u0080-\u009f])*"/uy;
const scalarPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

function troubleOffset(text: string): number {
  let at = 0;
  const skip = () => {
    while (" \t\n\r".includes(text[at] ?? "?")) at++;
  };
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) throw new Trouble(at);
    at += found[0].length;
  };
  const expectMark = (mark: string) => {
    skip();
    if (text[at] !== mark) throw new Trouble(at);
    at++;
  };
  const members = (end: string, depth: number, member: () => void) => {
    if (depth > depthMax) throw new Trouble(at);
    at++;
    skip();
    if (text[at] === end) {
      at++;
      return;
    }
    for (;;) {
      member();
      skip();
      if (text[at] !== ",") break;
      at++;
    }
    expectMark(end);
  };
  const value = (depth: number) => {
    skip();
    if (text[at] === "{") {
      members("}", depth, () => {
        skip();
        take(stringPattern);
        expectMark(":");
        value(depth + 1);
      });
    } else if (text[at] === "[") members("]", depth, () => value(depth + 1));
    else take(text[at] === '"' ? stringPattern : scalarPattern);
  };
  try {
    value(0);
    skip();
    return at;
  } catch (trouble) {
    if (trouble instanceof Trouble) return trouble.offset;
    throw trouble;
  }
}
