/** Rows of channels, their keys and the background jobs on them. */
import type { Generated } from "kysely";
import type { Millis, QuotaUnits } from "./column-types.ts";

export interface ChannelsTable {
  id: Generated<number>;
  uuid: string;
  name: string;
  type: number;
  /** 1 enabled, 2 disabled by hand, 3 disabled automatically. */
  status: number;
  /**
   * The provider key, sealed; another destination (contract/src/accounts/key-destination.ts)
   * requires it again.
   */
  key_sealed: string;
  /**
   * The values of `custom_headers` in `config`, sealed as JSON by lower-case name; empty without
   * any.
   */
  headers_sealed: string;
  /** Last four characters of the key. */
  key_hint: string;
  /** Its own outbound proxy, sealed with its password; empty for that of the settings. */
  proxy_sealed: string;
  /** The address of that proxy without user name and password. */
  proxy_hint: string;
  base_url: string;
  other: string;
  models: string;
  hidden_models: string | null;
  model_mapping: string | null;
  model_configs: string | null;
  system_prompt: string | null;
  inference_profile_arn_map: string | null;
  testing_model: string | null;
  group: string;
  config: string;
  priority: number;
  weight: number;
  ratelimit: number;
  /** `tag` goes by which administrators group channels; empty for none. */
  tag: string;
  used_quota: Generated<QuotaUnits>;
  /** Millionths of the provider's currency; null before the first balance call. */
  balance_micros: number | null;
  balance_updated_at: Millis;
  /** Milliseconds of the last test, 0 after a failed one. */
  response_time: number;
  tested_at: Millis;
  disabled_reason: string;
  external_id: string | null;
  /**
   * The configuration file that the channel belongs to; empty for one that was made in the console.
   */
  managed_by: string;
  created_at: Millis;
  updated_at: Millis;
}

/**
 * The state of one key of a channel with several keys. The keys themselves are the lines of
 * `key_sealed`.
 */
export interface ChannelKeyRow {
  channel_uuid: string;
  /** The number of the line, from 1. */
  place: number;
  /** Last four characters of the key. */
  hint: string;
  /** 1 enabled, 2 disabled by hand, 3 disabled automatically. */
  status: number;
  reason: string;
  /** `changed_at` is when the status changed; 0 for never. */
  changed_at: Millis;
}

/** The latest background job of a kind. */
export interface ChannelJobRow {
  kind: "test" | "balance";
  /** A time id. */
  id: number;
  state: "running" | "done" | "cancelled" | "interrupted";
  total: number;
  done: number;
  failed: number;
  /** A username; empty for a scheduled run. */
  started_by: string;
  started_at: Millis;
  ended_at: Millis | null;
  /** A running job counts as interrupted after this: its node is gone. */
  lease_until: Millis;
}

export interface ChannelJobResultRow {
  job_id: number;
  channel_id: number;
  channel_uuid: string;
  channel_name: string;
  outcome: "passed" | "failed" | "skipped";
  message: string;
}

export interface VirtualModelsTable {
  id: Generated<number>;
  uuid: string;
  name: string;
  enabled: 0 | 1;
  replaces_model: 0 | 1;
  /** JSON: what the router reads (`virtualModelRules`). */
  rules: string;
  /** `managed_by` is as of a channel. */
  managed_by: string;
  created_at: Millis;
  updated_at: Millis;
}

/**
 * `ModelFactRow` is what an administrator says of a model, by its provider's name, for all
 * channels.
 */
export interface ModelFactRow {
  model_name: string;
  /** The day as `2026-12-11`; empty: the model does not end. */
  ends_on: string;
  /** Empty for none. */
  replacement: string;
  updated_at: Millis;
}

/** `ToldModelEndsRow` is what the provider's list of models says to a channel of their ends. */
export interface ToldModelEndsRow {
  channel_uuid: string;
  /** JSON: by model, the day or an empty text, and the replacement. */
  ends: string;
  /** `due_at` is when the provider is asked again. */
  due_at: Millis;
}
