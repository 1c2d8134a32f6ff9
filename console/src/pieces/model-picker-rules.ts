/** Which names the picker lists for what was typed, and which of the typed ones could be added. */
export function offeredModels(
  offered: readonly string[],
  chosen: readonly string[],
  typed: string,
  allowsOwn: boolean,
): { shown: string[]; addable: string[] | undefined } {
  const wanted = typed.trim().toLowerCase();
  // What is chosen but no longer offered stays in the list, so that it can be unchecked where it was checked.
  const known = [...offered, ...chosen.filter((model) => !offered.includes(model))];
  const shown = wanted === "" ? known : known.filter((model) => model.toLowerCase().includes(wanted));
  if (!allowsOwn) return { shown, addable: undefined };
  const own = typed
    .split(/[,\n]/)
    .map((name) => name.trim())
    .filter((name) => name !== "" && !known.includes(name));
  return { shown, addable: own.length === 0 ? undefined : [...new Set(own)] };
}
