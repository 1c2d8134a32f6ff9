import { buildAlertRuleSettings } from "@tollgate/contract/notices/alert-rule-settings.ts";
import { describe, expect, test } from "vitest";
import { computeHour } from "../../storage/rollups.ts";
import {
  listUnusualCauses,
  type ModelSpeed,
  type SpendingToken,
  type UnusualFigures,
} from "./unusual-causes.ts";

const now = Date.UTC(2026, 10, 22, 9);
const rules = buildAlertRuleSettings('{"calls.slow":{"enabled":true}}');
const dollar = 500_000;

const found = (figures: Partial<UnusualFigures>) =>
  listUnusualCauses({ tokens: [], speeds: [], disk: undefined, ...figures }, rules, now).map(
    ({ event: { rule, subject }, begins }) =>
      `${rule} ${subject.id} ${begins ? "begins" : "lasts"}`,
  );

describe("a key", () => {
  const token = (today: number, usualDays: readonly number[], id = 7): SpendingToken => ({
    id,
    name: "laptop",
    username: "mira",
    today: today * dollar,
    usualDays: usualDays.map((spent) => spent * dollar),
  });

  test("fires above six times its usual day, and not on an unusual one among those before", () => {
    expect(found({ tokens: [token(12.01, [2, 1, 2, 90])] })).toEqual(["spend.spike 7 begins"]);
    expect(found({ tokens: [token(11, [2, 1, 2, 90])] })).toEqual(["spend.spike 7 lasts"]);
    expect(found({ tokens: [token(10, [2, 1, 2, 90])] })).toEqual([]);
  });

  test("fires not below five dollars, and not before it has three days to compare with", () => {
    expect(found({ tokens: [token(4.99, [0.1, 0.1, 0.1])] })).toEqual([]);
    expect(found({ tokens: [token(500, [0.1, 0.1])] })).toEqual([]);
  });

  test("tells what it spent and what it usually spends", () => {
    const [cause] = listUnusualCauses(
      { tokens: [token(92.1, [4, 4.2, 5])], speeds: [], disk: undefined },
      rules,
      now,
    );
    expect(cause?.event.facts).toEqual({
      kind: "spend_spiking",
      key: "laptop",
      username: "mira",
      spent: "$92.10",
      usual: "$4.20",
    });
  });
});

describe("the first content of a model's calls", () => {
  const hour = computeHour(now);
  /** Calls in the bucket up to 250 ms, whose median is 175 ms, or in a later one. */
  const speed = (ago: number, calls: number, bucket = 1): ModelSpeed => ({
    model_name: "small",
    hour: hour - ago,
    ttft: Array.from({ length: 12 }, (_, index) => (index === bucket ? calls : 0)),
  });
  const before = [24, 48, 168].map((ago) => speed(ago, 20));

  test("fires at more than three times the median of the same hours of seven days", () => {
    expect(found({ speeds: [speed(0, 50, 3), ...before] })).toEqual(["calls.slow small begins"]);
    expect(found({ speeds: [speed(0, 50, 2), ...before] })).toEqual(["calls.slow small lasts"]);
    expect(found({ speeds: [speed(0, 50, 1), ...before] })).toEqual([]);
  });

  test("is judged together with the hour before while this one has few calls, and not at all by fewer than fifty", () => {
    expect(found({ speeds: [speed(0, 10, 3), speed(1, 40, 3), ...before] })).toEqual([
      "calls.slow small begins",
    ]);
    expect(found({ speeds: [speed(0, 49, 3), ...before] })).toEqual([]);
    expect(found({ speeds: [speed(0, 50, 3), speed(24, 49)] })).toEqual([]);
    // Other hours of the day say nothing.
    expect(found({ speeds: [speed(0, 50, 3), speed(12, 500)] })).toEqual([]);
  });
});

describe("the disk", () => {
  const gb = 1_000_000_000;
  const disk = (free: number, total: number) =>
    found({ disk: { free: free * gb, total: total * gb } });

  test("fires below a tenth, and ends from twelve per cent on", () => {
    expect(disk(9.9, 100)).toEqual(["storage.trouble disk begins"]);
    expect(disk(11, 100)).toEqual(["storage.trouble disk lasts"]);
    expect(disk(12, 100)).toEqual([]);
  });

  test("fires below a gigabyte however small it is, and never above twenty", () => {
    expect(disk(0.9, 2)).toEqual(["storage.trouble disk begins"]);
    expect(disk(20, 4_000)).toEqual([]);
    expect(found({})).toEqual([]);
  });
});
