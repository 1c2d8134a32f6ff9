import type { DisplayedModel } from "@tollgate/contract/catalogue/models.ts";
import { describe, expect, test } from "vitest";
import {
  flattenGroups,
  formatModelPrice,
  formatTokenLimit,
  groupModels,
  listMatchingGroups,
} from "./model-groups.ts";

const model: DisplayedModel = {
  input_price: 1,
  cached_input_price: 1,
  cache_write_5m_price: 1,
  cache_write_1h_price: 1,
  output_price: 2,
  max_tokens: 0,
  price_verified: true,
};
const provider = (channel_name: string, ...names: string[]) => ({
  channel_name,
  channel_type: 1,
  models: Object.fromEntries(names.map((name) => [name, model])),
});
const data = {
  "OpenAI:main: west": provider("main: west", "gpt-10", "gpt-4o"),
  "OpenAI:spare": provider("spare", "gpt-4o", "o1"),
  Anthropic: provider("", "claude"),
};
const brief = (groups: ReturnType<typeof groupModels>) =>
  groups.map(({ provider: name, channel, models }) => [
    name,
    channel,
    models.map((one) => one.name),
  ]);

test("one table has a row for a model at each price, and who offers it so", () => {
  const dear = { ...provider("spare"), models: { "gpt-4o": { ...model, input_price: 9 } } };
  const flat = flattenGroups(groupModels({ ...data, "Azure:west": dear }, true));
  expect(flat.map(({ name, input_price, offers }) => [name, input_price, offers])).toEqual([
    ["claude", 1, ["Anthropic"]],
    ["gpt-4o", 9, ["west"]],
    ["gpt-4o", 1, ["main: west", "spare"]],
    ["gpt-10", 1, ["main: west"]],
    ["o1", 1, ["spare"]],
  ]);
});

describe("groups", () => {
  test("are channels for an administrator; the key is split at its first colon", () =>
    expect(brief(groupModels(data, true))).toEqual([
      ["Anthropic", "", ["claude"]],
      ["OpenAI", "main: west", ["gpt-4o", "gpt-10"]],
      ["OpenAI", "spare", ["gpt-4o", "o1"]],
    ]));
  test("are providers for all others, with each model once", () =>
    expect(brief(groupModels(data, false))).toEqual([
      ["Anthropic", "", ["claude"]],
      ["OpenAI", "", ["gpt-4o", "gpt-10", "o1"]],
    ]));
});

test.each([
  ["", 4],
  ["gpt", 2],
  ["OPENAI o1", 1],
  ["anthropic", 1],
  ["gpt claude", 0],
])("searching %j finds %i models", (text, count) =>
  expect(
    listMatchingGroups(groupModels(data, false), text).flatMap(({ models }) => models),
  ).toHaveLength(count),
);

test.each([
  [0, undefined],
  [3, "$3.00"],
  [0.15, "$0.15"],
  [0.0375, "$0.0375"],
  [1250, "$1,250.00"],
])("a price of %d is shown as %s", (price, text) => expect(formatModelPrice(price)).toBe(text));

test.each([
  [0, undefined],
  [512, "512"],
  [4096, "4.1K"],
  [128_000, "128K"],
  [1_000_000, "1M"],
  [1_048_576, "1M"],
])("a limit of %d is shown as %s", (tokens, text) => expect(formatTokenLimit(tokens)).toBe(text));
