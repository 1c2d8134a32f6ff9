// What calls hold for beside their text: lookups of tools, and what a model does of its own accord.
import { describe, expect, test } from "vitest";
import { freezePrice } from "../money/prices/price.ts";
import { readPriceLists } from "../money/prices/price-lists.ts";
import { anthropicMessages } from "./formats/anthropic-messages.ts";
import type { ClientFormat } from "./formats/api-format.ts";
import { chatCompletions } from "./formats/chat-completions.ts";
import { gemini } from "./formats/gemini.ts";
import { callOfJson } from "./read-request.ts";
import type { ChannelCandidate } from "./routing/choose-channels.ts";
import { readWantedHold, type WantedHold } from "./wanted-hold.ts";

const lists = readPriceLists();

const unitsHeld = (format: ClientFormat, seller: string, model: string, json: object): number =>
  wantedFor(format, seller, model, json).amount;

function wantedFor(
  format: ClientFormat,
  seller: string,
  model: string,
  json: object,
  channel = { type: 1, mayReportFalseUsage: false } as ChannelCandidate["channel"],
): WantedHold {
  const price = lists.get(seller)?.get(model);
  if (!price) throw new Error(`${model} has no price`);
  const call = callOfJson(
    Buffer.from(JSON.stringify(json)),
    {},
    {
      formatFor: () => format,
      isEstimateRough: false,
      hasChoice: () => false,
      isServed: () => true,
    },
  );
  const cost = { model, price, frozen: freezePrice(price, 1_000_000), json: "" };
  const candidates = [{ cost, channel } as ChannelCandidate];
  return readWantedHold(call, { candidates }, { addedHoldTokens: () => 0 });
}

describe("a call holds for", { tags: ["S2-04"] }, () => {
  test.each([
    ["gemini-2.5-flash", { googleMaps: {} }, 12_500],
    ["gemini-2.5-flash", { googleSearch: {} }, 17_500],
    ["gemini-3-flash-preview", { google_maps: {} }, 7_000],
  ])("the lookup of %s with %j", (model, tool, fee) => {
    const body = {
      contents: [{ parts: [{ text: "Where?" }] }],
      generationConfig: { maxOutputTokens: 10 },
    };
    const plain = unitsHeld(gemini, "google", model, body);
    expect(
      unitsHeld(gemini, "google", model, { ...body, tools: [tool] }) - plain,
    ).toBeGreaterThanOrEqual(fee);
  });

  test.each([
    [14, false, true],
    [14, true, false],
    [1, false, false],
  ])(
    "no answer where Anthropic only fills its cache: type %i, distrusted %s: %s",
    (type, mayReportFalseUsage, isFree) => {
      const channel = { type, mayReportFalseUsage } as ChannelCandidate["channel"];
      const body = { model: "x", messages: [{ role: "user", content: "hi" }], max_tokens: 0 };
      const { amount, least } = wantedFor(
        anthropicMessages,
        "anthropic",
        "claude-sonnet-4-5",
        body,
        channel,
      );
      expect([amount === least, amount < 1_000]).toEqual([isFree, isFree]);
    },
  );

  test("what a model that researches by itself reads and reasons", () => {
    const body = { model: "x", messages: [{ role: "user", content: "hi" }], max_tokens: 10 };
    const [plain, deep] = ["sonar", "sonar-deep-research"].map((model) =>
      unitsHeld(chatCompletions, "perplexity", model, body),
    );
    // 30 searches, and 200,000 tokens of reasoning.
    expect(deep).toBeGreaterThanOrEqual(75_000 + 300_000);
    expect(plain).toBeLessThan(10_000);
  });
});
