import { expect, test } from "vitest";
import {
  composeUuidFromId,
  computeIdFloor,
  computeIdTime,
  requestIdFromId,
} from "../../storage/time-ids.ts";
import { buildLogFilter, buildMonth, buildWholeUnits, needsScan } from "./log-filter.ts";

const hour = 3_600_000;
const day = 24 * hour;
const now = 1000 * hour + 5;

test("seconds on the wire are inclusive at both ends, type 0 is every type", () => {
  expect(buildLogFilter({ start_timestamp: 10, end_timestamp: 10, type: 0 })).toMatchObject({
    from: 10_000,
    to: 11_000,
  });
  expect(buildLogFilter({ type: 0 }).type).toBeUndefined();
});

test("a whole id finds its row, whatever else is asked for; any other text is searched", () => {
  const id = computeIdFloor(Date.UTC(2026, 10, 22)) + 7;
  const row = { id, from: computeIdTime(id), to: computeIdTime(id) + 1 };
  const others = {
    start_timestamp: 1,
    end_timestamp: 2,
    model_name: "m",
    type: 5,
    outcome: "failed",
  } as const;
  const uuid = composeUuidFromId(id);
  for (const keyword of [
    requestIdFromId(id),
    uuid,
    uuid.replaceAll("-", "").toUpperCase(),
    ` ${uuid} `,
    `#${id}`,
  ])
    expect(buildLogFilter({ ...others, keyword }), keyword).toEqual(row);
  for (const keyword of [String(id), "#", "#7x", uuid.slice(1), "20261322000000000"])
    expect([buildLogFilter({ keyword }).keyword, buildLogFilter({ keyword }).id], keyword).toEqual([
      keyword,
      undefined,
    ]);
});

test("a request id finds its row alone, and one that is no id finds none instead of all", () => {
  const id = computeIdFloor(Date.UTC(2026, 10, 22)) + 7;
  const row = { id, from: computeIdTime(id), to: computeIdTime(id) + 1 };
  expect(
    buildLogFilter({ request_id: requestIdFromId(id), keyword: "timeout", model_name: "m" }),
  ).toEqual(row);
  expect(buildLogFilter({ request_id: composeUuidFromId(id) })).toEqual(row);
  expect(buildLogFilter({ request_id: "chatcmpl-1" }).id).toBe(0);
  expect(buildLogFilter({ request_id: "" }).id).toBeUndefined();
});

test("a span is whole hours and its edges", () => {
  expect(buildWholeUnits({ from: 1.5 * hour, to: 3.5 * hour }, hour, now)).toEqual({
    units: { first: 2, end: 3 },
    edges: [
      { from: 1.5 * hour, to: 2 * hour },
      { from: 3 * hour, to: 3.5 * hour },
    ],
  });
  expect(buildWholeUnits({ from: 1.1 * hour, to: 1.9 * hour }, hour, now).units).toBeUndefined();
  // A span beyond now: the current hour counts as whole.
  expect(buildWholeUnits({ from: 0, to: now + hour }, hour, now)).toEqual({
    units: { first: 0, end: 1001 },
    edges: [],
  });
});

test("a search covers a month: the last one by default", () => {
  expect(buildMonth({ from: 0, to: now + day }, now)).toEqual({
    from: now + 2 * hour - 30 * day,
    to: now + 2 * hour,
  });
  expect(buildMonth({ from: now - 30 * day, to: now + hour }, now).from).toBe(now - 30 * day);
  expect(() => buildMonth({ from: now - 31 * day, to: now }, now)).toThrow(
    expect.objectContaining({ code: "log_range_required" }),
  );
});

test("filters by user, user and model, model, or channel have an index; other combinations and text search do not", () => {
  const span = { from: 0, to: 1 };
  expect(needsScan({ ...span, userId: 1, type: 2 })).toBe(false);
  expect(needsScan({ ...span, model: "m" })).toBe(false);
  expect(needsScan({ ...span, userId: 1, model: "m" })).toBe(false);
  expect(needsScan({ ...span, channelId: 1, model: "m" })).toBe(true);
  expect(needsScan({ ...span, channelId: 1, userId: 1 })).toBe(true);
  expect(needsScan({ ...span, type: 5 })).toBe(true);
  expect(needsScan({ ...span, keyword: "x" })).toBe(true);
  for (const more of [
    { outcome: "ok" as const },
    { isRetried: true },
    { isSlow: true },
    { isProblem: true },
  ])
    expect(needsScan({ ...span, ...more })).toBe(true);
});
