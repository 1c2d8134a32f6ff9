/**
 * Lists of contents that requests may not have, as root writes them: words and RE2 patterns for
 * some groups and keys, or for all.
 */
import type { RE2JS } from "re2js";
import * as z from "zod/mini";

let engine: typeof import("re2js") | undefined;

/** Must have ended before lists are read. Most sites have none, and never load it. */
export async function loadPatternEngine(): Promise<void> {
  engine ??= await import("re2js");
}

function compileRe2(): typeof import("re2js") {
  if (!engine) throw new Error("loadPatternEngine must be called before lists are read");
  return engine;
}

/**
 * Enough for the names of all projects of a company; what is longer is a case for the guard hook.
 */
const listsMax = 50;
const wordsMax = 2_000;
const patternsMax = 50;
const textMax = 200;
const patternMax = 500;
const membersMax = 500;
const settingMax = 100_000;

const someText = z.string().check(z.trim(), z.minLength(1), z.maxLength(textMax));

const denyList = z.strictObject({
  /** Clients and the log learn it, so it says what the list is for and quotes nothing of it. */
  name: someText,
  words: z._default(z.array(someText).check(z.maxLength(wordsMax)), []),
  patterns: z._default(
    z
      .array(z.string().check(z.minLength(1), z.maxLength(patternMax)))
      .check(z.maxLength(patternsMax)),
    [],
  ),
  /** The list holds for these groups and for these keys; without any of both, for every call. */
  groups: z._default(z.array(someText).check(z.maxLength(membersMax)), []),
  keys: z._default(z.array(z.int().check(z.positive())).check(z.maxLength(membersMax)), []),
});
export type DenyList = z.output<typeof denyList>;

const denyLists = z.array(denyList).check(z.maxLength(listsMax));

/** `DenyPattern` is what is matched, in normalised text. */
export interface DenyPattern {
  list: DenyList;
  expression: RE2JS;
}

/**
 * A text of the setting that cannot be used; the message completes "must …" or "has …" after the
 * name of the setting.
 */
export class DenyListsInvalid extends Error {}

/** Throws `DenyListsInvalid`. */
export function readDenyLists(text: string): readonly DenyPattern[] {
  const parsed = denyLists.safeParse(parseJson(text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = issue && issue.path.length > 0 ? ` at ${issue.path.join(".")}` : "";
    throw new DenyListsInvalid(
      `must be a JSON list of objects with name, words, patterns, groups and keys; it is not${place}`,
    );
  }
  return parsed.data.map((list) => ({ list, expression: buildExpression(list) }));
}

function parseJson(text: string): unknown {
  if (text.length > settingMax)
    throw new DenyListsInvalid(`must have at most ${settingMax} characters`);
  try {
    return JSON.parse(text);
  } catch {
    throw new DenyListsInvalid("must be JSON");
  }
}

/**
 * `buildExpression` gives one expression for a whole list: RE2 reads a text once, however many
 * alternatives there are.
 */
function buildExpression({ name, words, patterns }: DenyList): RE2JS {
  if (words.length + patterns.length === 0)
    throw new DenyListsInvalid(`has no word and no pattern in the list ${name}`);
  for (const pattern of patterns)
    if (!isPattern(pattern))
      throw new DenyListsInvalid(`has a pattern that RE2 refuses: ${pattern}`);
  const alternatives = [...words.map(wholeWord), ...patterns];
  try {
    return compileRe2().RE2JS.compile(alternatives.map((one) => `(?:${one})`).join("|"));
  } catch {
    throw new DenyListsInvalid(`has too much in the list ${name}`);
  }
}

function isPattern(pattern: string): boolean {
  const { RE2JS: compiler, RE2JSException } = compileRe2();
  try {
    compiler.compile(pattern);
    return true;
  } catch (error) {
    if (error instanceof RE2JSException) return false;
    throw error;
  }
}

/** Scripts that write words without spaces between them. */
const spaceless =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const wordLetter = /[\p{L}\p{N}]/u;
const beginning = "(?:^|[^\\p{L}\\p{N}])";
const end = "(?:$|[^\\p{L}\\p{N}])";

/** `wholeWord` matches in any case, and not a part of another word: "class" holds no "ass". */
function wholeWord(word: string): string {
  const plain = normaliseText(word);
  const characters = [...plain];
  const isBounded = (character = ""): boolean =>
    wordLetter.test(character) && !spaceless.test(character);
  return `(?i:${isBounded(characters[0]) ? beginning : ""}${compileRe2().RE2JS.quote(plain)}${isBounded(characters.at(-1)) ? end : ""})`;
}

/**
 * Characters that are not seen, and that would divide a word: joiners, soft hyphens, marks of
 * direction.
 */
const invisible = /\p{Default_Ignorable_Code_Point}/gu;

/** Text as it is matched: compatible forms of a letter (full width, ligatures) are one letter. */
export const normaliseText = (text: string): string =>
  text.normalize("NFKC").replaceAll(invisible, "");
