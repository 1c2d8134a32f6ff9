/** The groups that accounts and channels belong to: the keys of the option `GroupRatio`. */
import { refuse } from "../http/refusal.ts";
import type { Options } from "../settings/options.ts";

export const groupNames = (options: Options): string[] => Object.keys(options.numbers("GroupRatio")).sort();

/** What forms offer: all of them, or those that the operator names. */
export function offeredGroups(options: Options): string[] {
  const named = options.text("AvailableGroups").split(",").filter(Boolean);
  return named.length === 0 ? groupNames(options) : named.sort();
}

/** A group without a ratio would have no price. */
export function checkGroup(options: Options, group: string): void {
  const names = groupNames(options);
  if (names.includes(group)) return;
  const message = `group must be one of ${names.join(", ")}`;
  throw refuse("invalid_request", { message, fields: { group: message } });
}
