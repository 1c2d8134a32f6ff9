import { modelConfigsText } from "@tollgate/contract/catalogue/channel-json.ts";
import { channelTypes, findChannelType } from "@tollgate/contract/catalogue/channel-types.ts";
import { describe, expect, test } from "vitest";
import { readPriceLists } from "../../money/prices/price-lists.ts";
import { createBuiltInModels } from "./built-in-models.ts";

const { defaultPricing, modelsByType } = createBuiltInModels(readPriceLists());
const names = modelsByType();

test.each([
  [1, "gpt-4o"],
  [3, "gpt-4o"],
  [3, "phi-4"],
  [3, "claude-opus-4-8"],
  [14, "claude-sonnet-4-5-20250929"],
  [16, "glm-4.7"],
  [20, "anthropic/claude-opus-4.8"],
  [24, "gemini-2.5-pro"],
  [25, "kimi-k2.6"],
  [27, "MiniMax-M2"],
  [40, "doubao-seed-evolving"],
  [49, "qwen-plus"],
  [28, "mistral-large-latest"],
  [29, "llama-3.3-70b-versatile"],
  [33, "anthropic.claude-sonnet-4-5-20250929-v1:0"],
  [35, "command-a-03-2025"],
  [36, "deepseek-chat"],
  [37, "@cf/openai/gpt-oss-120b"],
  [39, "meta-llama/Llama-3.3-70B-Instruct-Turbo"],
  [41, "deepseek/deepseek-r1"],
  [42, "claude-sonnet-4-5@20250929"],
  [42, "gemini-2.5-pro"],
  [45, "grok-4"],
  [50, "claude-opus-4-8"],
  [53, "claude-opus-4.8"],
  [54, "accounts/fireworks/models/kimi-k3"],
  [56, "gpt-oss-120b"],
])("type %i offers %s", (type, model) => {
  expect(names[type]).toContain(model);
});

test("Gemini offers only Google's models, and Bedrock only its own names", () => {
  expect(names[24]?.filter((name) => !/^gem(?:ini|ma)-/.test(name))).toEqual([]);
  expect(names[33]?.filter((name) => !name.includes("."))).toEqual([]);
});

test("no list repeats a name", () => {
  for (const list of Object.values(names)) expect(new Set(list).size).toBe(list.length);
});

test("every active type has model names, except those whose operators choose them and two without a published list", () => {
  const empty = channelTypes
    .filter(({ id, gone }) => !gone && names[id]?.length === 0)
    .map(({ name }) => name);
  expect(empty).toEqual([
    "AI Proxy knowledge base",
    "FastGPT",
    "Ollama",
    "Coze",
    "DeepL",
    "Replicate",
  ]);
  expect(Object.keys(names)).toHaveLength(channelTypes.length);
});

describe("default pricing", () => {
  test("is the price of the type's own provider", () => {
    expect(defaultPricing(45)["grok-4.5"]).toMatchObject({
      ratio: 1,
      completion_ratio: 3,
      cached_input_ratio: 0.15,
    });
    expect(defaultPricing(53)["grok-4.5"]).toMatchObject({
      ratio: 1,
      completion_ratio: 3,
      cached_input_ratio: 0.25,
    });
  });
  test("is the price of the first provider that has the model, where a type has several", () => {
    expect(defaultPricing(3)["o4-mini"]?.cached_input_ratio).toBe(0.14);
    expect(defaultPricing(1)["o4-mini"]?.cached_input_ratio).toBe(0.1375);
    expect(defaultPricing(3)["gpt-4o"]).toEqual(defaultPricing(1)["gpt-4o"]);
  });
  test.each(channelTypes)("of $name is valid for a channel and names offered models", ({ id }) => {
    const configs = defaultPricing(id);
    expect(modelConfigsText.safeParse(JSON.stringify(configs, null, 2)).error).toBeUndefined();
    expect(Object.keys(configs).filter((model) => !names[id]?.includes(model))).toEqual([]);
  });
  test("is empty for a discontinued type", () => {
    expect(findChannelType(11)?.gone).toBe(true);
    expect(defaultPricing(11)).toEqual({});
  });
});
