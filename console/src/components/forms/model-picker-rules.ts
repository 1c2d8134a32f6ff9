/** The models to list for the typed text, and the typed names that can be added. */
export function listOfferedModels(
  offered: readonly string[],
  chosen: readonly string[],
  typed: string,
  allowsCustom: boolean,
): { shown: string[]; addable: string[] | undefined } {
  const searched = typed.trim().toLowerCase();
  // A chosen model that is no longer offered stays in the list, so that it can be unchecked.
  const known = [...offered, ...chosen.filter((model) => !offered.includes(model))];
  const shown =
    searched === "" ? known : known.filter((model) => model.toLowerCase().includes(searched));
  if (!allowsCustom) return { shown, addable: undefined };
  const custom = typed
    .split(/[,\n]/)
    .map((name) => name.trim())
    .filter((name) => name !== "" && !known.includes(name));
  return { shown, addable: custom.length === 0 ? undefined : [...new Set(custom)] };
}
