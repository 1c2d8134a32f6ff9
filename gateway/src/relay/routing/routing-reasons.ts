/**
 * Reasons for which routing chose or excluded a channel, as data. `describeReason` words it for
 * traces.
 */
import { channelEndpoints } from "@tollgate/contract/catalogue/channel-endpoints.ts";
import { suspendedReason } from "@tollgate/contract/figures/traces.ts";
import type { ApiEndpoint } from "../formats/api-format.ts";
import { formatGroupsText } from "./channel-groups.ts";

/** `failure` is what opened the breaker: `status 503`, or `no answer`. */
export type SelectionReason =
  | { reason: "pinned" }
  | { reason: "priority"; priority: number; isPreferred: boolean }
  | { reason: "half_open"; priority: number; failure: string }
  | { reason: "on_trial"; failure: string }
  | { reason: "last_resort"; failure: string; leftMs: number }
  /** Its provider said in an answer that nothing is left of its rate limit. */
  | { reason: "told_limit"; unit: "requests" | "tokens"; leftMs: number };

export type ExclusionReason =
  | { reason: "auto_disabled"; cause: string }
  | { reason: "disabled" }
  | { reason: "no_enabled_key" }
  | { reason: "wrong_group"; groups: readonly string[] }
  | { reason: "model_hidden" }
  | { reason: "endpoint_not_served"; endpoint: ApiEndpoint }
  /** The call refers to something that only another provider stores. */
  | { reason: "reference_unknown" }
  /** The call has a member that changes the price in a way that this channel cannot charge. */
  | { reason: "member_refused"; member: string }
  /** The provider would get none of the tools of the call. */
  | { reason: "tools_lost" }
  /** The channel that issued the ids in the call is another one. */
  | { reason: "state_elsewhere" }
  /**
   * `waitMs` is missing for a channel whose limit other calls reached while this one was being
   * routed.
   */
  | { reason: "limit_reached"; waitMs?: number }
  | { reason: "budget_full" }
  /**
   * The rest of the channel's own budget does not cover the call; `until` is when its next window
   * begins, null for never.
   */
  | { reason: "channel_budget_full"; until: number | null }
  | { reason: "suspended"; failure: string; leftMs: number }
  | { reason: "attempts_used_up" };

export function describeReason(why: SelectionReason | ExclusionReason): string {
  switch (why.reason) {
    case "pinned":
      return "pinned by the key";
    case "priority":
      return why.isPreferred
        ? `priority ${why.priority}, answered this conversation last`
        : `priority ${why.priority}`;
    case "half_open":
      return `priority ${why.priority}, tried again after ${why.failure}`;
    case "on_trial":
      return `last resort: another call tries it after ${why.failure}`;
    case "last_resort":
      return `last resort: ${suspended(why)}`;
    case "told_limit":
      return `last resort: its provider has no ${why.unit} left, ${computeSeconds(why.leftMs)} s to go`;
    case "auto_disabled":
      return `disabled automatically: ${why.cause || "no reason recorded"}`;
    case "disabled":
      return "disabled";
    case "no_enabled_key":
      return "every key of it is disabled";
    case "wrong_group":
      return `not for the ${formatGroupsText(why.groups)}`;
    case "model_hidden":
      return "the model is hidden on this channel";
    case "endpoint_not_served":
      return `its type does not serve ${nameEndpoint(why.endpoint)}`;
    case "reference_unknown":
      return "it cannot know what the call refers to";
    case "member_refused":
      return `${why.member} has no price here`;
    case "tools_lost":
      return "none of the tools of the call would reach it";
    case "state_elsewhere":
      return "another channel keeps what the call names";
    case "limit_reached": {
      const message = "the API key has reached the rate limit of this channel";
      return why.waitMs === undefined
        ? message
        : `${message}, ${computeSeconds(why.waitMs)} s left`;
    }
    case "budget_full":
      return "the budget of the model does not cover the call";
    case "channel_budget_full":
      return "the budget of the channel does not cover the call";
    case "suspended":
      return suspended(why);
    case "attempts_used_up":
      return "beyond the number of tries";
  }
}

const suspended = ({ failure, leftMs }: { failure: string; leftMs: number }): string =>
  `${suspendedReason}${failure}, ${computeSeconds(leftMs)} s left`;

export const computeSeconds = (ms: number): number => Math.ceil(ms / 1000);

/** `nameEndpoint` names it as clients know it. */
export const nameEndpoint = (endpoint: ApiEndpoint): string =>
  (channelEndpoints.find(({ name }) => name === endpoint)?.description ?? endpoint).toLowerCase();
