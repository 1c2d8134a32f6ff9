/** The variables of the environment as the help of `serve` prints them. */
import { readDefault, variableGroups } from "./variable-groups.ts";

/** `writePlainText` takes the marks of Markdown away. */
const writePlainText = (markdown: string): string =>
  markdown.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1").replaceAll("`", "");

/** `writeVariableHelp` is a list of names and meanings by group, each meaning indented below its name. */
export function writeVariableHelp(): string {
  const groups = variableGroups.map(([title, rows]) => {
    const lines = Object.entries(rows).map(([name, row]) => {
      const shown = readDefault(row);
      return `  ${name}${shown && ` (default: ${shown})`}\n      ${writePlainText(row.meaning)}`;
    });
    return `${title}:\n${lines.join("\n")}`;
  });
  return `Variables of the environment, all optional:\n\n${groups.join("\n\n")}`;
}
