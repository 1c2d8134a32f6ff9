// The price of a channel's entry, member by member, against a book with one price.
import { describe, expect, test } from "vitest";
import type { Price, Rates } from "./price.ts";
import {
  buildModelConfig,
  computeLowestGroupRatio,
  defaultPrice,
  findPrice,
  type ModelConfig,
  parseModelConfigs,
  readGroupRatio,
} from "./price-book.ts";

const text = {
  input: 2_000_000n,
  cache_read: 1_000_000n,
  cache_write_5m: 3_000_000n,
  cache_write_1h: 5_000_000n,
};
const rates: Rates = { ...text, output: 8_000_000n, input_image: 7n };
const night: Rates = { ...rates, input: 1_000_000n };
const listed: Price = {
  rates,
  tiers: [{ above: 99, aboveOutput: -1, rates: { ...rates, output: 9_000_000n } }],
  hours: [{ from: 1, to: 2, exceptWeekends: false, rates: night }],
  source: "a list",
  source_date: "2026-11-20",
  verified: false,
  max_tokens: 50,
};
const of = (config: ModelConfig | undefined, variant = "", price = listed): Price =>
  findPrice("m", new Map([["m", price]]), config, "channel 1", variant);
const entry = {
  source: "model_configs of channel 1",
  source_date: "",
  verified: true,
  max_tokens: 50,
};
const all = (rate: bigint) => ({
  input: rate,
  cache_read: rate,
  cache_write_5m: rate,
  cache_write_1h: rate,
});

test("without an entry, or with one without prices, the listed price applies", () => {
  expect(of(undefined)).toBe(listed);
  for (const config of [{}, { max_tokens: 0 }, { audio: {} }, { image: {} }])
    expect(of(config)).toStrictEqual(listed);
  expect(of({ max_tokens: 9 })).toStrictEqual({ ...listed, max_tokens: 9 });
});

describe("an entry with prices in dollars", () => {
  const prices = { input: 3, web_searches: 0.01 };
  test("states what it names, over the ratios of the entry, and leaves the list the rest", () => {
    expect(of({ prices })).toMatchObject({
      rates: { ...text, input: 3_000_000n, output: 8_000_000n, web_searches: 10_000_000_000n },
      source: "model_configs of channel 1",
    });
    expect(of({ prices, ratio: 2 }).rates).toMatchObject({
      ...all(4_000_000n),
      input: 3_000_000n,
      output: 16_000_000n,
    });
  });
  test("gives a model without a known price the stated input for all that is not stated", () => {
    expect(of({ prices }, "", defaultPrice).rates).toMatchObject({
      ...all(3_000_000n),
      output: 3_000_000n,
    });
  });
  test("is read without prices that are none, beside what is valid", () => {
    const read = (config: object) => parseModelConfigs({ m: config }).get("m");
    expect(read({ ratio: 2, prices, buying_prices: { input: 1 }, word: "x" })).toStrictEqual({
      ratio: 2,
      prices,
      buying_prices: { input: 1 },
    });
    expect(read({ ratio: 2, buying_prices: { input: 1 } })).toStrictEqual({
      ratio: 2,
      buying_prices: { input: 1 },
    });
    expect(read({ ratio: 2, prices: { input: -1 }, buying_prices: "cheap" })).toStrictEqual({
      ratio: 2,
    });
    expect(read({ ratio: 2, buying_prices: { input: -1 } })).toStrictEqual({ ratio: 2 });
    expect(read({ ratio: 2, prices: { input: 1, ratio: 3 } })).toStrictEqual({ ratio: 2 });
  });
});

describe("an entry with prices for text", () => {
  test("replaces all other prices, and keeps the ratio of output to input", () => {
    expect(of({ ratio: 2 })).toStrictEqual({
      rates: { ...all(4_000_000n), output: 16_000_000n },
      ...entry,
    });
  });
  test("may keep the listed input price", () => {
    expect(of({ completion_ratio: 3, max_tokens: 9 })).toStrictEqual({
      rates: { ...text, output: 6_000_000n },
      ...entry,
      max_tokens: 9,
    });
  });
  test("prices cached tokens: 0 as plain input, below 0 free, else by their own ratio", () => {
    const config = {
      ratio: 2,
      cached_input_ratio: 0,
      cache_write_5m_ratio: -1,
      cache_write_1h_ratio: 0.25,
    };
    expect(of(config).rates).toStrictEqual({
      ...{
        input: 4_000_000n,
        cache_read: 4_000_000n,
        cache_write_5m: 0n,
        cache_write_1h: 500_000n,
      },
      output: 16_000_000n,
    });
    expect(of({ completion_ratio: 1, cached_input_ratio: 1 }).rates).toMatchObject({
      ...{ cache_read: 2_000_000n, cache_write_5m: 3_000_000n, cache_write_1h: 5_000_000n },
    });
  });
  test.each([
    [1n, 2n],
    [2n, 3n],
    [3n, 5n],
  ])("rounds the output to the nearest: an input of %i is one of %i", (input, output) => {
    const small = { ...listed, rates: { ...rates, input: 3n, output: 5n } };
    expect(of({ ratio: Number(input) / 2_000_000 }, "", small).rates).toMatchObject({
      input,
      output,
    });
  });
  test("rounds the output from the exact ratios, not from the rounded input", () => {
    expect(of({ ratio: 0.0000003, completion_ratio: 10 }).rates).toMatchObject({
      input: 1n,
      output: 6n,
    });
  });
  test("charges output like input where the listed input is free", () => {
    const free = { ...listed, rates: { ...rates, input: 0n } };
    expect(of({ ratio: 1 }, "", free).rates).toMatchObject({
      input: 2_000_000n,
      output: 2_000_000n,
    });
    expect(of({ ratio: 0.75, completion_ratio: 1.5 }).rates).toMatchObject({
      input: 1_500_000n,
      output: 2_250_000n,
    });
  });
});

