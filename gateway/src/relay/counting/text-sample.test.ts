import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isPartial, sampleText, TextSample } from "./text-sample.ts";

const line = "The quick brown fox jumps over the lazy dog. ";

describe("a sample", () => {
  test("of a text that is not long is the text", () => {
    for (const text of ["", "word", line.repeat(300)]) {
      expect(sampleText(text)).toEqual({ parts: text === "" ? [] : [text], length: text.length });
      expect(isPartial(sampleText(text))).toBe(false);
    }
  });

  test("of a long text is bounded and comes from all of it", () => {
    const text = Array.from({ length: 100_000 }, (_, place) => `${place} `).join("");
    const sample = sampleText(text);
    expect(sample.length).toBe(text.length);
    expect(isPartial(sample)).toBe(true);
    const kept = sample.parts.reduce((sum, part) => sum + part.length, 0);
    expect(kept).toBeGreaterThan(7 * 1_024);
    expect(kept).toBeLessThanOrEqual(16 * 1_024);
    const places = sample.parts.map((part) => text.indexOf(part) / text.length);
    expect(places.every((place) => place >= 0)).toBe(true);
    const gaps = [...places, 1].slice(1).map((place, at) => place - (places[at] ?? 0));
    expect(Math.max(...gaps)).toBeLessThan(2 / 7);
  });

  test("is the same however the text is cut", () => {
    const text = Array.from(
      { length: 12_000 },
      (_, place) => `${(place * 7_919) % 10_007}é\ud83c`,
    ).join("");
    const lengths = fc.array(fc.integer({ min: 0, max: 4_000 }), { maxLength: 60 });
    fc.assert(
      fc.property(lengths, (pieces) => {
        const sample = new TextSample();
        let from = 0;
        for (const length of pieces) {
          sample.push(text.slice(from, from + length));
          from += length;
        }
        expect(sample.read()).toEqual(sampleText(text.slice(0, from)));
      }),
    );
  });
});
