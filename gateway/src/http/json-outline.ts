/**
 * The outline of a JSON value that one pass over its text gives before it is parsed. Parsing and
 * walking a body costs time by the number of its parts, not of its bytes: a million members stop
 * the only thread for seconds, a picture of the same size does not.
 */

export interface JsonOutline {
  /** Levels of objects and arrays. */
  depth: number;
  /** Members of all objects, at any depth, as they are written: a repeated one counts each time. */
  members: number;
  /**
   * Members, objects, arrays and strings: strings, which the names of members are, and what opens
   * with a bracket or a brace.
   */
  parts: number;
  /** Numbers, and other words, that are elements of arrays. */
  numbers: number;
}

/** The most of each that is read. */
export type JsonBounds = Readonly<Pick<JsonOutline, "depth" | "parts" | "numbers">>;

/**
 * Levels of JSON that are accepted. Deeper than any provider accepts; deeper nesting would only
 * exhaust the stack.
 */
export const jsonDepthMax = 100;
/**
 * Several times what the longest conversations of agents have. All steps of a call take a quarter
 * of a second for them.
 */
export const jsonPartsMax = 100_000;
export const bodyBounds: JsonBounds = {
  depth: jsonDepthMax,
  parts: jsonPartsMax,
  numbers: 100_000,
};
/** Prompts may be lists of the numbers of their tokens. */
export const tokenListBounds: JsonBounds = { ...bodyBounds, numbers: 1_000_000 };
const unbounded: JsonBounds = { depth: Infinity, parts: Infinity, numbers: Infinity };

/** `structural` is what ends a number, a word or blanks. */
const structural = /["{}[\],:]/g;
/**
 * A longer run between two of them is searched through, which does not depend on how well the loop
 * was compiled.
 */
const plainLength = 32;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Ends at the first excess. Takes the decoded text, which is searched from quote to quote in less
 * than half of the time that its bytes take.
 */
export function outlineJson(json: string, bounds: JsonBounds = unbounded): JsonOutline {
  const outline = { depth: 0, members: 0, parts: 0, numbers: 0 };
  /** `levels` says whether each of the open levels is an array. */
  const levels: boolean[] = [];
  let isArray = false;
  /**
   * `isNumber` says whether the array has an element here that is not known to be a string, an
   * object or an array.
   */
  let isNumber = false;
  let openedAt = -1;
  let structuralAt = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === quote) {
      outline.parts += 1;
      isNumber = false;
      at = endOfText(json, at);
    } else if (code === comma) {
      if (isArray && isNumber) outline.numbers += 1;
      isNumber = isArray;
    } else if (code < colon) {
      // Digits and blanks, of which there may be millions.
      if (at - structuralAt <= plainLength) continue;
      structural.lastIndex = at;
      if (!structural.test(json)) break;
      at = structural.lastIndex - 2;
      structuralAt = at;
      continue;
    } else if (code === colon) outline.members += 1;
    else if (code === openBrace || code === openBracket) {
      outline.parts += 1;
      levels.push(isArray);
      if (levels.length > outline.depth) outline.depth = levels.length;
      isArray = code === openBracket;
      isNumber = isArray;
      openedAt = at;
    } else if (code === closeBrace || code === closeBracket) {
      if (isNumber && openedAt !== at - 1) outline.numbers += 1;
      isNumber = false;
      isArray = levels.pop() ?? false;
    } else continue;
    structuralAt = at;
    if (
      outline.parts > bounds.parts ||
      outline.numbers > bounds.numbers ||
      outline.depth > bounds.depth
    )
      break;
  }
  return outline;
}

/** `findExcess` says which bound the text exceeds, if any. */
export const findExcess = (
  outline: JsonOutline,
  bounds: JsonBounds,
): keyof JsonBounds | undefined =>
  (["depth", "parts", "numbers"] as const).find((name) => outline[name] > bounds[name]);

/** `formatExcessMessage` tells a client of an excess, and of the way out of it. */
export function formatExcessMessage(excess: keyof JsonBounds, bounds: JsonBounds): string {
  switch (excess) {
    case "depth":
      return `The body is nested deeper than ${bounds.depth} levels`;
    case "parts":
      return `The body has more than ${bounds.parts} members, objects, arrays and strings; send them in several requests`;
    case "numbers":
      return `The body has more than ${bounds.numbers} numbers in arrays; send them in several requests`;
  }
}

/**
 * `isNestedDeeperThan` says whether objects and arrays nest deeper than `max` levels; strings are
 * skipped.
 */
export const isNestedDeeperThan = (json: string, max: number): boolean =>
  outlineJson(json, { ...unbounded, depth: max }).depth > max;

/**
 * `outlineHasRepetition` says whether an object of the text, at any depth, has one member twice:
 * parsers disagree on which of them counts. `value` is what the text was parsed to, and nests no
 * deeper than the stack bears.
 */
export const outlineHasRepetition = ({ members }: JsonOutline, value: unknown): boolean =>
  members !== computeMembers(value);

function computeMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) for (const part of value) count += computeMembers(part);
  // In half of the time of a list of the values, where there are many.
  else
    for (const name in value) {
      count += 1;
      const part = (value as Readonly<Record<string, unknown>>)[name];
      if (typeof part === "object") count += computeMembers(part);
    }
  return count;
}

/**
 * Quotes this near to each other are cheaper to pass one by one than to search for, once there are
 * so many in a row.
 */
const nearLength = 16;
const nearMax = 8;
const nearStretch = 256;

/** The offset of the quote that ends the string at `start`. */
function endOfText(json: string, start: number): number {
  let near = 0;
  for (let from = start + 1; ; ) {
    const end = json.indexOf('"', from);
    if (end < 0) return json.length;
    let slashes = 0;
    while (json.charCodeAt(end - 1 - slashes) === backslash) slashes += 1;
    if (slashes % 2 === 0) return end;
    near = end - from < nearLength ? near + 1 : 0;
    from = end + 1;
    if (near < nearMax) continue;
    for (const until = Math.min(json.length, from + nearStretch); from < until; from += 1) {
      const code = json.charCodeAt(from);
      if (code === backslash) from += 1;
      else if (code === quote) return from;
    }
  }
}
