/** Built-in names and prices of models by channel type. */
import { channelTypes, channelTypeIds as ids } from "@tollgate/contract/catalogue/channel-types.ts";
import { buildModelConfig, type ModelConfig } from "../../money/prices/price-book.ts";
import { findHighestPrice } from "../../money/prices/price-hours.ts";
import { type PriceList, type PriceLists, readPriceLists } from "../../money/prices/price-lists.ts";
import { namedModels } from "./named-models.ts";

export interface BuiltInModels {
  /** Prices of a type by model, in the format of `model_configs`. */
  defaultPricing(type: number): Record<string, ModelConfig>;
  /** Model names by the number of the channel type. */
  modelsByType(): Record<string, string[]>;
}

const makers: readonly string[] = [
  "openai",
  "anthropic",
  "google",
  "mistral",
  "deepseek",
  "xai",
  "cohere",
  "moonshot",
  "minimax",
  "zhipu",
];

/** The price lists of a type; of several, the first that has a model applies. */
export const sellersOfType: Readonly<Record<number, readonly string[]>> = {
  [ids.openAi]: ["openai"],
  // Resellers of OpenAI.
  [ids.api2d]: ["openai"],
  [ids.closeAi]: ["openai"],
  [ids.openAiSb]: ["openai"],
  [ids.openAiMax]: ["openai"],
  [ids.ohMyGpt]: ["openai"],
  [ids.aiLs]: ["openai"],
  [ids.aiProxy]: ["openai"],
  [ids.api2Gpt]: ["openai"],
  [ids.aigc2d]: ["openai"],
  // Azure also resells models of other makers at their prices.
  [ids.azure]: ["azure", "openai", "anthropic", "deepseek", "xai", "moonshot"],
  [ids.anthropic]: ["anthropic"],
  [ids.zhipu]: ["zhipu"],
  [ids.openRouter]: ["openrouter"],
  [ids.gemini]: ["google"],
  [ids.moonshot]: ["moonshot"],
  [ids.miniMax]: ["minimax"],
  [ids.mistral]: ["mistral"],
  [ids.groq]: ["groq"],
  [ids.bedrock]: ["bedrock"],
  [ids.cohere]: ["cohere"],
  [ids.deepSeek]: ["deepseek"],
  [ids.cloudflare]: ["cloudflare"],
  [ids.together]: ["together"],
  [ids.novita]: ["novita"],
  [ids.vertex]: ["google", "vertex"],
  // Any provider may be behind it.
  [ids.proxy]: makers,
  [ids.xAi]: ["xai"],
  [ids.compatible]: makers,
  [ids.geminiCompatible]: ["google"],
  [ids.claudeCompatible]: ["anthropic"],
  [ids.copilot]: ["copilot"],
  [ids.fireworks]: ["fireworks"],
  [ids.cerebras]: ["cerebras"],
};

export function createBuiltInModels(lists: PriceLists): BuiltInModels {
  // Thousands of names are sorted when a channel form is first opened, not at the start.
  let names: Record<string, string[]> | undefined;
  return {
    defaultPricing: (type) =>
      Object.fromEntries(
        [...buildPriceList(type, lists)].flatMap(([model, price]) =>
          price ? [[model, buildModelConfig(findHighestPrice(price))]] : [],
        ),
      ),
    modelsByType() {
      names ??= Object.fromEntries(
        channelTypes.map(({ id }) => [
          String(id),
          [...buildPriceList(id, lists).keys(), ...(namedModels[id] ?? [])],
        ]),
      );
      return names;
    },
  };
}

let everyList: BuiltInModels | undefined;

/**
 * Names that providers of a type are known to have. Only lists of channels with patterns need them.
 */
export function listKnownModels(type: number): readonly string[] {
  everyList ??= createBuiltInModels(readPriceLists());
  return everyList.modelsByType()[String(type)] ?? [];
}

function buildPriceList(type: number, lists: PriceLists): PriceList {
  const sellers = sellersOfType[type] ?? [];
  // A later entry replaces an earlier one with the same name.
  const known = new Map(sellers.toReversed().flatMap((seller) => [...(lists.get(seller) ?? [])]));
  return new Map([...known].sort(([a], [b]) => a.localeCompare(b)));
}
