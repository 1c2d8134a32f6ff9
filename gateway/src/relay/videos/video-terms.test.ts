// What a video is held for and charged.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FrozenPrice } from "../../money/prices/price.ts";
import { inSize } from "../../money/prices/video-price.ts";
import { buildMeasuresAsked, parseSeconds, unstatedSeconds, videos } from "../formats/videos.ts";
import { buildVideoCharge, computeHeldUnits, isPricedByVideo } from "./video-terms.ts";

const priced = (rates: FrozenPrice["rates"], group_ratio = 1_000_000): FrozenPrice => ({
  rates,
  group_ratio,
  source: "test",
  source_date: "",
  verified: true,
});
const units = (count: number): string => String(count * 2_000_000);
const asked = priced({ seconds: units(10) });
const large = priced({ seconds: units(30) });
const terms = { asked, bySize: { "1792x1024": large }, seconds: 8, isDistrusted: false };

describe("a video", () => {
  test("holds for the seconds that are asked for, else for the longest of a request without any", () => {
    expect(computeHeldUnits(terms, { seconds: 8, size: "1280x720" })).toBe(80);
    expect(computeHeldUnits(terms, { seconds: undefined, size: "1280x720" })).toBe(120);
  });
  test("holds for the dearest size where none is asked for", () => {
    expect(computeHeldUnits(terms, { seconds: 4, size: "" })).toBe(120);
    expect(
      computeHeldUnits({ asked: large, bySize: { "720p": asked } }, { seconds: 4, size: "" }),
    ).toBe(120);
  });
  test("costs what the provider made, and what was asked for where it does not say", () => {
    const charged = (seconds: number | undefined, size: string) =>
      buildVideoCharge(terms, { seconds, size }).units;
    expect([
      charged(8, "1280x720"),
      charged(4, ""),
      charged(undefined, ""),
      charged(12, ""),
    ]).toEqual([80, 40, 80, 120]);
    expect([charged(4, "1792x1024"), charged(4, "1024X1792"), charged(4, "1x1")]).toEqual([
      120, 120, 40,
    ]);
    expect(buildVideoCharge({ ...terms, asked: large }, { seconds: 1, size: "1x1" }).units).toBe(
      30,
    );
    const { seconds: _, ...unstated } = terms;
    expect(buildVideoCharge(unstated, { seconds: undefined, size: "" }).units).toBe(120);
  });
  test("costs no more seconds than were asked for where the provider may report false usage", () => {
    const distrusted = { ...terms, isDistrusted: true };
    expect(
      [4, 8, 600].map((seconds) => buildVideoCharge(distrusted, { seconds, size: "" }).units),
    ).toEqual([40, 80, 80]);
  });
  test("costs its fee for the call alone where the price has no second, or both", () => {
    const fee = priced({ calls: units(7), input: units(1) });
    expect(buildVideoCharge({ ...terms, asked: fee }, { seconds: 8, size: "" }).units).toBe(7);
    const both = priced({ calls: units(7), seconds: units(10) }, 1_500_000);
    expect(buildVideoCharge({ ...terms, asked: both }, { seconds: 1, size: "" }).units).toBe(26);
    expect(
      [
        fee,
        both,
        priced({ seconds: "0" }),
        priced({ input: units(1) }),
        priced({ calls: "0" }),
        priced({ calls: "1" }),
      ].map(isPricedByVideo),
    ).toEqual([true, true, true, false, false, true]);
  });
});

test("what is held covers every video that the request allows", { tags: ["VI-01"] }, () => {
  const rate = fc.bigInt({ min: 0n, max: 10n ** 13n }).map(String);
  const ratio = fc.nat({ max: 5_000_000 });
  const rates = fc.oneof(
    fc.record({ seconds: rate }),
    fc.record({ calls: rate }),
    fc.record({ seconds: rate, calls: rate }),
  );
  const sizes = ["720x1280", "1280x720", "1024x1792", "1792x1024"] as const;
  const bySizes = fc.dictionary(fc.constantFrom(...sizes), rates, { maxKeys: 3 });
  const size = fc.constantFrom("", ...sizes);
  const seconds = fc.option(fc.integer({ min: 1, max: 600 }), { nil: undefined });
  fc.assert(
    fc.property(
      rates,
      bySizes,
      ratio,
      size,
      size,
      seconds,
      seconds,
      fc.boolean(),
      (usual, own, group, wish, made, asked, told, isDistrusted) => {
        const bySize = Object.fromEntries(
          Object.entries(own).map(([name, its]) => [name, priced(its, group)]),
        );
        const prices = { asked: inSize(bySize, wish) ?? priced(usual, group), bySize };
        const held = computeHeldUnits(prices, { seconds: asked, size: wish });
        const terms = { ...prices, isDistrusted, ...(asked !== undefined && { seconds: asked }) };
        // Who is believed may name more seconds; then the promise ends with those that were asked
        // for.
        const longest = asked ?? unstatedSeconds;
        const counted = told === undefined || isDistrusted ? told : Math.min(told, longest);
        const charged = buildVideoCharge(terms, {
          seconds: counted,
          size: wish === "" ? made : wish,
        });
        expect(charged.units).toBeLessThanOrEqual(held);
      },
    ),
    { numRuns: 2_000 },
  );
});

test("seconds are whole, positive and bounded, as texts or numbers", () => {
  expect(["8", 8, "4.2", 599.5].map(parseSeconds)).toEqual([8, 8, 5, 600]);
  for (const wrong of [
    "",
    "0",
    "-4",
    "4s",
    "1e2",
    "99999",
    0,
    -1,
    601,
    Number.NaN,
    null,
    undefined,
    {},
  ])
    expect(parseSeconds(wrong)).toBeUndefined();
});

test("a request is held for with what it asks, and unknown members are refused by their name", () => {
  const parsed = videos.parseRequest({ prompt: "p", seconds: "8", size: "1280x720" }, true);
  expect(parsed).toMatchObject({ model: "sora-2", extras: { seconds: 8 }, variant: "1280x720/" });
  const body = Buffer.from('{"seconds":12,"seconds":"4","size":"720x1280"}');
  expect(buildMeasuresAsked({ body })).toEqual({ seconds: 4, size: "720x1280" });
  expect(buildMeasuresAsked({ body: Buffer.from("{}") })).toEqual({ seconds: undefined, size: "" });
  for (const more of [
    { n: 4 },
    { Seconds: "60" },
    { input_reference: { file_id: "file-1" } },
    { seconds: "0" },
  ])
    expect(() => videos.parseRequest({ prompt: "p", ...more }, true)).toThrow(Object.keys(more)[0]);
});
