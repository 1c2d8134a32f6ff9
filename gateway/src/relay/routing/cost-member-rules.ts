/**
 * Rules of a channel for members that choose a model or change the price: a table by provider type.
 * A member is priced, refused by its name, or passed on where the operator set `pass_cost_members`.
 * Pure.
 */

import { channelTypeIds as ids } from "@tollgate/contract/catalogue/channel-types.ts";
import { freezePrice } from "../../money/prices/price.ts";
import {
  type FactorMember,
  type FactorSeller,
  factorMembers,
  findTerm,
  isDiscount,
  type PriceTerm,
  priceWithTerms,
  type ServedTerms,
} from "../../money/prices/price-factors.ts";
import {
  type CostMember,
  findCostMembers,
  formatTierName,
} from "../formats/hold-size/cost-members.ts";
import { type JsonRecord, record } from "../wire/json-parts.ts";
import type { ChannelPrice } from "./channel-table.ts";

/**
 * `sellerOfType` says whose factors price a channel type. A type that is missing prices none of the
 * members: its provider either bills by them in a way that no page states (OpenRouter, other
 * gateways), or does not know them.
 */
export const sellerOfType: Readonly<Record<number, FactorSeller>> = {
  [ids.openAi]: "openai",
  [ids.anthropic]: "anthropic",
  [ids.gemini]: "google",
  [ids.groq]: "groq",
};

/** `CostMemberChannel` is what the table needs to know of a channel. */
export interface CostMemberChannel {
  type: number;
  settings: { config: JsonRecord };
}

export const passesCostMembers = ({ settings }: CostMemberChannel): boolean =>
  settings.config.pass_cost_members === true;

/**
 * The first member that this channel neither prices nor passes on. `model` is the provider's name.
 */
export function refusedMember(
  members: readonly CostMember[],
  channel: CostMemberChannel,
  model: string,
): CostMember | undefined {
  if (passesCostMembers(channel)) return undefined;
  // The operator's own choice replaces the client's.
  const overrides = record(channel.settings.config.param_override);
  return members.find(
    (member) =>
      !Object.hasOwn(overrides, member.name) && !findMemberTerm(member, channel.type, model),
  );
}

const findMemberTerm = (
  { name, value = "" }: CostMember,
  type: number,
  model: string,
): PriceTerm | undefined => findTerm(sellerOfType[type], name, value, model);

/** The members of a call after the operator's `param_override`. */
export function membersSent(
  members: readonly CostMember[],
  { settings }: CostMemberChannel,
): readonly CostMember[] {
  const { param_override } = settings.config;
  // Nearly no channel has one, and every call asks for every candidate.
  if (!param_override) return members;
  const overrides = record(param_override);
  const own = findCostMembers(overrides)?.members ?? [];
  return [...members.filter(({ name }) => !Object.hasOwn(overrides, name)), ...own];
}

/** A candidate's listed price and the members that multiply it. */
export interface PriceTerms {
  listed: ChannelPrice;
  type: number;
  members: readonly CostMember[];
}

/** The price to hold for: as asked. A discount counts once the reply confirms it. */
export function buildHeldPrice({ listed, type, members }: PriceTerms): ChannelPrice {
  const terms = members.flatMap((member) => findMemberTerm(member, type, listed.model) ?? []);
  return addTerms(
    listed,
    terms.filter(({ factor }) => !isDiscount(factor)),
  );
}

/**
 * The price to charge: as served. What the reply does not say is charged as asked, except for a
 * discount. A served term without a known factor is charged at the listed price; `unpriced` names
 * it.
 */
export function buildChargedPrice(
  { listed, type, members }: PriceTerms,
  served: ServedTerms,
): { cost: ChannelPrice; unpriced: readonly string[] } {
  const terms: PriceTerm[] = [];
  const unpriced: string[] = [];
  for (const member of factorMembers) {
    const reported = served[member];
    const asked = members.find(({ name }) => name === member);
    const term = findMemberTerm(
      { name: member, value: reported === undefined ? asked?.value : formatTierName(reported) },
      type,
      listed.model,
    );
    if (term && (reported !== undefined || !isDiscount(term.factor))) terms.push(term);
    else if (reported !== undefined && isSurprising(member, reported))
      unpriced.push(`${member} ${reported}`);
  }
  return { cost: addTerms(listed, terms), unpriced };
}

/**
 * Words of replies for the listed price. OpenAI's scale tier is paid by a commitment, not by the
 * call.
 */
const listedWords: Readonly<Record<FactorMember, ReadonlySet<string>>> = {
  service_tier: new Set(["default", "standard", "auto", "on_demand", "scale"]),
  speed: new Set(["standard"]),
  inference_geo: new Set(["global", "not_available"]),
};
const isSurprising = (member: FactorMember, word: string): boolean =>
  !listedWords[member].has(formatTierName(word));

function addTerms(listed: ChannelPrice, terms: readonly PriceTerm[]): ChannelPrice {
  const effective = terms.filter(({ factor }) => Number(factor) !== 1);
  if (effective.length === 0) return listed;
  const price = priceWithTerms(listed.price, effective);
  const frozen = freezePrice(price, listed.frozen.group_ratio, listed.frozen.group);
  return { model: listed.model, price, frozen, json: JSON.stringify(frozen) };
}
