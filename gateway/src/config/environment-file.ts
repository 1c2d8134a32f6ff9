/**
 * Variables from a file, by the rules of systemd's EnvironmentFile (src/basic/env-file.c): a shell
 * would run what is in it. Pure.
 */

const newlines = "\n\r";
const spaces = " \t\n\r";
/**
 * `escapedInQuotes` are what a backslash in double quotes escapes; before anything else it stays.
 */
const escapedInQuotes = '"\\`$';

type ReadingState =
  | "before name"
  | "name"
  | "before value"
  | "value"
  | "escape"
  | "single quotes"
  | "double quotes"
  | "escape in quotes"
  | "comment"
  | "escape in comment";

export interface EnvironmentFile {
  variables: Readonly<Record<string, string>>;
  /**
   * Names that no variable has, as systemd ignores them: one with `export` in front, for instance.
   */
  ignored: readonly string[];
}

export function readEnvironmentFile(text: string): EnvironmentFile {
  const assignments: [name: string, value: string][] = [];
  let state = "before name" as ReadingState;
  let [name, value] = ["", ""];
  /**
   * `kept` says how much of the value stays when it ends: space at its end is cut, unless it was
   * quoted or escaped.
   */
  let kept = 0;

  const append = (char: string, isKept: boolean): void => {
    value += char;
    if (isKept) kept = value.length;
  };
  const finish = (): void => {
    assignments.push([name.trimEnd(), value.slice(0, kept)]);
    [name, value, kept, state] = ["", "", 0, "before name"];
  };
  const read: Record<ReadingState, (char: string) => void> = {
    "before name"(char) {
      if ("#;".includes(char)) state = "comment";
      else if (!spaces.includes(char)) [name, state] = [char, "name"];
    },
    name(char) {
      if (newlines.includes(char)) [name, state] = ["", "before name"];
      else if (char === "=") state = "before value";
      else name += char;
    },
    "before value"(char) {
      if (newlines.includes(char)) finish();
      else if (char === "'") state = "single quotes";
      else if (char === '"') state = "double quotes";
      else if (char === "\\") state = "escape";
      else if (!spaces.includes(char)) {
        append(char, true);
        state = "value";
      }
    },
    value(char) {
      if (newlines.includes(char)) finish();
      else if (char === "\\") [kept, state] = [value.length, "escape"];
      else append(char, !spaces.includes(char));
    },
    escape(char) {
      // A line that goes on in the next one.
      if (!newlines.includes(char)) append(char, true);
      state = "value";
    },
    "single quotes"(char) {
      if (char === "'") state = "before value";
      else append(char, true);
    },
    "double quotes"(char) {
      if (char === '"') state = "before value";
      else if (char === "\\") state = "escape in quotes";
      else append(char, true);
    },
    "escape in quotes"(char) {
      if (escapedInQuotes.includes(char)) append(char, true);
      else if (char !== "\n") append(`\\${char}`, true);
      state = "double quotes";
    },
    comment(char) {
      if (char === "\\") state = "escape in comment";
      else if (newlines.includes(char)) state = "before name";
    },
    "escape in comment"(char) {
      state = newlines.includes(char) ? "before name" : "comment";
    },
  };
  for (const char of text) read[state](char);
  const isComment = state === "comment" || state === "escape in comment";
  if (state !== "before name" && state !== "name" && !isComment) finish();
  return {
    variables: Object.fromEntries(assignments.filter(isVariable)),
    ignored: assignments.filter((one) => !isVariable(one)).map(([wrong]) => wrong),
  };
}

/** No control character but a tab or a line break is in a value. */
const isVariable = ([name, value]: readonly [string, string]): boolean =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /^[A-Za-z_]\w*$/.test(name) && !/[\u0000-\u0008\u000b-\u001f\u007f]/.test(value);
