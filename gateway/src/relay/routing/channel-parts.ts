/** The parts of a channel (`RelayChannel`), so that a function can ask for those that it reads. */
import type { ProxyAddress } from "../../egress/proxy-address.ts";
import type { ModelConfig } from "../../money/prices/price-book.ts";
import type { EndpointUrls } from "../providers/endpoint-urls.ts";
import type { ProviderAdapter, ProviderSettings } from "../providers/provider.ts";

/** `ChannelIdentity` names a channel in rows, refusals and metrics. */
export interface ChannelIdentity {
  id: number;
  uuid: string;
  name: string;
  type: number;
}

/** `ChannelStanding` says whether a channel takes calls, and before which others. */
export interface ChannelStanding {
  status: number;
  disabledReason: string;
  priority: number;
  weight: number;
  /** Calls of one API key in three minutes, 0 for no limit. */
  ratelimit: number;
  keys: readonly RelayChannelKey[];
}

export interface RelayChannelKey {
  /** 0 for the only key of a channel, otherwise from 1. */
  index: number;
  key: string;
  hint: string;
  /** `status` is one of `channelStatus`. */
  status: number;
}

/** `ServedModels` are the models of a channel, under the names of clients and of its provider. */
export interface ServedModels {
  /** Names, without patterns. */
  models: ReadonlySet<string>;
  /**
   * `gpt-*`: it takes calls for every name that begins so, after the channels that list the name.
   */
  modelPatterns: readonly string[];
  /** Known names for which the patterns stand, for lists. */
  coveredModels: readonly string[];
  hiddenModels: ReadonlySet<string>;
  modelMapping: ReadonlyMap<string, string>;
  /**
   * The endpoints that serve a model. Missing where the type does not offer the endpoint or its
   * address is no URL.
   */
  urlsFor(model: string): EndpointUrls;
}

/** `ChannelAccess` is how a call reaches the account of a channel. */
export interface ChannelAccess {
  provider: ProviderAdapter;
  settings: ProviderSettings;
  /** Its own outbound proxy. */
  proxy: ProxyAddress | undefined;
  systemPrompt: string | null;
  /** The key of the current attempt; before an attempt, the first enabled one. */
  key: string;
  /** The index of `key` in `keys`. */
  keyIndex: number;
}

/** `ChannelPricing` is what the calls of a channel cost, and whether its counts are believed. */
export interface ChannelPricing {
  configs: ReadonlyMap<string, ModelConfig>;
  /** Its usage is compared with what the gateway saw. */
  mayReportFalseUsage: boolean;
}
