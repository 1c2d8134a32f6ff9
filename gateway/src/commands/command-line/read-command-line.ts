/**
 * Reading a command line: from its words to one command of the table, or to the fault in them.
 * Opens nothing.
 */
import { Argument, Command, CommanderError, Option } from "commander";
import type { CommandArgument, CommandInput, CommandOption, CommandRow } from "./command-row.ts";
import { agentCommands, groupSummaries, localCommands, remoteCommands } from "./command-table.ts";

export type CommandLineReading =
  | { kind: "command"; input: CommandInput }
  | { kind: "help"; text: string }
  | { kind: "version" }
  | { kind: "wrong"; problem: string };

const programName = "tollgate";
const groups = Object.keys(groupSummaries);

/** Every command that was typed or may be meant. The contract is loaded for its verbs alone. */
async function listRows(words: readonly string[]): Promise<readonly CommandRow[]> {
  const fixed: readonly CommandRow[] = [
    ...(await listLocalRows(words)),
    ...remoteCommands,
    ...agentCommands,
  ];
  if (!words.some((word) => groups.includes(word))) return fixed;
  const { listResourceRows } = await import("./resource-verbs.ts");
  return [...fixed, ...listResourceRows()];
}

/** `listLocalRows` loads the variables of the environment where the help of `serve` shows them. */
async function listLocalRows(words: readonly string[]): Promise<readonly CommandRow[]> {
  const isHelp = words.some((word) => ["--help", "-h", "help"].includes(word));
  if (!isHelp || !words.includes("serve")) return localCommands;
  const { writeVariableHelp } = await import("../../config/variable-help.ts");
  return localCommands.map((row) =>
    row.name === "serve" ? { ...row, appendix: writeVariableHelp() } : row,
  );
}

/** `helpWidth` is that of the terminal where none is named. */
export async function readCommandLine(
  words: readonly string[],
  helpWidth?: number,
): Promise<CommandLineReading> {
  const rows = await listRows(words);
  const printed = { out: "", err: "" };
  let reading: CommandLineReading | undefined;
  const program = buildProgram(rows, {
    onRun: (row, input) => {
      const problem = row.problemWith?.(input);
      reading =
        problem === undefined
          ? { kind: "command", input }
          : { kind: "wrong", problem: addHint(problem, row.name) };
    },
    onVersion: () => {
      throw new CommanderError(0, versionAsked, "");
    },
    printed,
    helpWidth,
  });
  try {
    const eaten = findValueLikeOption(rows, words);
    if (eaten !== undefined) return { kind: "wrong", problem: eaten };
    program.parse(words, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === versionAsked) return { kind: "version" };
    if (error.exitCode === 0) return { kind: "help", text: printed.out.trimEnd() };
    const name = findRowName(rows, words);
    const said =
      error.code === "commander.help" ? unknownOrVerbs(rows, words) : stripValues(error.message);
    return { kind: "wrong", problem: addHint(said, name) };
  }
  return reading ?? { kind: "wrong", problem: addHint("no command was named", undefined) };
}

const versionAsked = "tollgate.version";

const addHint = (problem: string, name: string | undefined): string =>
  `${problem}\n${[programName, ...(name === undefined ? [] : [name]), "--help"].join(" ")} lists what it takes`;

/** A value may be a secret that was not meant for the screen. */
const stripValues = (message: string): string =>
  message
    .replace(/^error: /, "")
    .replace(/('--[^'=]*)=.*'/s, "$1'")
    .replace(/ but got (\d+): .*$/s, " but got $1.");

/** A group without a verb, or help for a command that there is not. */
function unknownOrVerbs(
  rows: readonly CommandRow[],
  [first = "", second = ""]: readonly string[],
): string {
  const verbs = rows.flatMap(({ name }) =>
    name.startsWith(`${first} `) ? [name.slice(first.length + 1)] : [],
  );
  return verbs.length > 0 ? `${first} takes ${verbs.join(", ")}` : `unknown command '${second}'`;
}

/** `findRowName` is about the command that the first words name. */
function findRowName(
  rows: readonly CommandRow[],
  [first = "", second = ""]: readonly string[],
): string | undefined {
  const names = [`${first} ${second}`, first];
  const row = rows.find(({ name }) => names.includes(name));
  return row?.name ?? groups.find((group) => group === first);
}

