/** The name that a new channel is proposed with. Pure. */
import { channelTypeIds, findChannelType } from "@tollgate/contract/catalogue/channel-types.ts";

/** `hostedTypes` say nothing about who answers: their channels are named by the host. */
const hostedTypes: ReadonlySet<number> = new Set([
  channelTypeIds.compatible,
  channelTypeIds.custom,
]);

export function nameAccount({ type, base_url }: { type: number; base_url: string }): string {
  const host = URL.canParse(base_url) ? new URL(base_url).host.replace(/^(?:api|www)\./, "") : "";
  return (hostedTypes.has(type) && host) || findChannelType(type)?.name || host;
}

/**
 * `proposeName` adds the first number that no other channel has, for names that are compared
 * without regard to case.
 */
export function proposeName(name: string, taken: readonly string[]): string {
  const used = new Set(taken.map((one) => one.trim().toLowerCase()));
  if (!used.has(name.toLowerCase())) return name;
  let number = 2;
  while (used.has(`${name} ${number}`.toLowerCase())) number += 1;
  return `${name} ${number}`;
}
