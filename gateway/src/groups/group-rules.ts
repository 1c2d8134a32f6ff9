/** The groups of accounts and channels: the keys of the setting `GroupRatio`. */
import { refuse } from "../http/refusal.ts";
import type { OptionReader } from "../settings/live-options.ts";

export const groupNames = (options: OptionReader): string[] => Object.keys(options.numbers("GroupRatio")).sort();

/** The groups that forms offer: all, or those that an administrator selected. */
export function offeredGroups(options: OptionReader): string[] {
  const named = options.text("AvailableGroups").split(",").filter(Boolean);
  return named.length === 0 ? groupNames(options) : named.sort();
}

/** A group without a ratio would have no price. */
export function checkGroup(options: OptionReader, group: string): void {
  const names = groupNames(options);
  if (names.includes(group)) return;
  const message = `group must be one of ${names.join(", ")}`;
  throw refuse("invalid_request", { message, fields: { group: message } });
}
