export type PaletteCommand = {
  id: string;
  group: string;
  text: string;
  /** Tells things of the same name apart. */
  detail?: string;
  run: () => void;
};

/** Every word must occur. Commands that start with the typed text come first. */
export function matchCommands(commands: readonly PaletteCommand[], typed: string): PaletteCommand[] {
  const query = typed.trim().toLowerCase();
  const words = query.split(/\s+/).filter(Boolean);
  const found = commands.filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)));
  const begins = ({ text }: PaletteCommand) => text.toLowerCase().startsWith(query);
  return words.length === 0 ? found : [...found.filter(begins), ...found.filter((command) => !begins(command))];
}

/** Groups the commands, in the order of first appearance. */
export function groupCommands(commands: readonly PaletteCommand[]): [group: string, commands: PaletteCommand[]][] {
  const groups = new Map<string, PaletteCommand[]>();
  for (const command of commands) groups.set(command.group, [...(groups.get(command.group) ?? []), command]);
  return [...groups];
}
