/**
 * The position of a JSON syntax error. Browsers report it in different wordings, often without a
 * position.
 */
export type JsonSyntaxError = { line: number; column: number; offset: number };

export function findJsonSyntaxError(text: string): JsonSyntaxError | undefined {
  try {
    JSON.parse(text);
    return;
  } catch {
    return buildPosition(text, computeErrorOffset(text));
  }
}

/** Indents by two spaces. Invalid JSON is returned unchanged. */
export function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function buildPosition(text: string, offset: number): JsonSyntaxError {
  const before = text.slice(0, offset);
  return { offset, line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

class JsonScanError extends Error {
  readonly offset: number;
  constructor(offset: number) {
    super();
    this.offset = offset;
  }
}

/** Deeper than any setting. It prevents a stack overflow of the recursive scan. */
const depthMax = 500;
const stringPattern =
  /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\x7f|[\u0080-\u009f])*"/uy;
const scalarPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

function computeErrorOffset(text: string): number {
  let position = 0;
  const skip = () => {
    while (" \t\n\r".includes(text[position] ?? "?")) position++;
  };
  const expectToken = (pattern: RegExp) => {
    pattern.lastIndex = position;
    const found = pattern.exec(text);
    if (found === null) throw new JsonScanError(position);
    position += found[0].length;
  };
  const expectCharacter = (character: string) => {
    skip();
    if (text[position] !== character) throw new JsonScanError(position);
    position++;
  };
  const members = (end: string, depth: number, member: () => void) => {
    if (depth > depthMax) throw new JsonScanError(position);
    position++;
    skip();
    if (text[position] === end) {
      position++;
      return;
    }
    for (;;) {
      member();
      skip();
      if (text[position] !== ",") break;
      position++;
    }
    expectCharacter(end);
  };
  const value = (depth: number) => {
    skip();
    if (text[position] === "{") {
      members("}", depth, () => {
        skip();
        expectToken(stringPattern);
        expectCharacter(":");
        value(depth + 1);
      });
    } else if (text[position] === "[") members("]", depth, () => value(depth + 1));
    else expectToken(text[position] === '"' ? stringPattern : scalarPattern);
  };
  try {
    value(0);
    skip();
    return position;
  } catch (error) {
    if (error instanceof JsonScanError) return error.offset;
    throw error;
  }
}
