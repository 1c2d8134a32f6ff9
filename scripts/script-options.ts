/**
 * The command line of our scripts: their options, `--help`, and a sentence about whatever else is
 * given.
 */
import { type ParseArgsConfig, parseArgs } from "node:util";

/** `value` stands for the value in the help. */
type ScriptOption = { help: string } & (
  | { type: "boolean" }
  | { type: "string"; default: string; value: string }
);
export type ScriptOptions = Readonly<Record<string, ScriptOption>>;
type ScriptValues<Options> = {
  [Name in keyof Options]: Options[Name] extends { type: "boolean" } ? boolean : string;
};

interface ScriptCommand<Options extends ScriptOptions> {
  /** As it is typed, such as `npm run demo`. */
  command: string;
  summary: string;
  options: Options;
  /** `names` are what may be named besides; nothing without it. */
  names?: readonly string[];
}

interface ScriptArguments<Options> {
  values: ScriptValues<Options>;
  names: string[];
}

/**
 * Ends the process where there is nothing to run: after `--help`, and at what the script does not
 * know.
 */
export function readScriptOptions<const Options extends ScriptOptions>(
  command: ScriptCommand<Options>,
  args: readonly string[] = process.argv.slice(2),
): ScriptArguments<Options> {
  const read = readScriptArguments(command, args);
  if ("values" in read) return read;
  if ("help" in read) console.log(read.help);
  else console.error(read.problem);
  process.exit("help" in read ? 0 : 2);
}

export function readScriptArguments<const Options extends ScriptOptions>(
  { command, summary, options, names = [] }: ScriptCommand<Options>,
  args: readonly string[],
): ScriptArguments<Options> | { help: string } | { problem: string } {
  const refused = (problem: string) => ({
    problem: `${problem} ${withOptions(command, "--help")} says what there is.`,
  });
  const parsed = parsedOrProblem(options, args);
  if (typeof parsed === "string") return refused(parsed);
  const { values, positionals } = parsed;
  if (values.help) return { help: helpOf(command, summary, options, names) };
  const unknown = positionals.find((name) => !names.includes(name));
  if (unknown !== undefined) return refused(`${command} does not know "${unknown}".`);
  const given = Object.entries(options).map(([name, { type }]) => [
    name,
    values[name] ?? (type === "boolean" && false),
  ]);
  return { values: Object.fromEntries(given) as ScriptValues<Options>, names: positionals };
}

function parsedOrProblem(options: ScriptOptions, args: readonly string[]) {
  try {
    const known: ParseArgsConfig["options"] = { ...options, help: { type: "boolean" } };
    return parseArgs({ args: [...args], options: known, allowPositionals: true });
  } catch (error) {
    // The rest of its text is advice for options that begin with another dash.
    const [problem = ""] = (error as Error).message.split(/\. |\n/, 1);
    return `${problem}.`;
  }
}

function helpOf(
  command: string,
  summary: string,
  options: ScriptOptions,
  names: readonly string[],
): string {
  const rows = Object.entries(options).map(([name, option]) =>
    option.type === "string"
      ? [`--${name} ${option.value}`, `${option.help} (${option.default})`]
      : [`--${name}`, option.help],
  );
  const width = Math.max(0, ...rows.map(([first = ""]) => first.length));
  const lines = rows.map(([first = "", help]) => `  ${first.padEnd(width)}  ${help}`);
  const taken = [
    ...(rows.length > 0 ? ["[options]"] : []),
    ...(names.length > 0 ? [`[${names.join("|")} …]`] : []),
  ];
  return [`${withOptions(command, taken.join(" "))}: ${summary}`, ...lines].join("\n");
}

/** npm passes on only what stands behind `--`. */
const withOptions = (command: string, options: string): string => {
  if (options === "") return command;
  return command.startsWith("npm ") && !command.includes(" -- ")
    ? `${command} -- ${options}`
    : `${command} ${options}`;
};
