import { expect, test } from "vitest";
import { hostileAddresses, injections, lineInjections } from "./injections.ts";

test("there are at least five hundred payloads, each another text", () => {
  const texts = injections.map(({ text }) => text);
  expect(texts.length).toBeGreaterThanOrEqual(500);
  expect(new Set(texts).size).toBe(texts.length);
  expect(new Set(hostileAddresses).size).toBe(hostileAddresses.length);
});

test("every family has some, and the shortest fields take enough of them", () => {
  const sizes = Object.values(Object.groupBy(injections, ({ family }) => family)).map(
    (some) => some?.length ?? 0,
  );
  expect(sizes.length).toBeGreaterThanOrEqual(10);
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(10);
  expect(lineInjections(20).length).toBeGreaterThanOrEqual(50);
  expect(lineInjections(20).filter(({ text }) => text.length > 20 || /[\n\0]/.test(text))).toEqual(
    [],
  );
});
