/** The groups of a key and those of a channel. Pure. */

export interface GroupedChannel {
  groups: ReadonlySet<string>;
}

/**
 * The first of a key's groups that may use the channel: in its name the channel is tried, and at
 * its ratio the call is charged.
 */
export function groupServing(
  { groups }: GroupedChannel,
  groupsOfKey: readonly string[],
): string | undefined {
  for (const group of groupsOfKey) if (groups.has(group)) return group;
  return undefined;
}

/** The channels of the key's first group first, each under the first group that it has. */
export function orderByGroup<Channel extends GroupedChannel>(
  channels: readonly Channel[],
  groups: readonly string[],
  order: (channels: readonly Channel[]) => Channel[],
): Channel[] {
  if (groups.length === 1) return order(channels);
  const ofGroup = Map.groupBy(channels, (channel) => groupServing(channel, groups));
  return groups.flatMap((group) => order(ofGroup.get(group) ?? []));
}

/** `formatGroupsText` is for refusals and reasons: `group a`, `groups a, b`. */
export const formatGroupsText = (groups: readonly string[]): string =>
  `${groups.length === 1 ? "group" : "groups"} ${groups.join(", ")}`;

/** The reason of a channel with the group in whose name it is tried, where the key names groups. */
export const readReasonWithGroup = (group: string | undefined, reason: string): string =>
  group === undefined ? reason : `group ${group}: ${reason}`;