describe("an entry with prices for audio or images only", () => {
  test("adds them to the listed price, at any length and any hour", () => {
    expect(of({ audio: { prompt_ratio: 3 } })).toStrictEqual({
      ...listed,
      ...entry,
      rates: { ...rates, input_audio: 6_000_000n },
      hours: [{ ...listed.hours?.[0], rates: { ...night, input_audio: 6_000_000n } }],
    });
  });
  test("prices audio output as a multiple of audio input, else of text", () => {
    expect(of({ audio: { completion_ratio: 2 } }).rates).toStrictEqual({
      ...rates,
      output_audio: 4_000_000n,
    });
    expect(of({ audio: { completion_ratio: 2, prompt_ratio: 3 } }).rates).toStrictEqual({
      ...rates,
      ...{ input_audio: 6_000_000n, output_audio: 12_000_000n },
    });
  });
  test("prices a second in dollars, else in tokens", () => {
    const seconds = (audio: ModelConfig["audio"], ratio?: number) =>
      of({ ...(ratio !== undefined && { ratio }), audio: audio ?? {} }).rates.seconds;
    expect(seconds({ usd_per_second: 1, prompt_tokens_per_second: 3 })).toBe(1_000_000_000_000n);
    expect(seconds({ prompt_tokens_per_second: 3 })).toBe(6_000_000n);
    expect(seconds({ prompt_tokens_per_second: 3, prompt_ratio: 2 }, 4)).toBe(48_000_000n);
    expect(seconds({ prompt_ratio: 2 })).toBeUndefined();
  });
  test("prices images in prompts as multiples of text", () => {
    expect(of({ image: { prompt_ratio: 3 } }).rates).toStrictEqual({
      ...rates,
      input_image: 6_000_000n,
    });
  });
  test("has a price without tiers and hours where none are listed", () => {
    const { tiers: _, hours: __, ...flat } = listed;
    expect(of({ audio: { prompt_ratio: 1 } }, "", flat)).toStrictEqual({
      ...entry,
      rates: { ...rates, input_audio: 2_000_000n },
    });
  });
});

describe("an image", () => {
  const picture = (image: ModelConfig["image"], variant = "") =>
    of({ image: { price_per_image_usd: 1, ...image } }, variant).rates.images;
  const dollar = 1_000_000_000_000n;
  test("costs its base price without size multipliers", () => {
    expect([picture({}), picture({}, "large/hd")]).toEqual([dollar, dollar]);
    expect(
      picture({ size_multipliers: { undefined: 9 }, quality_multipliers: { undefined: 9 } }),
    ).toBe(dollar);
    expect(picture({ quality_size_multipliers: { undefined: { undefined: 9 } } })).toBe(dollar);
  });
  test("costs by the requested size and quality, else by the defaults", () => {
    const image = {
      default_size: "large",
      default_quality: "hd",
      size_multipliers: { large: 2, small: 0.5 },
      quality_multipliers: { hd: 3, plain: 0.25 },
    };
    const costs = ["", "small", "/plain", "small/plain", "huge/best"].map((variant) =>
      picture(image, variant),
    );
    expect(costs).toEqual([6n * dollar, (3n * dollar) / 2n, dollar / 2n, dollar / 8n, dollar]);
  });
  test.each(["1792x1024/hd", "1792X1024/HD", " 1792×1024 /Hd", "1792*1024/hd"])(
    "costs the same as %j",
    (variant) => {
      const image = { size_multipliers: { "1792X1024": 2 }, quality_multipliers: { hd: 3 } };
      expect(picture(image, variant)).toBe(6n * dollar);
      expect(picture({ quality_size_multipliers: { HD: { "1792x1024": 7 } } }, variant)).toBe(
        7n * dollar,
      );
    },
  );
  test("prefers a multiplier for size and quality together", () => {
    const image = {
      size_multipliers: { large: 2 },
      quality_size_multipliers: { hd: { large: 7 } },
    };
    expect([
      picture(image, "large/hd"),
      picture(image, "large/plain"),
      picture(image, "small/hd"),
    ]).toEqual([7n * dollar, 2n * dollar, dollar]);
  });
});