/** `--file --prune` names no file: the parser would take the option for its value. */
function findValueLikeOption(
  rows: readonly CommandRow[],
  words: readonly string[],
): string | undefined {
  const options: readonly CommandOption[] =
    rows.find(({ name }) => name === findRowName(rows, words))?.options ?? [];
  const end = words.indexOf("--");
  for (const [index, word] of words.slice(0, end < 0 ? undefined : end).entries()) {
    const option = options.find(
      ({ name, short }) => word === `--${name}` || (short !== undefined && word === `-${short}`),
    );
    const [next = ""] = (words[index + 1] ?? "").split("=");
    if (!option?.value || option.isValueOptional || !/^-\D/.test(next)) continue;
    return addHint(
      `${word} takes a value, and ${next} is an option; write --${option.name}=${next} if it is one`,
      findRowName(rows, words),
    );
  }
  return undefined;
}

interface ProgramEvents {
  onRun(row: CommandRow, input: CommandInput): void;
  onVersion(): void;
  printed: { out: string; err: string };
  helpWidth: number | undefined;
}

/** Every value was read as text: what it may be is for the command to say. */
function buildProgram(
  rows: readonly CommandRow[],
  { onRun, onVersion, printed, helpWidth }: ProgramEvents,
): Command {
  const program = new Command(programName)
    .description("A self-hosted gateway for AI APIs. Without a command it runs the gateway.")
    .exitOverride()
    // An option behind a command is one of that command.
    .enablePositionalOptions()
    .allowExcessArguments(false)
    .configureOutput({
      writeOut: (text) => {
        printed.out += text;
      },
      writeErr: (text) => {
        printed.err += text;
      },
      ...(helpWidth !== undefined && { getOutHelpWidth: () => helpWidth }),
    })
    .helpOption("-h, --help", "prints what a command takes")
    .helpCommand("help [COMMAND]", "prints what a command takes")
    .option("--version", "prints version, commit and schema of this program")
    .on("option:version", onVersion);
  const verbRows = rows.filter(({ name }) => name.includes(" "));
  for (const row of rows)
    if (!verbRows.includes(row)) addRow(program.command(row.name), row, onRun);
  for (const [group, summary] of Object.entries(groupSummaries)) {
    const parent = program.command(group).description(formatSentence(summary)).summary(summary);
    for (const row of verbRows) {
      const [name, verb = ""] = row.name.split(" ");
      if (name === group) addRow(parent.command(verb), row, onRun);
    }
  }
  return program;
}

const formatSentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

function addRow(command: Command, row: CommandRow, onRun: ProgramEvents["onRun"]): void {
  const { name, summary, details, asksBefore, args = [] } = row;
  const options = listOptions(row);
  const asks = asksBefore && `It asks on a terminal before ${asksBefore}; elsewhere --yes answers.`;
  const paragraphs = [formatSentence(summary), details, asks].filter((text) => text !== undefined);
  command.description(paragraphs.join("\n\n")).summary(summary);
  if (row.appendix !== undefined) command.addHelpText("after", `\n${row.appendix}`);
  for (const argument of args) command.addArgument(buildArgument(argument));
  for (const option of options) command.addOption(buildOption(option));
  command.action(() => {
    const values = options.map(
      ({ name: option }) => [option, command.getOptionValue(option)] as const,
    );
    onRun(row, { name, args: command.args, options: Object.fromEntries(values) });
  });
}

const yes: CommandOption = { name: "yes", help: "does it without asking" };

/** `listOptions` adds the option that answers the command's question. */
const listOptions = ({ options = [], asksBefore }: CommandRow): readonly CommandOption[] =>
  asksBefore === undefined ? options : [...options, yes];

const buildArgument = ({ name, help, isRequired = false }: CommandArgument): Argument =>
  new Argument(isRequired ? `<${name}>` : `[${name}]`, help);

function buildOption({
  name,
  short,
  value,
  isValueOptional,
  isRepeated,
  isRequired,
  isHidden,
  help,
}: CommandOption): Option {
  const shown = value === undefined ? "" : isValueOptional ? ` [${value}]` : ` <${value}>`;
  const option = new PlainOption(
    `${short === undefined ? "" : `-${short}, `}--${name}${shown}`,
    help,
  );
  if (isRepeated)
    option.argParser((text: string, before: readonly string[] = []) => [...before, text]);
  return option.makeOptionMandatory(isRequired === true).hideHelp(isHidden === true);
}

/**
 * Its value has the name of the option, whatever the parser makes of dashes and of names with no-
 * in front.
 */
class PlainOption extends Option {
  override attributeName(): string {
    return this.long?.slice(2) ?? "";
  }
}
