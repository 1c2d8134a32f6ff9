/** The groups of accounts and channels: the keys of the setting `GroupRatio`. */
import { refuse } from "../http/refusal.ts";
import type { OptionReader } from "./live-options.ts";

export const groupNames = (options: OptionReader): string[] =>
  Object.keys(options.numbers("GroupRatio")).sort();

/** The groups that forms offer: all, or those that an administrator selected. */
export function listOfferedGroups(options: OptionReader): string[] {
  const named = options.text("AvailableGroups").split(",").filter(Boolean);
  return named.length === 0 ? groupNames(options) : named.sort();
}

/**
 * The groups that every user may choose for API keys, besides their own. One without a ratio would
 * have no price.
 */
export const listSelectableGroups = (options: OptionReader): string[] =>
  options
    .text("SelectableGroups")
    .split(",")
    .filter((group) => Object.hasOwn(options.numbers("GroupRatio"), group));

/**
 * `openGroups` gives those of the groups that an API key names, in its order, that its owner may
 * use now; `own` is the owner's group.
 */
export function openGroups(options: OptionReader, own: string, named: readonly string[]): string[] {
  const selectable = listSelectableGroups(options);
  return named.filter((group) => group === own || selectable.includes(group));
}

/**
 * Refuses groups that the owner of a key may not use; those that the key has already stay, and are
 * passed over.
 */
export function checkKeyGroups(
  options: OptionReader,
  own: string,
  wanted: string,
  stored = "",
): void {
  if (wanted === "" || wanted === stored) return;
  const named = wanted.split(",");
  const open = openGroups(options, own, named);
  const closed = named.find((group) => !open.includes(group));
  if (closed === undefined) return;
  const offered = [...new Set([own, ...listSelectableGroups(options)])].join(", ");
  const message = `A token may use the groups ${offered}, and not ${closed}`;
  throw refuse("invalid_request", { message, fields: { groups: message } });
}

/** A group without a ratio would have no price. */
export const checkGroup = (options: OptionReader, group: string): void =>
  checkGroupAmong(groupNames(options), group);

export function checkGroupAmong(names: readonly string[], group: string): void {
  if (names.includes(group)) return;
  const message = `group must be one of ${names.join(", ")}`;
  throw refuse("invalid_request", { message, fields: { group: message } });
}