describe("a video", () => {
  const second = (video: NonNullable<ModelConfig["video"]>, variant = "") =>
    of({ video }, variant).rates.seconds;
  const cent = 10_000_000_000n;
  test("costs dollars for each second, times the multiplier of its size, upright or lying", () => {
    const video = {
      per_second_usd: 0.1,
      base_resolution: "1280x720",
      resolution_multipliers: { "1280x720": 1, "1792x1024": 3, "1080p": 1.5 },
    };
    const costs = ["", "1280x720", "720x1280/", "1024X1792", "1080P", "9x16"].map((size) =>
      second(video, size),
    );
    expect(costs).toEqual([10n, 10n, 10n, 30n, 15n, 10n].map((cents) => cents * cent));
    expect(second({ ...video, base_resolution: "1080p" })).toBe(15n * cent);
  });
  test("has no price of its own where the entry states none, and may be free", () => {
    expect(second({ resolution_multipliers: { "1280x720": 2 } }, "1280x720")).toBeUndefined();
    expect(second({ per_second_usd: 0 })).toBe(0n);
  });
});

describe("tiers of an entry", () => {
  test("keep the rest of the listed price except its hours, and override their members", () => {
    const higher = { ...rates, ...all(6_000_000n), output: 24_000_000n };
    expect(of({ tiers: [{ ratio: 3, input_token_threshold: 10 }] })).toStrictEqual({
      rates,
      tiers: [{ above: 9, aboveOutput: -1, rates: higher }],
      ...entry,
    });
    expect(of({ tiers: [] })).toStrictEqual({ rates, ...entry });
  });
  test("apply by rising thresholds, in whatever order they are written", () => {
    const bounds = [
      [20, undefined],
      [10, 5],
      [undefined, 3],
      [10, 2],
    ];
    const tiers = bounds.map(([input, output]) => ({
      ...(input !== undefined && { input_token_threshold: input }),
      ...(output !== undefined && { output_token_threshold: output }),
    }));
    expect(of({ tiers }).tiers?.map(({ above, aboveOutput }) => [above, aboveOutput])).toEqual([
      [-1, 2],
      [9, 1],
      [9, 4],
      [19, -1],
    ]);
  });
});

describe("a price as ratios", () => {
  test("has members for what differs from plain input, and for what is free", () => {
    const full: Price = {
      ...listed,
      rates: {
        ...{
          input: 2_000_000n,
          cache_read: 0n,
          cache_write_5m: 2_000_000n,
          cache_write_1h: 5_000_000n,
        },
        ...{
          output: 8_000_000n,
          input_audio: 4_000_000n,
          output_audio: 12_000_000n,
          seconds: 500_000_000_000n,
        },
        input_image: 1_000_000n,
      },
      tiers: [{ above: 99, aboveOutput: -1, rates: { ...all(4_000_000n), output: 4_000_000n } }],
    };
    expect(buildModelConfig(full)).toStrictEqual({
      ...{
        ratio: 1,
        completion_ratio: 4,
        cached_input_ratio: -1,
        cache_write_1h_ratio: 2.5,
        max_tokens: 50,
      },
      audio: { prompt_ratio: 2, completion_ratio: 3, usd_per_second: 0.5 },
      image: { prompt_ratio: 0.5 },
      tiers: [{ ratio: 2, completion_ratio: 1, input_token_threshold: 100 }],
    });
  });
  test("has no members for what the price lacks", () => {
    const { tiers: _, ...flat } = listed;
    const bare = {
      ...flat,
      rates: { ...all(2_000_000n), cache_write_5m: 1_000_000n, output: 2_000_000n },
    };
    expect(buildModelConfig(bare)).toStrictEqual({
      ratio: 1,
      completion_ratio: 1,
      cache_write_5m_ratio: 0.5,
      max_tokens: 50,
    });
    const spoken = { ...bare, rates: { ...bare.rates, output_audio: 4_000_000n } };
    expect(buildModelConfig(spoken).audio).toStrictEqual({ completion_ratio: 2 });
  });
  test("has a ratio of one to a free price", () => {
    expect(
      buildModelConfig({ ...listed, tiers: [], rates: { ...all(0n), output: 8n } }),
    ).toStrictEqual({
      ...{ ratio: 0, completion_ratio: 1, max_tokens: 50 },
    });
  });
});

test.each([
  [0, 0],
  [0.0000004, 0],
  [0.0000005, 1],
  [-1, 1_000_000],
  [Number.NaN, 1_000_000],
])("a group whose ratio is %d pays %i millionths", (ratio, expected) => {
  expect(readGroupRatio("g", { g: ratio })).toBe(expected);
});

test("the cheapest group of a channel decides; without groups the ratio is one", () => {
  expect(computeLowestGroupRatio(["a", "b", "c"], { a: 2, b: 0.5 })).toBe(500_000);
  expect(computeLowestGroupRatio(["a"], { a: 2 })).toBe(2_000_000);
  expect(computeLowestGroupRatio([], { a: 2 })).toBe(1_000_000);
});
