/**
 * The settings that a relayed call reads, each at the moment it is needed: a change is in force for
 * the next call.
 */
import type { Config } from "../config/config.ts";
import { composeSiteAddress } from "../http/base-path.ts";
import { parseStatusRanges } from "../http/status-ranges.ts";
import type { OptionReader } from "../settings/live-options.ts";
import type { RetryStatuses } from "./upstream/upstream-error.ts";

export type RelaySettings = ReturnType<typeof relaySettings>;

// The parts of them that rooms name as what they need.
export type KeySettings = Pick<RelaySettings, "keyPrefix">;
/** `GroupRatioSettings` say whose ratio a call costs. */
export type GroupRatioSettings = Pick<RelaySettings, "groupRatios" | "chargesByChannel">;
/** `RoutingSettings` are what the question to routing depends on besides the call. */
export type RoutingSettings = GroupRatioSettings &
  Pick<RelaySettings, "holdsAnswers" | "retryTimes">;
export type RetrySettings = Pick<
  RelaySettings,
  "retryTimes" | "retryStatuses" | "sendsLostCallsAgain"
>;
/** `HoldSettings` say what is added to an estimate. */
export type HoldSettings = Pick<RelaySettings, "addedHoldTokens">;
export type EstimateSettings = Pick<RelaySettings, "isEstimateRough">;
export type TokenCountSettings = Pick<RelaySettings, "tokenCountsPerMinute">;
export type LogSettings = Pick<RelaySettings, "logsContent">;

export const relaySettings = (
  { tokenKeyPrefix, publicUrl }: Pick<Config, "tokenKeyPrefix" | "publicUrl">,
  options: OptionReader,
) => ({
  keyPrefix: tokenKeyPrefix,
  /** `siteAddress` is where clients reach the gateway, if its operator says so. */
  siteAddress: composeSiteAddress(publicUrl),
  groupRatios: (): Readonly<Record<string, number>> => options.numbers("GroupRatio"),
  /**
   * `chargesByChannel` says whether a call costs the lowest ratio among the channel's groups
   * instead of the ratio of the user's group.
   */
  chargesByChannel: () => options.flag("ChannelGroupRatioEnabled"),
  /** Further channels to try after the first. */
  retryTimes: () => options.number("RetryTimes"),
  /** The operator's own statuses, beside what failures of providers usually mean. */
  retryStatuses: (): RetryStatuses => ({
    retried: parseStatusRanges(options.text("RetryStatuses")) ?? [],
    final: parseStatusRanges(options.text("NoRetryStatuses")) ?? [],
  }),
  /**
   * `sendsLostCallsAgain` says whether a call whose answer is lost is sent once more: the provider
   * may bill it twice.
   */
  sendsLostCallsAgain: () => options.flag("RetryLostAnswerEnabled"),
  /**
   * `isEstimateRough` says whether output without reported usage is estimated from its bytes
   * instead of counted by the tokenizer.
   */
  isEstimateRough: () => options.flag("ApproximateTokenEnabled"),
  /**
   * `holdsAnswers` says whether the gateway stores responses of channels that store none
   * themselves.
   */
  holdsAnswers: () => options.flag("ResponseStoreEnabled"),
  /** Prompt tokens that every hold adds to the estimate. */
  addedHoldTokens: () => options.number("PreConsumedQuota"),
  /** Token counts of one user per minute; 0 is no limit. */
  tokenCountsPerMinute: () => options.number("TokenCountsPerMinute"),
  /** If false, a log row records what a call cost and not what happened. */
  logsContent: () => options.flag("LogConsumeEnabled"),
  /** The share of its first charge that an answer from the response cache costs. */
  cacheHitRatio: () => options.number("CacheHitRatio"),
  agentSettings: () => options.text("AgentSettings"),
  passesAgentTelemetry: () => options.flag("AgentTelemetryEnabled"),
  isShownInCurrency: () => options.flag("DisplayInCurrencyEnabled"),
  /**
   * `showsKeyBalance` says whether billing endpoints report the balance of the API key or of its
   * owner.
   */
  showsKeyBalance: () => options.flag("DisplayTokenStatEnabled"),
});
