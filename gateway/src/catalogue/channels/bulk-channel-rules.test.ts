import fc from "fast-check";
import { expect, test } from "vitest";
import { planBulkChannelEdit } from "./bulk-channel-rules.ts";

const channel = {
  type: 1,
  status: 1,
  group: "default",
  priority: 0,
  weight: 0,
  tag: "",
  models: "gpt-4o,gpt-4o-mini",
  model_configs: null,
  config: "",
  base_url: "https://api.openai.com",
  key_hint: "aaaa",
};
const ids = [{ id: 1 }];
const refusalOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    return (error as { code: string }).code;
  }
  return "";
};

test("the last model of a channel is not removed, because an empty list means unchanged", () => {
  const act = { ids, verb: "remove_models", models: "gpt-4o,gpt-4o-mini,other" } as const;
  expect(refusalOf(() => planBulkChannelEdit(channel, act, channel))).toBe("channel_last_model");
});

const models = fc.uniqueArray(fc.stringMatching(/^[a-z0-9.-]{1,12}$/), { maxLength: 8 });

test("adding and then removing the added models gives the list of before, and the preview names just those", () => {
  fc.assert(
    fc.property(
      models.filter((list) => list.length > 0),
      models.filter((list) => list.length > 0),
      (stored, named) => {
        const before = { ...channel, models: stored.join(",") };
        const isKnown = named.every((model) => stored.includes(model));
        const add = { ids, verb: "add_models", models: named.join(",") } as const;
        if (isKnown) {
          expect(refusalOf(() => planBulkChannelEdit(before, add, before))).toBe("bulk_unchanged");
          return;
        }
        const added = planBulkChannelEdit(before, add, before);
        const after = { ...before, models: added.edit.models ?? "" };
        const remove = { ids, verb: "remove_models", models: String(added.after.models) } as const;
        expect(planBulkChannelEdit(after, remove, after)).toEqual({
          edit: { models: before.models },
          before: { models: added.after.models },
          after: {},
        });
      },
    ),
    { examples: [[["a"], ["a"]]] },
  );
});

test("a key goes only to the destination of the first chosen channel, and never to a channel with several keys", () => {
  const act = { ids, verb: "replace_key", key: "sk-new" } as const;
  expect(
    planBulkChannelEdit({ ...channel, base_url: "https://api.openai.com/v1" }, act, channel).edit,
  ).toEqual({
    key: "sk-new",
  });
  for (const other of [{ base_url: "https://elsewhere.example" }, { type: 14 }])
    expect(refusalOf(() => planBulkChannelEdit({ ...channel, ...other }, act, channel))).toBe(
      "channel_other_destination",
    );
  const several = { ...channel, config: '{"multi_key":true}' };
  expect(refusalOf(() => planBulkChannelEdit(several, act, several))).toBe("channel_several_keys");
});

test("a price replaces what prices text, and keeps limits, other prices and other models", () => {
  const act = {
    ids,
    verb: "set_price",
    model: "gpt-4o",
    ratio: 1.25,
    completion_ratio: 4,
  } as const;
  const stored = {
    "gpt-4o": {
      ratio: 5,
      completion_ratio: 3,
      cached_input_ratio: 2,
      cache_write_5m_ratio: 6,
      tiers: [{ ratio: 9, input_token_threshold: 200_001 }],
      max_tokens: 16_384,
      image: { prompt_ratio: 2 },
    },
    "gpt-4o-mini": { ratio: 0.075 },
  };
  const { edit, before, after } = planBulkChannelEdit(
    { ...channel, model_configs: JSON.stringify(stored) },
    act,
    channel,
  );
  expect(JSON.parse(edit.model_configs ?? "")).toEqual({
    "gpt-4o": { max_tokens: 16_384, image: { prompt_ratio: 2 }, ratio: 1.25, completion_ratio: 4 },
    "gpt-4o-mini": { ratio: 0.075 },
  });
  expect(before).toEqual({ ratio: 5, completion_ratio: 3, cached_input_ratio: 2 });
  expect(after).toEqual({ ratio: 1.25, completion_ratio: 4 });
  const priced = { ...channel, model_configs: edit.model_configs ?? "" };
  expect(refusalOf(() => planBulkChannelEdit(priced, act, priced))).toBe("bulk_unchanged");
  expect(refusalOf(() => planBulkChannelEdit({ ...channel, models: "o3" }, act, channel))).toBe(
    "channel_model_missing",
  );
});
