import { budgetWindows, windowDaysMax } from "@tollgate/contract/accounts/budget-kinds.ts";
import { isTimeZone } from "@tollgate/contract/api/time-zones.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findWindow, type WindowRule } from "./budget-windows.ts";

const hourMs = 3_600_000;
const at = (text: string): number => Date.parse(text);
const rule = (changes: Partial<WindowRule>): WindowRule => ({
  window: "day",
  first_day: 1,
  anchor: "",
  zone: "UTC",
  counts_from: 0,
  ...changes,
});
const shown = (given: WindowRule, moment: string) => {
  const { start, end } = findWindow(given, at(moment));
  return [new Date(start).toISOString(), end === null ? null : new Date(end).toISOString()];
};

describe("the window of a budget", () => {
  test("is a day of 23 or 25 hours where clocks change", () => {
    const berlin = rule({ zone: "Europe/Berlin" });
    const autumn = ["2026-10-24T22:00:00.000Z", "2026-10-25T23:00:00.000Z"];
    expect(shown(berlin, "2026-10-25T00:30:00Z")).toEqual(autumn);
    expect(shown(berlin, "2026-10-25T22:59:59Z")).toEqual(autumn);
    expect(shown(berlin, "2026-03-29T12:00:00Z")).toEqual([
      "2026-03-28T23:00:00.000Z",
      "2026-03-29T22:00:00.000Z",
    ]);
  });

  test("is a week from its first day, and a month from its day or the last one of a shorter month", () => {
    const week = rule({ window: "week", first_day: 3, zone: "America/New_York" });
    expect(shown(week, "2026-11-22T12:00:00Z")).toEqual([
      "2026-11-18T05:00:00.000Z",
      "2026-11-25T05:00:00.000Z",
    ]);
    const month = rule({ window: "month", first_day: 31 });
    expect(shown(month, "2027-02-27T12:00:00Z")).toEqual([
      "2027-01-31T00:00:00.000Z",
      "2027-02-28T00:00:00.000Z",
    ]);
    expect(shown(month, "2027-02-28T12:00:00Z")).toEqual([
      "2027-02-28T00:00:00.000Z",
      "2027-03-31T00:00:00.000Z",
    ]);
    expect(shown(month, "2027-01-01T00:00:00Z")).toEqual([
      "2026-12-31T00:00:00.000Z",
      "2027-01-31T00:00:00.000Z",
    ]);
  });

  test("is so many days from its anchor, before it too, whatever their length", () => {
    const ten = rule({ window: "days:10", anchor: "2026-03-20", zone: "Europe/Berlin" });
    const spring = ["2026-03-19T23:00:00.000Z", "2026-03-29T22:00:00.000Z"];
    expect(shown(ten, "2026-03-19T23:00:00Z")).toEqual(spring);
    expect(shown(ten, "2026-03-29T21:59:59Z")).toEqual(spring);
    expect(shown(ten, "2026-03-19T22:59:59Z")).toEqual(["2026-03-09T23:00:00.000Z", spring[0]]);
    expect(shown(rule({ window: "days:1", anchor: "2030-01-01" }), "2026-11-22T12:00:00Z")).toEqual(
      ["2026-11-22T00:00:00.000Z", "2026-11-23T00:00:00.000Z"],
    );
    const leapYears = rule({ window: "days:366", anchor: "2024-01-01" });
    expect(shown(leapYears, "2026-01-01T23:59:59Z")).toEqual([
      "2025-01-01T00:00:00.000Z",
      "2026-01-02T00:00:00.000Z",
    ]);
  });

  test("begins with the budget, and a lifetime never ends", () => {
    const counts_from = at("2026-11-22T12:00:00Z");
    const begun = ["2026-11-22T12:00:00.000Z", "2026-11-23T00:00:00.000Z"];
    expect(shown(rule({ counts_from }), "2026-11-22T13:00:00Z")).toEqual(begun);
    expect(shown(rule({ counts_from }), "2026-11-22T11:59:59Z")).toEqual(begun);
    expect(shown(rule({ counts_from }), "2026-11-23T13:00:00Z")[0]).toBe(
      "2026-11-23T00:00:00.000Z",
    );
    expect(shown(rule({ counts_from, window: "lifetime" }), "2030-01-01T00:00:00Z")).toEqual([
      begun[0],
      null,
    ]);
  });

  test("ends where clocks skip or repeat midnight, or a whole day is missing", () => {
    // Cuba sets its clocks forward at midnight; Lord Howe Island by half an hour; Samoa left out 30
    // December 2011.
    expect(shown(rule({ zone: "America/Havana" }), "2026-03-08T12:00:00Z")[0]).toBe(
      "2026-03-08T05:00:00.000Z",
    );
    expect(shown(rule({ zone: "Pacific/Apia" }), "2011-12-30T09:59:59Z")).toEqual([
      "2011-12-29T10:00:00.000Z",
      "2011-12-30T10:00:00.000Z",
    ]);
    const hour = rule({ zone: "Australia/Lord_Howe", window: "hour" });
    const { start, end } = findWindow(hour, at("2026-04-05T12:59:00Z"));
    expect(new Date(end ?? 0).getTime() - start).toBeLessThanOrEqual(hourMs);
  });

  const zones = [
    ...[
      "UTC",
      "Europe/Berlin",
      "Europe/Dublin",
      "Europe/Lisbon",
      "Europe/Moscow",
      "Europe/Istanbul",
      "Africa/Casablanca",
    ],
    ...[
      "Africa/Cairo",
      "Africa/Johannesburg",
      "Africa/Lagos",
      "Africa/Nairobi",
      "America/New_York",
      "America/Chicago",
    ],
    ...[
      "America/Denver",
      "America/Los_Angeles",
      "America/Anchorage",
      "America/St_Johns",
      "America/Halifax",
      "America/Havana",
    ],
    ...[
      "America/Asuncion",
      "America/Santiago",
      "America/Sao_Paulo",
      "America/Nuuk",
      "America/Caracas",
      "Asia/Tehran",
    ],
    ...[
      "Asia/Beirut",
      "Asia/Gaza",
      "Asia/Jerusalem",
      "Asia/Kolkata",
      "Asia/Kathmandu",
      "Asia/Shanghai",
      "Asia/Tokyo",
    ],
    ...[
      "Asia/Pyongyang",
      "Australia/Sydney",
      "Australia/Lord_Howe",
      "Australia/Eucla",
      "Pacific/Auckland",
      "Pacific/Chatham",
    ],
    ...["Pacific/Apia", "Pacific/Kiritimati", "Pacific/Honolulu", "Antarctica/Troll"],
  ];
  const someRule = fc.record({
    window: fc.oneof(
      fc.constantFrom(...budgetWindows.filter((window) => window !== "lifetime")),
      fc.integer({ min: 1, max: windowDaysMax }).map((days) => `days:${days}` as const),
    ),
    anchor: fc.date({
      min: new Date("1999-01-01"),
      max: new Date("2040-01-01"),
      noInvalidDate: true,
    }),
    first_day: fc.integer({ min: 1, max: 31 }),
    zone: fc.constantFrom(...zones),
  });

  test("holds its moment, has no gap to the next one and no overlap, in every zone over all changes of clocks", {
    tags: ["BU-02"],
  }, () => {
    const moment = fc.integer({ min: at("2005-01-01T00:00:00Z"), max: at("2037-12-31T00:00:00Z") });
    fc.assert(
      fc.property(someRule, moment, ({ window, first_day, zone, ...from }, now) => {
        const anchor = from.anchor.toISOString().slice(0, 10);
        const given = rule({
          window,
          zone,
          anchor,
          first_day: window === "week" ? ((first_day - 1) % 7) + 1 : first_day,
        });
        const { start, end } = findWindow(given, now);
        if (end === null) throw new Error("the window has no end");
        expect(start).toBeLessThanOrEqual(now);
        expect(now).toBeLessThan(end);
        expect(findWindow(given, start)).toEqual({ start, end });
        expect(findWindow(given, end - 1)).toEqual({ start, end });
        expect(findWindow(given, end).start).toBe(end);
      }),
      { numRuns: 400 },
    );
  });

  test("of each hour around a change of clocks joins the one before", () => {
    for (const zone of zones) {
      for (const window of ["hour", "day", "days:3"] as const) {
        const given = rule({ zone, window, anchor: "2026-08-01" });
        for (const month of ["2026-03-01T00:00:00Z", "2026-10-20T00:00:00Z"]) {
          let { end } = findWindow(given, at(month));
          const last = at(month) + 9 * 86_400_000;
          while (end !== null && end < last) {
            const next = findWindow(given, end);
            expect(next.start).toBe(end);
            end = next.end;
          }
        }
      }
    }
  });

  test("needs a zone that exists", () => {
    expect(["Europe/Berlin", "UTC", "Mars/Olympus", "", "../etc"].map(isTimeZone)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});
