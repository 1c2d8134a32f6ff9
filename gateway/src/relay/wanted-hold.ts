/** How much a call holds before its first attempt, and the limit that its body gets for less. */

import { channelTypeIds } from "@tollgate/contract/catalogue/channel-types.ts";
import { findLargestThatFits } from "../money/holds/hold-reach.ts";
import type { CallFormats } from "./formats/api-format.ts";
import type { AskedModel, AskedSize, SentBody } from "./formats/call-parts.ts";
import {
  buildOutputHold,
  computeUnseenInputTokens,
  findMediaOutput,
  holdAmount,
  type OutputHold,
} from "./formats/hold-size/token-estimate.ts";
import { buildExtrasInPriceUnit } from "./formats/usage/media-usage.ts";
import type { HoldSettings } from "./relay-settings.ts";
import type { ChannelCandidate, ChannelChoice } from "./routing/choose-channels.ts";
import { parseObject } from "./wire/json-parts.ts";

/** `WantedHold` is what a call needs to start, whichever of its candidates answers. */
export interface WantedHold {
  /** Units for the whole answer, at the dearest candidate. */
  amount: number;
  /** The least that the call starts with; smaller only where the request states no limit. */
  least: number;
  /** Completion tokens of one answer that this many units cover at every candidate. */
  outputLimit(units: number): number;
}

export function readWantedHold(
  call: AskedSize & SentBody,
  { candidates }: Pick<ChannelChoice, "candidates">,
  settings: HoldSettings,
  contextTokens: readonly number[] = [],
): WantedHold {
  const unread = computeUnread(call, settings, contextTokens);
  const holds = candidates.map((candidate) => buildCandidateHold(call, candidate, unread));
  let amount = 0;
  let least = 0;
  for (const { output, units } of holds) {
    const wanted = units(output.wanted);
    amount = Math.max(amount, wanted);
    least = Math.max(least, output.least === output.wanted ? wanted : units(output.least));
  }
  return {
    amount,
    least,
    outputLimit(held) {
      const tokens = holds.map(({ units, output }) =>
        findLargestThatFits(output.wanted, (n) => units(n) <= held),
      );
      return Math.floor(Math.min(...tokens) / call.choiceCount);
    },
  };
}

/** Tokens that the provider reads and the estimate does not see. */
const computeUnread = (
  { unseen = {} }: SentBody,
  settings: HoldSettings,
  contextTokens: readonly number[] = [],
): number => settings.addedHoldTokens() + computeUnseenInputTokens(unseen, contextTokens);

/**
 * `computeCandidateUnits` is what the call may come to on the channel of a candidate, its whole answer
 * included: what the operator pays, without any ratio of a group, and where that is unknown what is
 * charged.
 */
export function computeCandidateUnits(
  call: AskedSize & SentBody,
  candidate: ChannelCandidate,
  settings: HoldSettings,
  contextTokens?: readonly number[],
): number {
  const { price, frozen } = candidate.cost;
  const { buying } = price;
  const paid = buying && {
    ...candidate.cost,
    price: { ...price, ...buying },
    frozen: { ...frozen, group_ratio: 1 },
  };
  const at = paid ? { ...candidate, cost: paid } : candidate;
  const { output, units } = buildCandidateHold(
    call,
    at,
    computeUnread(call, settings, contextTokens),
  );
  return units(output.wanted);
}

interface CandidateHold {
  output: OutputHold;
  /** Units to hold for this many completion tokens. */
  units(outputTokens: number): number;
}

/** Other servers than Anthropic's may take a limit of 0 for none. */
const fillsCacheAlone = ({ writesNothing }: AskedSize, { channel }: ChannelCandidate): boolean =>
  writesNothing === true &&
  channel.type === channelTypeIds.anthropic &&
  !channel.mayReportFalseUsage;

function buildCandidateHold(
  call: AskedSize & SentBody,
  candidate: ChannelCandidate,
  unread: number,
): CandidateHold {
  const { price, frozen } = candidate.cost;
  const extras = {
    ...price.heldBeside,
    ...(call.extras && buildExtrasInPriceUnit(call.extras, price.rates)),
  };
  const media = findMediaOutput(price.rates, call);
  return {
    output: fillsCacheAlone(call, candidate)
      ? { wanted: 0, least: 0 }
      : buildOutputHold(call.maxOutputTokens, price.max_tokens, call.choiceCount),
    units: (tokens) =>
      holdAmount(price, call.promptEstimate, unread, tokens, frozen.group_ratio, extras, media),
  };
}

/**
 * The balance covers less than the largest output, so the provider must not write more: the limit
 * joins the client's body.
 */
export function addOutputLimit<Call extends AskedModel & AskedSize & SentBody & CallFormats>(
  call: Call,
  maxOutputTokens: number,
  { routed }: ChannelChoice,
): Call {
  if (!call.client.writeOutputLimit) return call;
  const limited = { ...call, maxOutputTokens };
  // Models differ in the member that they read, and the target is not known yet.
  return routed
    ? { ...limited, limitToWrite: maxOutputTokens }
    : addWrittenLimit(limited, call.model, maxOutputTokens);
}

export function addWrittenLimit<Call extends SentBody & CallFormats>(
  call: Call,
  model: string,
  tokens: number,
): Call {
  const { client, body } = call;
  const json = parseObject(body.toString("utf8"));
  return { ...call, body: client.writeOutputLimit?.(body, json, model, tokens) ?? body };
}
