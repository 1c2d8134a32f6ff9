/** Built-in names and prices of models by channel type. */
import { channelTypes } from "@tollgate/contract/channel-types.ts";
import { type ModelConfig, modelConfigOf } from "../money/price-book.ts";
import { highestPriceOf } from "../money/price-hours.ts";
import type { PriceList, PriceLists } from "../money/price-lists.ts";
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
  1: ["openai"],
  // Resellers of OpenAI.
  2: ["openai"],
  4: ["openai"],
  5: ["openai"],
  6: ["openai"],
  7: ["openai"],
  9: ["openai"],
  10: ["openai"],
  12: ["openai"],
  13: ["openai"],
  // Azure also resells models of other makers at their prices.
  3: ["azure", "openai", "anthropic", "deepseek", "xai", "moonshot"],
  14: ["anthropic"],
  16: ["zhipu"],
  20: ["openrouter"],
  24: ["google"],
  25: ["moonshot"],
  27: ["minimax"],
  28: ["mistral"],
  29: ["groq"],
  33: ["bedrock"],
  35: ["cohere"],
  36: ["deepseek"],
  37: ["cloudflare"],
  39: ["together"],
  41: ["novita"],
  42: ["google", "vertex"],
  // Any provider may be behind it.
  43: makers,
  45: ["xai"],
  50: makers,
  51: ["google"],
  52: ["anthropic"],
  53: ["copilot"],
  54: ["fireworks"],
  56: ["cerebras"],
};

export function builtInModels(lists: PriceLists): BuiltInModels {
  // Thousands of names are sorted when a channel form is first opened, not at the start.
  let names: Record<string, string[]> | undefined;
  return {
    defaultPricing: (type) =>
      Object.fromEntries(
        [...listOf(type, lists)].flatMap(([model, price]) =>
          price ? [[model, modelConfigOf(highestPriceOf(price))]] : [],
        ),
      ),
    modelsByType() {
      names ??= Object.fromEntries(
        channelTypes.map(({ id }) => [String(id), [...listOf(id, lists).keys(), ...(namedModels[id] ?? [])]]),
      );
      return names;
    },
  };
}

function listOf(type: number, lists: PriceLists): PriceList {
  const sellers = sellersOfType[type] ?? [];
  // A later entry replaces an earlier one with the same name.
  const known = new Map(sellers.toReversed().flatMap((seller) => [...(lists.get(seller) ?? [])]));
  return new Map([...known].sort(([a], [b]) => a.localeCompare(b)));
}
