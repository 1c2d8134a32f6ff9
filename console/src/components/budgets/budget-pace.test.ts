import { expect, test } from "vitest";
import { paceMoments } from "./budget-pace.ts";

const at = (text: string): number => Date.parse(text);
const november = {
  ...{
    window_start: at("2026-10-31T23:00:00Z"),
    resets_at: at("2026-11-30T23:00:00Z"),
    zone: "Europe/Berlin",
  },
  usedUpAt: at("2026-11-22T23:30:00Z"),
};

test("a window ends on its last day in its zone, and in English the day of the same month is the 23rd", () => {
  expect(paceMoments(november, "en")).toEqual({
    end: "30 November",
    reached: "the 23rd",
    isTime: false,
  });
  expect(paceMoments({ ...november, usedUpAt: at("2026-11-11T12:00:00Z") }, "en").reached).toBe(
    "the 11th",
  );
  expect(paceMoments(november, "de")).toEqual({
    end: "30. November",
    reached: "23. November",
    isTime: false,
  });
  expect(paceMoments({ ...november, usedUpAt: null }, "en").reached).toBeUndefined();
});

test("a day of another month is named with it, and a window of a day or less ends at a time", () => {
  const weeks = {
    ...november,
    window_start: at("2026-11-20T23:00:00Z"),
    resets_at: at("2026-12-04T23:00:00Z"),
  };
  expect(paceMoments(weeks, "en")).toMatchObject({ end: "4 December", reached: "23 November" });
  const longDay = {
    ...november,
    window_start: at("2026-10-24T22:00:00Z"),
    resets_at: at("2026-10-25T23:00:00Z"),
  };
  expect(paceMoments({ ...longDay, usedUpAt: at("2026-10-25T13:20:00Z") }, "en")).toEqual({
    ...{ end: "00:00", reached: "14:20", isTime: true },
  });
});
