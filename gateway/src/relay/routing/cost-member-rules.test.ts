import { expect, test } from "vitest";
import { freezePrice, groupRatioOne, type Price } from "../../money/prices/price.ts";
import type { ServedTerms } from "../../money/prices/price-factors.ts";
import { type CostMember, findCostMembers } from "../formats/hold-size/cost-members.ts";
import type { ChannelPrice } from "./channel-table.ts";
import {
  buildChargedPrice,
  buildHeldPrice,
  membersSent,
  refusedMember,
} from "./cost-member-rules.ts";

const openAi = 1;
const anthropic = 14;
const openRouter = 20;
const google = 24;
const groq = 29;
const compatible = 50;

const members = (body: object): readonly CostMember[] => findCostMembers(body)?.members ?? [];
const channel = (type: number, config = {}) => ({ type, settings: { config } });
const refused = (type: number, model: string, body: object, config = {}): string | undefined =>
  refusedMember(members(body), channel(type, config), model)?.name;

const price: Price = {
  rates: {
    input: 1_000_000n,
    cache_read: 100_000n,
    cache_write_5m: 0n,
    cache_write_1h: 0n,
    output: 4_000_000n,
  },
  source: "a list",
  source_date: "",
  verified: true,
  max_tokens: 0,
};
const listed = (model: string): ChannelPrice => {
  const frozen = freezePrice(price, groupRatioOne);
  return { model, price, frozen, json: JSON.stringify(frozen) };
};

test.each([
  ["models", { models: ["dear"] }],
  ["route", { route: "fallback" }],
  ["plugins", { plugins: [{ id: "web" }] }],
  ["fallbacks", { fallbacks: [{ model: "dear" }] }],
  ["service_tier", { service_tier: "priority" }],
  ["speed", { speed: "fast" }],
  ["inference_geo", { inference_geo: "us" }],
  ["web_search_options", { web_search_options: {} }],
  ["tools.model", { tools: [{ type: "image_generation", model: "dear" }] }],
])(
  "S2-08 a channel without a price for %s refuses it by its name",
  { tags: ["S2-08"] },
  (name, body) => {
    expect(refused(openRouter, "openai/gpt-5", body)).toBe(name);
    expect(refused(compatible, "gpt-5", body)).toBe(name);
    expect(refused(compatible, "gpt-5", body, { pass_cost_members: true })).toBeUndefined();
    expect(refused(compatible, "gpt-5", body, { pass_cost_members: "yes" })).toBe(name);
  },
);

test("S2-08 a tier, speed or region with a known price is let through, another one is refused", {
  tags: ["S2-08"],
}, () => {
  expect(refused(openAi, "gpt-5", { service_tier: "priority" })).toBeUndefined();
  expect(refused(openAi, "gpt-4o", { service_tier: "priority" })).toBe("service_tier");
  expect(
    refused(anthropic, "claude-opus-5", { speed: "fast", inference_geo: "us" }),
  ).toBeUndefined();
  expect(refused(anthropic, "claude-opus-5", { inference_geo: "eu" })).toBe("inference_geo");
  expect(refused(google, "gemini-2.5-pro", { serviceTier: "SERVICE_TIER_FLEX" })).toBeUndefined();
  expect(refused(google, "gemini-2.5-pro", { serviceTier: "SERVICE_TIER_PRIORITY" })).toBe(
    "service_tier",
  );
  expect(refused(groq, "llama-3.3-70b-versatile", { service_tier: "flex" })).toBeUndefined();
  expect(refused(groq, "llama-3.3-70b-versatile", { service_tier: "performance" })).toBe(
    "service_tier",
  );
});

test("a member that the operator overrides is never refused, and counts as the operator's", () => {
  const config = { param_override: { service_tier: "priority" } };
  expect(refused(compatible, "m", { service_tier: "flex" }, config)).toBeUndefined();
  expect(
    membersSent(members({ service_tier: "flex", route: "x" }), channel(openAi, config)),
  ).toEqual([
    { name: "route", value: "x" },
    { name: "service_tier", value: "priority" },
  ]);
  expect(membersSent([], channel(openAi, { param_override: { service_tier: null } }))).toEqual([]);
  expect(membersSent(members({ route: "x" }), channel(openAi))).toEqual([
    { name: "route", value: "x" },
  ]);
});

