/** Channels: each is one account at a provider. Provider keys are write-only. */
import * as z from "zod/mini";
import { byExternalId, externalIdFilter } from "../accounts/external-ids.ts";
import { endpoint } from "../api/endpoint.ts";
import { byId } from "../api/ids.ts";
import { listExtras, pageFields, sortFields } from "../api/page.ts";
import { channelTag, line, queryInteger, unixMillis } from "../api/scalars.ts";
import { recentCalls, recentFilter } from "../figures/recent-calls.ts";
import { channelBreaker, channelKey, channelUsageMark } from "./channel-health.ts";
import {
  channelByExternalId,
  channelChange,
  channelInput,
  channelStatusChange,
} from "./channel-input.ts";

export const channelStatus = { unknown: 0, enabled: 1, disabled: 2, autoDisabled: 3 } as const;

export const channel = z.object({
  id: z.int(),
  uuid: z.string(),
  name: z.string(),
  type: z.int(),
  /** Always empty: the stored key never leaves the server. */
  key: z.literal(""),
  /** The last four characters of the stored key, or empty. */
  key_hint: z.string(),
  /**
   * The address of its own outbound proxy without user name and password; empty for the proxy of
   * the settings.
   */
  proxy_hint: z.string(),
  /** Empty for a channel with one key. */
  keys: z.array(channelKey),
  /** Models for which the channel failed recently. */
  breaker: z.array(channelBreaker),
  usage_marks: z.array(channelUsageMark),
  /** 1 enabled, 2 disabled manually, 3 disabled automatically. */
  status: z.int(),
  disabled_reason: z.string(),
  base_url: z.string(),
  /**
   * `address_issue` says why the gateway refuses to call the address, for administrators; empty
   * when it does not. Names are checked when resolved.
   */
  address_issue: z.string(),
  other: z.string(),
  models: z.string(),
  hidden_models: z.nullable(z.string()),
  model_mapping: z.nullable(z.string()),
  model_configs: z.nullable(z.string()),
  model_ratio: z.null(),
  completion_ratio: z.null(),
  system_prompt: z.nullable(z.string()),
  inference_profile_arn_map: z.nullable(z.string()),
  testing_model: z.nullable(z.string()),
  group: z.string(),
  /** JSON text without its secret members. */
  config: z.string(),
  priority: z.int(),
  weight: z.int(),
  ratelimit: z.int(),
  /** `tag` goes by which administrators group channels; empty for none. */
  tag: z.string(),
  used_quota: z.int(),
  /** `balance` is in `balance_currency`; 0 where the type has no balance API. */
  balance: z.number(),
  /** False where the type has no balance API. Compatible servers send a balance of -1 instead. */
  balance_supported: z.boolean(),
  /** `USD` or `CNY`: the provider's currency. */
  balance_currency: z.string(),
  balance_updated_time: z.int(),
  /** Milliseconds of the last test; 0 after a failed one. */
  response_time: z.int(),
  test_time: z.int(),
  /** The models that a test may use. */
  test_models: z.array(z.string()),
  tooling: z.string(),
  /** The name that a program gave it; empty for none. */
  external_id: z.string(),
  /**
   * The configuration file that it belongs to; empty for a channel that was made in the console.
   */
  managed_by: z.string(),
  created_time: z.int(),
  created_at: unixMillis,
  updated_at: unixMillis,
  recent: recentCalls,
});
export type Channel = z.output<typeof channel>;

export const channelSorts = [
  "id",
  "name",
  "type",
  "status",
  "group",
  "response_time",
  "test_time",
  "priority",
  "weight",
  "tag",
  "used_quota",
  "balance",
  "balance_updated_time",
  "created_at",
  "created_time",
  "updated_at",
] as const;
/**
 * `channelStates` are what lists narrow by: the status as people see it, and what was last seen of
 * enabled channels. What a node knows alone, such as a suspension, is none of them.
 */
export const channelStates = [
  "active",
  "paused",
  "disabled",
  "auto_disabled",
  "test_failed",
  "never_tested",
  "no_models",
] as const;
export type ChannelStateFilter = (typeof channelStates)[number];

export const channelQuery = z.object({
  ...pageFields,
  ...sortFields(channelSorts),
  status: z.optional(queryInteger(0, 3)),
  state: z.optional(z.enum(channelStates)),
  type: z.optional(queryInteger(1, 1000)),
  /** Channels that serve this group, alone or among others. */
  group: z.optional(line(64)),
  /** Exactly this tag. */
  tag: z.optional(channelTag),
  ...externalIdFilter,
  ...recentFilter,
});

export const listChannels = endpoint("GET", "/api/channel/", {
  access: "admin",
  scope: "channels:read",
  summary: "All channels",
  query: channelQuery,
  data: z.array(channel),
  extras: listExtras,
});

