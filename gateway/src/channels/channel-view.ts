/** A channel as administrators see it: everything but its key. */
import type { Channel as Shown } from "@tollgate/contract/channels.ts";
import { balanceCall } from "./balance-calls.ts";
import type { Channel } from "./channel-store.ts";

const seconds = (ms: number) => Math.floor(ms / 1000);
const notSupported = -1;

/** Whole money; an overdrawn account is an empty one, since below 0 there is a word and not a number. */
export const shownBalance = (micros: number) => Math.max(0, micros) / 1_000_000;

export const viewChannel = (channel: Channel): Shown => ({
  id: channel.id,
  uuid: channel.uuid,
  name: channel.name,
  type: channel.type,
  key: "",
  key_hint: channel.key_hint,
  status: channel.status,
  disabled_reason: channel.disabled_reason,
  base_url: channel.base_url,
  other: channel.other,
  models: channel.models,
  hidden_models: channel.hidden_models,
  model_mapping: channel.model_mapping,
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
  used_quota: channel.used_quota,
  balance: balanceCall(channel.type) ? shownBalance(channel.balance_micros ?? 0) : notSupported,
  balance_currency: balanceCall(channel.type)?.currency ?? "USD",
  balance_updated_time: seconds(channel.balance_updated_at),
  response_time: channel.response_time,
  test_time: seconds(channel.tested_at),
  test_models: channel.models.split(",").filter(Boolean),
  tooling: "",
  created_time: seconds(channel.created_at),
  created_at: channel.created_at,
  updated_at: channel.updated_at,
});
