import { expect, test } from "vitest";
import {
  buildDateTimeLocal,
  fromDateTimeLocal,
  readMoment,
  writeMoment,
} from "./datetime-local.ts";

test("a time survives the input field to the second", () => {
  expect(fromDateTimeLocal(buildDateTimeLocal(1_795_100_005))).toBe(1_795_100_005);
  expect(readMoment(writeMoment(1_795_100_005))).toBe(1_795_100_005);
  expect(fromDateTimeLocal("")).toBeUndefined();
  expect(fromDateTimeLocal("soon")).toBeUndefined();
});

test("a typed time is a day, with or without a time and its seconds", () => {
  const midnight = fromDateTimeLocal("2026-11-21T00:00:00") ?? 0;
  expect(readMoment("2026-11-21")).toBe(midnight);
  expect(readMoment(" 2026-11-21 09:30 ")).toBe(midnight + 34_200);
  expect(readMoment("2026-11-21T09:30:05")).toBe(midnight + 34_205);
});

test.each([
  "",
  "2026-11",
  "21.11.2026",
  "2026-02-30",
  "2026-13-01",
  "2026-11-21 25:00",
  "2026-11-21 9",
  "soon",
])("'%s' is no time", (text) => {
  expect(readMoment(text)).toBeUndefined();
});
