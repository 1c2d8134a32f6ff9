import { expect, test } from "vitest";
import { formatQuota } from "../../ui/format.ts";
import type { ChangeFact } from "./change-facts.ts";
import { formatFactText } from "./change-values.ts";

const words = {
  label: (member: string) => ({ status: "Status", quota_moved_by: "Quota" })[member],
  name: (member: string, value: number) =>
    member === "status" ? ["Unknown", "Enabled", "Disabled"][value] : undefined,
  reason: (sentence: string) => `told: ${sentence}`,
  thing: (id: string) => ({ "0199aa10": "ann" })[id],
  quota: (units: number) => formatQuota(units, { perUnit: 500_000, inCurrency: true, digits: 2 }),
};

test.each<[ChangeFact, string]>([
  [{ member: "status", from: 1, to: 2 }, "Status: Enabled → Disabled"],
  [{ member: "status", to: 9 }, "Status: 9"],
  [{ member: "weight", from: 1, to: 2 }, "weight: 1 → 2"],
  [{ member: "remain_quota", to: 12_500_000 }, "remain quota: $25.00"],
  [{ member: "quota_moved_by", to: 500_000 }, "Quota: +$1.00"],
  [{ member: "quota_moved_by", to: -350_000 }, "Quota: -$0.70"],
  [{ member: "remark", to: "" }, "remark: -"],
  [{ member: "inviter", to: "0199aa10" }, "inviter: ann"],
  [{ member: "inviter", to: "0199aa11" }, "inviter: 0199aa11"],
  [{ member: "disabled_reason", from: null, to: "401" }, "disabled reason: - → told: 401"],
  [{ member: "", from: "One", to: "Two" }, "One → Two"],
  [{ member: "prices", to: { a: [1] } }, 'prices: {"a":[1]}'],
])("%j is told as %s", (fact, text) => {
  expect(formatFactText(fact, words)).toBe(text);
});

test("times are told as such", () => {
  const text = formatFactText({ member: "expires_at", to: Date.UTC(2026, 10, 26, 12) }, words);
  expect(text).toMatch(/^expires at: 2026-11-2\d \d\d:00:00$/);
});
