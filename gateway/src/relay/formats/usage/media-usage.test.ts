import { describe, expect, test } from "vitest";
import { noUsage, type Rates } from "../../../money/prices/price.ts";
import type { RelayCall } from "../api-format.ts";
import {
  buildExtrasInPriceUnit,
  buildImagesUsage,
  buildSpeechUsage,
  buildTranscriptionUsage,
  buildVariant,
  computeImageTokens,
  computeSpeechTokens,
  inputImageTokens,
} from "./media-usage.ts";
import { type ReportedUsage, unlimited } from "./reported-usage.ts";

/** Picodollars; one for all text. */
const plain: Rates = {
  input: 1n,
  cache_read: 1n,
  cache_write_5m: 1n,
  cache_write_1h: 1n,
  output: 1n,
};
const byPicture: Rates = { ...plain, images: 100n };
const byCharacter: Rates = { ...plain, output: 4n, characters: 3n };
const bySound: Rates = { ...plain, output: 4n };
const bySecond: Rates = { ...plain, seconds: 9n };

const callWith = (extras: RelayCall["extras"], bodyBytes = 100_000): RelayCall =>
  ({
    promptEstimate: 10,
    extras,
    isStream: false,
    body: Buffer.alloc(bodyBytes),
  }) as unknown as RelayCall;
/** The provider may report false usage, and all of the call can be judged. */
const distrusted = {
  ...unlimited,
  isDistrusted: true,
  isPromptSeen: () => true,
  isOutputSeen: () => true,
};
const reportOf = (usage: object): ReportedUsage => ({
  usage: { ...noUsage, ...usage },
  hiddenOutput: 0,
  isCorrected: false,
});
/** The charge is the provider's own count. */
const exactly = (usage: unknown) => ({ usage, marks: [] });

test.each([
  ["1024x1024", "low", 272],
  ["1024x1024", "medium", 1_056],
  ["1024x1024", "high", 4_160],
  ["1024x1536", "high", 6_240],
  ["2048X2048", "high", 16_640],
  ["auto", "auto", 6_240],
  ["", "", 6_240],
  ["0x0", "hd", 6_240],
  ["99999x99999", "low", Math.ceil(((3840 * 2160) / 1024 ** 2) * 272)],
  ["99999x99999", "high", 32_907],
  ["1024x1024", "constructor", 4_160],
])("an image of %s in quality %s has at most %i tokens", (size, quality, tokens) => {
  expect(computeImageTokens(size, quality)).toBe(tokens);
});

test.each([
  ["1024x1024", "hd", { variant: "1024x1024/hd" }],
  ["1024x1024", "", { variant: "1024x1024/" }],
  ["auto", "hd", { variant: "/hd" }],
  ["auto", "auto", {}],
])("size %j and quality %j are called %j in prices", (size, quality, variant) => {
  expect(buildVariant(size, quality)).toEqual(variant);
});

describe("the usage to hold for", () => {
  const extras = {
    images: 2,
    output_image: 900,
    input_image: 50,
    characters: 30,
    output_audio: 40,
    seconds: 7,
  };
  test.each<[string, Rates, object]>([
    [
      "the picture and the character",
      { ...byPicture, characters: 3n },
      { seconds: 7, images: 2, characters: 30 },
    ],
    [
      "tokens of both",
      bySound,
      { seconds: 7, output_image: 900, input_image: 50, output_audio: 40 },
    ],
    ["text alone", plain, { seconds: 7, output_image: 900, input_image: 50, characters: 30 }],
  ])("is counted once, in the unit of a price for %s", (_, rates, counted) => {
    expect(buildExtrasInPriceUnit(extras, rates)).toStrictEqual(counted);
  });
  test("is nothing where the request has no extras", () => {
    expect(buildExtrasInPriceUnit({}, plain)).toStrictEqual({});
  });
});

test("a call without extras is charged for the delivered output alone", () => {
  const call = callWith(undefined);
  const seen = { textBytes: 0, images: 1 };
  expect(buildImagesUsage(call, undefined, seen, plain).usage).toEqual({
    ...noUsage,
    input: 10,
    input_image: 0,
    images: 1,
  });
  expect(buildSpeechUsage(call, "wav", undefined, 1, plain).usage).toEqual({
    ...noUsage,
    characters: 0,
  });
  expect(
    buildTranscriptionUsage(call, undefined, { textBytes: 25, images: 0 }, bySecond).usage,
  ).toEqual({
    ...noUsage,
    seconds: 1,
  });
});

describe("images", () => {
  const call = callWith({ images: 2, input_image: 3_000 });
  const seen = { textBytes: 0, images: 2 };
  const tokens = { ...reportOf({ input: 12, output_image: 8_000 }), hiddenOutput: 8_000 };
  test("cost the reported tokens", () => {
    expect(buildImagesUsage(call, tokens, seen, plain)).toEqual(exactly(tokens.usage));
  });
  test("cost the price per image where there is one, whatever was reported", () => {
    expect(buildImagesUsage(call, tokens, seen, byPicture)).toEqual(
      exactly({ ...noUsage, images: 2 }),
    );
  });
  test.each<[string, ReportedUsage | undefined, string]>([
    ["were not reported", undefined, "none_reported"],
    [
      "were reported against all reason by a provider that may",
      reportOf({ input: 90_000, output_image: 1 }),
      "distrusted",
    ],
  ])("are counted when tokens %s", (_, said, reason) => {
    const usage = { ...noUsage, input: 10, input_image: 3_000, images: 2 };
    expect(buildImagesUsage(call, said, seen, plain, distrusted)).toMatchObject({ usage, reason });
  });
});

test.each([
  [0, 0],
  [15, 21],
  [1_500, 2_084],
])("%i characters are at most %i tokens when they are spoken", (characters, tokens) => {
  expect(computeSpeechTokens(characters)).toBe(tokens);
});

