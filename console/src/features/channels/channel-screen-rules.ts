/** Pure functions of the channel pages. */
import type { Channel } from "@tollgate/contract/catalogue/channels.ts";
import { formatDollars, missing } from "../../ui/format.ts";

/**
 * `computeChannelCount` says how many channels the form creates: one for each line of the key,
 * unless they are keys of one channel.
 */
export function computeChannelCount({
  key,
  multi_key,
}: {
  key: string;
  multi_key: boolean;
}): number {
  // A JSON document is one key, whatever its lines.
  if (multi_key || key.trim().startsWith("{")) return 1;
  return Math.max(1, key.split("\n").filter((line) => line.trim() !== "").length);
}

const defaultGroup = "default";

/** A channel is always in a group: removing the last one adds the default group. */
export function addGroupToggled(groups: readonly string[], group: string): string[] {
  const next = groups.includes(group)
    ? groups.filter((other) => other !== group)
    : [...groups, group];
  return next.length === 0 ? [defaultGroup] : next;
}

/** Splits a comma-separated list; an empty one means the default group. */
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

/** The value that servers send for a provider without a balance API. */
export const balanceUnsupported = -1;

/** The amount that the account has left, as text; undefined for a provider that does not say it. */
export function findBalance(
  channel: Pick<
    Channel,
    "balance" | "balance_supported" | "balance_updated_time" | "balance_currency"
  >,
): string | undefined {
  if (channel.balance === balanceUnsupported || channel.balance_supported === false)
    return undefined;
  return channel.balance_updated_time === 0 ? missing : formatBalance(channel, channel.balance);
}

/** Formats a balance in the provider's currency. */
export function formatBalance(
  { balance_currency }: { balance_currency?: string },
  amount: number,
): string {
  const dollars = formatDollars(amount);
  return balance_currency === "CNY" ? dollars.replace("$", "¥") : dollars;
}

export function buildLatencyTone(ms: number): "good" | "warn" | "bad" {
  return ms < 1_000 ? "good" : ms < 3_000 ? "warn" : "bad";
}

/**
 * Spaces and trailing slashes do not count: console and gateway must agree on whether the URL
 * changed.
 */
export function normalizeBaseUrl(address: string | null | undefined): string {
  return (address ?? "").trim().replace(/\/+$/, "");
}
