/** A channel as administrators see it: everything except its key. */

import type { Channel as Shown } from "@tollgate/contract/catalogue/channels.ts";
import { listNames, parseModelMapping } from "@tollgate/contract/catalogue/model-patterns.ts";
import { buildUnixSeconds } from "../../http/unix-seconds.ts";
import { findBalanceApi } from "./balance-apis.ts";
import { listKnownModels } from "./built-in-models.ts";
import type { ChannelKeyStore } from "./channel-key-store.ts";
import type { ChannelRow } from "./channel-store.ts";

/**
 * `showBalance` gives whole currency units. An overdrawn account shows 0: clients of the family
 * read -1 as "not supported".
 */
export const showBalance = (micros: number) => Math.max(0, micros) / 1_000_000;

/** Runtime state of channels on this node, provided by the relay. */
export interface ChannelRuntime {
  breakers(): readonly BreakerView[];
  /** `usageMarks` gives what providers reported that does not fit, by channel. */
  usageMarks(): readonly UsageMarkView[];
  /** Enabled keys in cooldown. */
  keyCooldowns(): readonly { channelId: number; keyIndex: number; until: number }[];
  /** `toldLimits` are rate limits of which providers said that nothing is left. */
  toldLimits(): readonly { channelId: number; model: string; unit: string; until: number }[];
  /** `addressIssue` says why outgoing requests to the address are refused, or undefined. */
  addressIssue(url: string): string | undefined;
}

interface UsageMarkView {
  channelId: number;
  mark: "usage_capped" | "usage_far" | "usage_unknown";
  calls: number;
  lastAt: number;
  members: readonly string[];
}

interface BreakerView {
  channelId: number;
  model: string;
  reason: string;
  since: number;
  openUntil: number;
  isOpen: boolean;
  isHard: boolean;
}

/** Shown per channel at most. */
const breakersMax = 20;

export interface ChannelViews {
  one(channel: ChannelRow): Promise<Shown>;
  many(channels: readonly ChannelRow[]): Promise<Shown[]>;
}

export function createChannelViews(
  keys: ChannelKeyStore,
  health: ChannelRuntime,
  now: () => number,
): ChannelViews {
  const secondsLeft = (until: number): number => Math.max(0, Math.ceil((until - now()) / 1000));

  async function many(channels: readonly ChannelRow[]): Promise<Shown[]> {
    const rows = Map.groupBy(
      await keys.ofChannels(channels.map(({ uuid }) => uuid)),
      (row) => row.channel_uuid,
    );
    const breakers = Map.groupBy(health.breakers(), ({ channelId }) => channelId);
    const usageMarks = Map.groupBy(health.usageMarks(), ({ channelId }) => channelId);
    const toldLimits = Map.groupBy(health.toldLimits(), ({ channelId }) => channelId);
    const cooldowns = Map.groupBy(health.keyCooldowns(), ({ channelId }) => channelId);
    return channels.map((channel) => ({
      ...viewChannel(channel),
      // Without an address of its own, the type or a region decides.
      address_issue: channel.base_url === "" ? "" : (health.addressIssue(channel.base_url) ?? ""),
      keys: (rows.get(channel.uuid) ?? []).map(({ place, hint, status, reason, changed_at }) => {
        const until =
          cooldowns.get(channel.id)?.find((cooldown) => cooldown.keyIndex === place)?.until ?? 0;
        return { place, hint, status, reason, changed_at, seconds_left: secondsLeft(until) };
      }),
      usage_marks: (usageMarks.get(channel.id) ?? []).map(({ mark, calls, lastAt, members }) => ({
        mark,
        calls,
        last_at: lastAt,
        members: [...members],
      })),
      breaker: [
        ...(breakers.get(channel.id) ?? []).map(({ model, reason, openUntil, isOpen, isHard }) => ({
          model,
          state: isHard
            ? ("limited" as const)
            : isOpen
              ? ("open" as const)
              : ("half_open" as const),
          reason,
          seconds_left: secondsLeft(openUntil),
        })),
        // It is tried last too, and this ends by itself as well.
        ...(toldLimits.get(channel.id) ?? []).map(({ model, unit, until }) => ({
          model,
          state: "open" as const,
          reason: `its provider has no ${unit} left`,
          seconds_left: secondsLeft(until),
        })),
      ].slice(0, breakersMax),
    }));
  }

  return {
    many,
    async one(channel) {
      const [view] = await many([channel]);
      if (!view) throw new TypeError("a view of one channel holds none");
      return view;
    },
  };
}

const viewChannel = (
  channel: ChannelRow,
): Omit<Shown, "keys" | "breaker" | "usage_marks" | "address_issue"> => ({
  id: channel.id,
  uuid: channel.uuid,
  name: channel.name,
  type: channel.type,
  key: "",
  key_hint: channel.key_hint,
  proxy_hint: channel.proxy_hint,
  status: channel.status,
  disabled_reason: channel.disabled_reason,
  base_url: channel.base_url,
  other: channel.other,
  models: channel.models,
  hidden_models: channel.hidden_models,
  // Forms of the family show null as the word.
  model_mapping: channel.model_mapping ?? "",
  model_configs: channel.model_configs,
  model_ratio: null,
  completion_ratio: null,
  system_prompt: channel.system_prompt,
  inference_profile_arn_map: channel.inference_profile_arn_map,
  testing_model: channel.testing_model,
  group: channel.group,
  config: channel.config,
  priority: channel.priority,
  weight: channel.weight,
  ratelimit: channel.ratelimit,
  tag: channel.tag,
  used_quota: channel.used_quota,
  balance: findBalanceApi(channel.type) ? showBalance(channel.balance_micros ?? 0) : 0,
  balance_supported: findBalanceApi(channel.type) !== undefined,
  balance_currency: findBalanceApi(channel.type)?.currency ?? "USD",
  balance_updated_time: buildUnixSeconds(channel.balance_updated_at),
  response_time: channel.response_time,
  test_time: buildUnixSeconds(channel.tested_at),
  test_models: listNames(
    channel.models.split(",").filter(Boolean),
    parseModelMapping(channel.model_mapping),
    () => listKnownModels(channel.type),
  ),
  tooling: "",
  external_id: channel.external_id ?? "",
  managed_by: channel.managed_by,
  created_time: buildUnixSeconds(channel.created_at),
  created_at: channel.created_at,
  updated_at: channel.updated_at,
});
