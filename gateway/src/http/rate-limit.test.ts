import { expect, test } from "vitest";
import { createMemoryCounters } from "../limits/counters.ts";
import { enforceSharedLimit } from "./rate-limit.ts";

const ofAll = { limit: 300, windowMs: 60_000, name: "codes" };
const rejected = async (tries: readonly Promise<void>[]) =>
  (await Promise.allSettled(tries)).filter(({ status }) => status === "rejected").length;

test("one source of strangers takes an eighth of a window that all share", {
  tags: ["FT-34"],
}, async () => {
  const counters = createMemoryCounters(() => 1_700_000_000_000);
  const from = (address: string, times: number, most?: number) =>
    rejected(
      Array.from({ length: times }, () => enforceSharedLimit(counters, ofAll, address, most)),
    );
  expect(await from("192.0.2.1", 400)).toBe(400 - 37);
  // The addresses of one /64 are one source.
  expect(await from("2001:db8::1", 30)).toBe(0);
  expect(await from("2001:db8::2", 30)).toBe(30 - 7);
  // What was refused counts against nobody else.
  expect(await from("192.0.2.2", 37)).toBe(0);
  expect(await from("192.0.2.3", 20, 5)).toBe(15);
});