test("an input image at high detail is held for as 3,000 tokens", () =>
  expect(inputImageTokens).toBe(3_000));

describe("speech", () => {
  const call = callWith({ characters: 30 });
  const tokens = { ...reportOf({ input: 8, output_audio: 400 }), hiddenOutput: 400 };
  test.each<[string, Rates]>([
    ["has a price for characters", byCharacter],
    ["does not tell speech from text", plain],
  ])("costs its characters where the price %s, however much audio was delivered", (_, rates) => {
    expect(buildSpeechUsage(call, "mp3", tokens, 1, rates)).toEqual(
      exactly({ ...noUsage, characters: 30 }),
    );
  });
  test("costs the reported tokens where the price is per token", () => {
    expect(buildSpeechUsage(call, "mp3", tokens, 1, bySound)).toEqual(exactly(tokens.usage));
  });
  test.each([
    ["wav", 48_000 * 60, 1_250],
    ["mp3", 16_000 * 60, 1_250],
    ["mp3", 16_000 * 4, 84],
    ["", 16_000 * 60, 1_250],
    ["pcm", 48_000 * 60_000, 1_250_000],
    ["wav", 48_000 * 60_000, 1_250_000],
    ["flac", 24_000 * 60_000, 1_250_000],
    ["opus", 6_000 * 60_000, 1_250_000],
    ["mp3", 16_000 * 60_000, 1_250_000],
    ["constructor", 16_000, 21],
  ])("in the format %j has tokens by its delivered length", (format, bytes, output_audio) => {
    const usage = { ...noUsage, input: 10, output_audio };
    expect(buildSpeechUsage(call, format, undefined, bytes, bySound)).toMatchObject({
      usage,
      reason: "none_reported",
    });
  });
});

describe("an audio file", () => {
  const call = callWith({ seconds: 12 });
  const seen = { textBytes: 40, images: 0 };
  const tokens = reportOf({ input: 2, input_audio: 120, output: 11 });
  const seconds = reportOf({ seconds: 15 });
  test.each<[string, ReportedUsage | undefined, Rates, object, unknown]>([
    ["the tokens that were told", tokens, plain, tokens.usage, undefined],
    [
      "the tokens alone, where both were told",
      reportOf({ ...tokens.usage, seconds: 15 }),
      plain,
      tokens.usage,
      undefined,
    ],
    [
      "the seconds alone, where both were told and they have a price",
      reportOf({ ...tokens.usage, seconds: 15 }),
      bySecond,
      { ...noUsage, seconds: 15 },
      undefined,
    ],
    ["the seconds that were told", seconds, bySecond, { ...noUsage, seconds: 15 }, undefined],
    [
      "seconds and words, where no second has a price",
      seconds,
      plain,
      { ...noUsage, seconds: 15, output: 10 },
      undefined,
    ],
    [
      "the seconds of the file",
      undefined,
      bySecond,
      { ...noUsage, seconds: 12 },
      "duration_unknown",
    ],
    [
      "the seconds of the file, where tokens have no price",
      tokens,
      bySecond,
      { ...noUsage, seconds: 12 },
      "duration_unknown",
    ],
    [
      "no more than it can last",
      reportOf({ seconds: 900_000 }),
      bySecond,
      { ...noUsage, seconds: 12 },
      "duration_unknown",
    ],
    [
      "no tokens against all reason",
      reportOf({ input_audio: 90_000 }),
      plain,
      { ...noUsage, seconds: 12, output: 10 },
      "duration_unknown",
    ],
  ])("costs %s", (_, said, rates, usage, reason) => {
    const charged = buildTranscriptionUsage(call, said, seen, rates, distrusted);
    expect(charged.usage).toEqual(usage);
    expect(charged.reason).toBe(reason);
  });
  test("rounds parts of a second and of a token up, and nothing to nothing", () => {
    const usageOf = (textBytes: number) =>
      buildTranscriptionUsage(callWith({}), undefined, { textBytes, images: 0 }, plain).usage;
    expect(usageOf(26)).toEqual({ ...noUsage, seconds: 2, output: 7 });
    expect(usageOf(41)).toEqual({ ...noUsage, seconds: 2, output: 11 });
    expect(usageOf(0)).toEqual({ ...noUsage, seconds: 0, output: 0 });
  });
  test("costs a single reported token", () => {
    const one = reportOf({ input: 1 });
    expect(buildTranscriptionUsage(call, one, seen, plain)).toEqual(exactly(one.usage));
  });
  test("has an estimate of its text where the price has no rate per second", () => {
    expect(buildTranscriptionUsage(call, seconds, seen, plain).uncounted).toEqual({
      hasPrompt: false,
      completionMin: 0,
    });
    expect(buildTranscriptionUsage(call, seconds, seen, bySecond).uncounted).toBeUndefined();
  });
  test("costs the reported tokens of a distrusted provider up to four times the plausible maximum", () => {
    const usageOf = (input_audio: number) =>
      buildTranscriptionUsage(call, reportOf({ input_audio }), seen, plain, distrusted).usage;
    expect(usageOf(2_000)).toEqual({ ...noUsage, input_audio: 2_000 });
    expect(usageOf(2_001)).toEqual({ ...noUsage, seconds: 12, output: 10 });
  });
  test("lasts as long as its text takes to speak, however small the file", () => {
    const long = { textBytes: 2_500, images: 0 };
    expect(buildTranscriptionUsage(call, undefined, long, bySecond).usage).toEqual({
      ...noUsage,
      seconds: 100,
    });
    expect(buildTranscriptionUsage(call, seconds, long, bySecond).usage).toEqual({
      ...noUsage,
      seconds: 15,
    });
  });
});
