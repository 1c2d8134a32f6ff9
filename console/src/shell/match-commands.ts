export type Command = { id: string; group: string; text: string; run: () => void };

/** Every word must be found; a command that begins with what was typed comes before those that only contain it. */
export function matchCommands(commands: readonly Command[], typed: string): Command[] {
  const wanted = typed.trim().toLowerCase();
  const words = wanted.split(/\s+/).filter(Boolean);
  const found = commands.filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)));
  const begins = ({ text }: Command) => text.toLowerCase().startsWith(wanted);
  return words.length === 0 ? found : [...found.filter(begins), ...found.filter((command) => !begins(command))];
}

/** Neighbours of one group together, in the order in which their groups first appear. */
export function inGroups(commands: readonly Command[]): [group: string, commands: Command[]][] {
  const groups = new Map<string, Command[]>();
  for (const command of commands) groups.set(command.group, [...(groups.get(command.group) ?? []), command]);
  return [...groups];
}
