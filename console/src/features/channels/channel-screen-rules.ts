/** What the channel screens decide: pure. */
import { channelStatus } from "@tollgate/contract/channels.ts";
import { formatDollars } from "../../ui/format.ts";

export type ChannelStateName = "active" | "paused" | "disabled" | "autoDisabled";

/** A negative priority only reads as paused: such a channel still serves when nothing better is left. */
export function stateOf({ status, priority }: { status: number; priority: number | null }): ChannelStateName {
  if (status === channelStatus.disabled) return "disabled";
  if (status === channelStatus.autoDisabled) return "autoDisabled";
  return (priority ?? 0) < 0 ? "paused" : "active";
}

const defaultGroup = "default";

/** A channel is always in a group: taking the last one away puts it back into the default one. */
export function withGroupToggled(groups: readonly string[], group: string): string[] {
  const next = groups.includes(group) ? groups.filter((other) => other !== group) : [...groups, group];
  return next.length === 0 ? [defaultGroup] : next;
}

/** Comma list to names; nothing means the default group. */
export function groupNames(group: string | null | undefined): string[] {
  const names = splitNames(group);
  return names.length === 0 ? [defaultGroup] : names;
}

export function splitNames(names: string | null | undefined): string[] {
  return (names ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** What servers say in place of a balance that cannot be asked. */
export const balanceUnsupported = -1;

/** In the currency of the provider. */
export function formatBalance({ balance_currency }: { balance_currency?: string }, amount: number): string {
  const dollars = formatDollars(amount);
  return balance_currency === "CNY" ? dollars.replace("$", "¥") : dollars;
}

export function latencyTone(ms: number): "good" | "warn" | "bad" {
  return ms < 1_000 ? "good" : ms < 3_000 ? "warn" : "bad";
}

/** Spaces and trailing slashes say nothing, and both sides must agree on what is "changed". */
export function normalizeBaseUrl(address: string | null | undefined): string {
  return (address ?? "").trim().replace(/\/+$/, "");
}
