export type PaletteCommand = {
  id: string;
  group: string;
  text: string;
  /** Tells things of the same name apart. */
  detail?: string;
  /** Other words by which it is found, between commas. */
  words?: string;
  /** Not in the list that opens, for which there are too many. */
  isTypedOnly?: boolean;
  run: () => void;
};

const joinText = ({ text, detail = "", words = "" }: PaletteCommand) =>
  `${text} ${detail} ${words}`.toLowerCase();

/**
 * Every word must occur. What is called so comes first, then what begins so, then other titles,
 * then other words.
 */
export function matchCommands(
  commands: readonly PaletteCommand[],
  typed: string,
): PaletteCommand[] {
  const query = typed.trim().toLowerCase();
  const words = query.split(/\s+/).filter(Boolean);
  if (words.length === 0) return commands.filter(({ isTypedOnly }) => isTypedOnly !== true);
  const rank = (command: PaletteCommand): number => {
    const title = command.text.toLowerCase();
    if (title === query) return 0;
    const synonyms = (command.words ?? "").toLowerCase().split(/\s*[,、，]\s*/);
    if (synonyms.includes(query)) return 1;
    if (title.startsWith(query)) return 2;
    return words.every((word) => title.includes(word)) ? 3 : 4;
  };
  return commands
    .filter((command) => words.every((word) => joinText(command).includes(word)))
    .map((command) => ({ command, rank: rank(command) }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ command }) => command);
}

/** Groups the commands, in the order of first appearance. */
export function groupCommands(
  commands: readonly PaletteCommand[],
): [group: string, commands: PaletteCommand[]][] {
  const groups = new Map<string, PaletteCommand[]>();
  for (const command of commands)
    groups.set(command.group, [...(groups.get(command.group) ?? []), command]);
  return [...groups];
}