const termsOf = (model: string, body: object, type = openAi) => ({
  listed: listed(model),
  type,
  members: members(body),
});

test("the hold has the price that is asked for, a discount is not counted on", () => {
  expect(buildHeldPrice(termsOf("gpt-5", { service_tier: "priority" })).price.rates.output).toBe(
    8_000_000n,
  );
  expect(buildHeldPrice(termsOf("gpt-5", { service_tier: "flex" })).price.rates.output).toBe(
    4_000_000n,
  );
  const unpriced = termsOf("m", { service_tier: "priority" });
  expect(buildHeldPrice(unpriced)).toBe(unpriced.listed);
});

const charged = (model: string, body: object, served: ServedTerms, type = openAi) => {
  const { cost, unpriced } = buildChargedPrice(termsOf(model, body, type), served);
  return [Number(cost.price.rates.output) / Number(price.rates.output), unpriced];
};

test("a tier is charged as the reply says it was served", () => {
  expect(charged("gpt-5", { service_tier: "priority" }, { service_tier: "priority" })).toEqual([
    2,
    [],
  ]);
  expect(charged("gpt-5", { service_tier: "priority" }, { service_tier: "default" })).toEqual([
    1,
    [],
  ]);
  expect(charged("gpt-5", {}, { service_tier: "priority" })).toEqual([2, []]);
  expect(charged("gpt-5", { service_tier: "flex" }, { service_tier: "flex" })).toEqual([0.5, []]);
  expect(charged("gpt-5", { service_tier: "flex" }, { service_tier: "FLEX" })).toEqual([0.5, []]);
});

test("what the reply does not say is charged as asked, but no discount without the reply's word", () => {
  expect(charged("gpt-5", { service_tier: "priority" }, {})).toEqual([2, []]);
  expect(charged("gpt-5", { service_tier: "flex" }, {})).toEqual([1, []]);
  expect(charged("gpt-5", {}, {})).toEqual([1, []]);
});

test("fast mode in the United States multiplies both factors", () => {
  const asked = { speed: "fast", inference_geo: "us" };
  expect(
    charged("claude-opus-5", asked, { speed: "fast", inference_geo: "us" }, anthropic),
  ).toEqual([2.2, []]);
  expect(
    charged("claude-opus-5", asked, { speed: "standard", inference_geo: "us" }, anthropic),
  ).toEqual([1.1, []]);
  expect(charged("claude-opus-5", asked, {}, anthropic)).toEqual([2.2, []]);
});

test("fast mode that Anthropic refuses is refused, and one that it serves at standard speed costs nothing more", () => {
  const asked = { speed: "fast" };
  expect(refused(anthropic, "claude-opus-4-7", asked)).toBe("speed");
  expect(refused(anthropic, "claude-opus-4-6", asked)).toBeUndefined();
  expect(buildHeldPrice(termsOf("claude-opus-4-6", asked, anthropic)).price).toBe(price);
  expect(charged("claude-opus-4-6", asked, { speed: "standard" }, anthropic)).toEqual([1, []]);
  expect(charged("claude-opus-4-6", asked, {}, anthropic)).toEqual([1, []]);
  expect(buildHeldPrice(termsOf("claude-opus-5-5", asked, anthropic)).price.rates.output).toBe(
    8_000_000n,
  );
});

test("a served term without a price is charged at the listed price and named", () => {
  expect(charged("gpt-4o", {}, { service_tier: "priority" })).toEqual([
    1,
    ["service_tier priority"],
  ]);
  expect(
    charged(
      "m",
      {},
      { service_tier: "default", speed: "standard", inference_geo: "not_available" },
    ),
  ).toEqual([1, []]);
  expect(charged("claude-opus-5", {}, { service_tier: "priority" }, anthropic)).toEqual([1, []]);
});