export const searchChannels = endpoint("GET", "/api/channel/search", {
  access: "admin",
  scope: "channels:read",
  summary: "Channels by a part of their name, tag, base URL or key hint, by uuid, or by id as #7",
  query: z.extend(channelQuery, { keyword: z.optional(z.string().check(z.maxLength(100))) }),
  data: z.array(channel),
  extras: listExtras,
});

export const getChannel = endpoint("GET", "/api/channel/:id", {
  access: "admin",
  scope: "channels:read",
  summary: "One channel",
  params: byId,
  data: channel,
});

/**
 * `testedBefore` is what `POST /api/channel/check` found for a single channel: it counts as its
 * first test, and disables nothing.
 */
const testedBefore = z.object({
  ok: z.boolean(),
  message: z.string().check(z.maxLength(200)),
  model: z.string().check(z.maxLength(200)),
  elapsed_ms: z.int().check(z.minimum(0), z.maximum(600_000)),
});

export const createChannel = endpoint("POST", "/api/channel/", {
  access: "admin",
  scope: "channels:write",
  summary: "Create a channel for each line of the key",
  body: z.safeExtend(channelInput, { tested: z.optional(testedBefore) }),
  data: z.array(channel),
});

export const updateChannel = endpoint("PUT", "/api/channel/", {
  access: "admin",
  scope: "channels:write",
  summary: "Change a channel; missing members keep their values",
  body: channelChange,
  data: channel,
});

export const updateChannelStatus = endpoint("PUT", "/api/channel/", {
  access: "admin",
  scope: "channels:write",
  summary: "Enable or disable a channel",
  variant: "status_only",
  query: z.object({
    status_only: z.union([z.number(), z.boolean(), z.string().check(z.maxLength(16))]),
  }),
  body: channelStatusChange,
  data: channel,
});

export const putChannel = endpoint("PUT", "/api/channel/by-external/:external_id", {
  access: "admin",
  scope: "channels:write",
  summary: "Create the channel of this external_id, or change it; a repetition changes nothing",
  params: byExternalId,
  body: channelByExternalId,
  data: channel,
});

export const deleteChannel = endpoint("DELETE", "/api/channel/:id", {
  access: "admin",
  scope: "channels:write",
  summary: "Delete a channel",
  params: byId,
});

const test = {
  access: "admin",
  scope: "channels:write",
  summary: "Send a small question through one channel",
  params: byId,
  query: z.object({ model: z.optional(z.string().check(z.maxLength(200))) }),
  /** `time` is in seconds, 0 after a failure; `message` of the envelope is the model's answer. */
  extras: z.object({ time: z.number(), modelName: z.string() }),
  timeoutMs: 120_000,
} as const;
export const testChannelByGet = endpoint("GET", "/api/channel/test/:id", {
  ...test,
  proof: "same-origin",
});
export const testChannel = endpoint("POST", "/api/channel/test/:id", test);

const ofType = z.object({ type: queryInteger(1, 1000) });

export const getChannelMetadata = endpoint("GET", "/api/channel/metadata", {
  access: "admin",
  scope: "channels:read",
  summary: "The defaults of a channel type",
  query: ofType,
  data: z.object({
    default_base_url: z.string(),
    base_url_editable: z.boolean(),
    default_endpoints: z.array(z.string()),
    all_endpoints: z.array(
      z.object({ id: z.int(), name: z.string(), description: z.string(), path: z.string() }),
    ),
  }),
});

/** Each member is a JSON document as text, as compatible servers send it. */
export const defaultPricing = z.object({
  model_ratio: z.string(),
  completion_ratio: z.string(),
  model_configs: z.string(),
  tooling: z.string(),
});
export const getDefaultPricing = endpoint("GET", "/api/channel/default-pricing", {
  access: "admin",
  scope: "channels:read",
  summary: "The built-in prices of a channel type",
  query: ofType,
  data: defaultPricing,
});

export const listChannelTags = endpoint("GET", "/api/channel/tags", {
  access: "admin",
  scope: "channels:read",
  summary:
    "The tags of channels, with the number of channels that have each and of those that are enabled",
  data: z.array(z.object({ tag: z.string(), channels: z.int(), enabled: z.int() })),
});

/** `listChannelModels` are the same as one list, as one-api's channel form reads it. */
export const listChannelModels = endpoint("GET", "/api/channel/models", {
  access: "admin",
  scope: "channels:read",
  summary: "Known models of all channel types",
  data: z.array(z.object({ id: z.string(), object: z.literal("model"), owned_by: z.string() })),
});

export const listModelsByType = endpoint("GET", "/api/models", {
  access: "admin",
  scope: "models:read",
  summary: "Known model names by channel type",
  data: z.record(z.string(), z.array(z.string())),
});
