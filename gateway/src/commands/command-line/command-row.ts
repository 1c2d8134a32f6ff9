/**
 * Rows of commands, from which the parser and --help are made, and the input that the parser hands
 * to a handler.
 */

export interface CommandOption {
  /** `name` comes without the two dashes. */
  name: string;
  /** A letter, without its dash. */
  short?: string;
  /** `value` is what stands for the value in the help; without it the option is a switch. */
  value?: string;
  isValueOptional?: boolean;
  isRepeated?: boolean;
  isRequired?: boolean;
  /** `isHidden` is for programs of our own. */
  isHidden?: boolean;
  help: string;
}

export interface CommandArgument {
  name: string;
  help: string;
  isRequired?: boolean;
}

export interface CommandRow {
  /** `name` is as it is typed: `audit`, `users list`. */
  name: string;
  /** `summary` is one sentence, in the third person and without a full stop. */
  summary: string;
  /** `details` are what its help says besides. */
  details?: string;
  /** `appendix` stands below its options in the help, as it is. */
  appendix?: string;
  args?: readonly CommandArgument[];
  options?: readonly CommandOption[];
  /** Before what it asks: on a terminal; elsewhere `--yes` answers. */
  asksBefore?: string;
  /** `problemWith` says what is wrong with the typed words, where no option alone can tell. */
  problemWith?(input: CommandInput): string | undefined;
}

/**
 * `GivenOptions` go by name. Text, a switch that is on or an option without its optional value, or
 * the texts of a repeated option.
 */
export type GivenOptions = Readonly<Record<string, string | true | readonly string[] | undefined>>;

export interface CommandInput {
  /** `name` is that of the row. */
  name: string;
  args: readonly string[];
  options: GivenOptions;
}

/** The value of an option; undefined where it was not given one. */
export function findText(options: GivenOptions, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
}

/** The values of an option that may be repeated. */
export function listTexts(options: GivenOptions, name: string): readonly string[] {
  const value = options[name];
  return Array.isArray(value) ? value : [];
}

/** `UsageError`: the typed words are no command; nothing was opened, and nothing done. */
export class UsageError extends Error {}

/**
 * Nothing to do, or all is done; refused or failed; a plan that has changes; no such command
 * (EX_USAGE of sysexits.h).
 */
export const exitCodes = { done: 0, refused: 1, changes: 2, usage: 64 } as const;
