import { logTypes } from "@tollgate/contract/figures/logs.ts";
import { expect, test } from "vitest";
import {
  buildLogQuery,
  filterFromSearch,
  filterToSearch,
  isFiltered,
  logFilterKeys,
  noFilter,
  planEndingQuery,
} from "./log-filter-values.ts";

test("the default range is 168 hours back and one hour ahead, and moves with the clock", () => {
  // 168 h = 604,800 s
  expect(buildLogQuery(noFilter, 2_000_000, true)).toEqual({
    start_timestamp: 1_395_200,
    end_timestamp: 2_003_600,
  });
  expect(buildLogQuery(noFilter, 2_000_060, true)).toEqual({
    start_timestamp: 1_395_260,
    end_timestamp: 2_003_660,
  });
});

test("a usual range reaches back from now, and as far ahead as the default one", () => {
  const filter = filterFromSearch({ range: "15m" });
  expect(buildLogQuery(filter, 2_000_000, true)).toEqual({
    start_timestamp: 1_999_100,
    end_timestamp: 2_003_600,
  });
  // The same link an hour later.
  expect(buildLogQuery(filter, 2_003_600, true)).toEqual({
    start_timestamp: 2_002_700,
    end_timestamp: 2_007_200,
  });
});

test("today and this month begin at midnight of the browser's zone", () => {
  const now = new Date(2026, 10, 27, 14, 30).getTime() / 1000;
  const startOf = (range: string) =>
    buildLogQuery(filterFromSearch({ range }), now, true).start_timestamp;
  expect(startOf("today")).toBe(new Date(2026, 10, 27).getTime() / 1000);
  expect(startOf("month")).toBe(new Date(2026, 10, 1).getTime() / 1000);
});

test("times of an address win over a range, and an unknown range is none", () => {
  expect(filterFromSearch({ range: "1h", start_timestamp: "5" })).toEqual({
    ...noFilter,
    start_timestamp: "5",
  });
  expect(filterFromSearch({ range: "decade" })).toEqual(noFilter);
});

test("username and channel are sent for administrators only", () => {
  const filter = {
    ...noFilter,
    username: "mira",
    channel: "3",
    model_name: "gpt",
    start_timestamp: "5",
    end_timestamp: "9",
  };
  expect(buildLogQuery(filter, 0, true)).toEqual({
    username: "mira",
    channel: "3",
    model_name: "gpt",
    start_timestamp: 5,
    end_timestamp: 9,
  });
  expect(buildLogQuery(filter, 0, false)).toEqual({
    model_name: "gpt",
    start_timestamp: 5,
    end_timestamp: 9,
  });
});

test("a whole key in a link is in no field of the filter", () => {
  const key = `sk-${"aB3".repeat(16)}`;
  expect(filterFromSearch(Object.fromEntries(logFilterKeys.map((name) => [name, key])))).toEqual(
    noFilter,
  );
});

test("invalid parameters of the URL are ignored", () => {
  expect(filterFromSearch({ outcome: "good", retried: "yes", slow: "0" })).toEqual(noFilter);
  expect(
    filterFromSearch({ type: "99", start_timestamp: "yesterday", model_name: "a", p: "2" }),
  ).toEqual({
    ...noFilter,
    model_name: "a",
  });
});

test("a filter is written to the URL and read back, keeps other parameters and returns to the first page", () => {
  const filter = { ...noFilter, type: "2", keyword: "12e4" };
  const search = filterToSearch({ p: "3", size: "50", other: "x" }, filter);
  expect(search).toMatchObject({
    p: undefined,
    size: "50",
    other: "x",
    type: "2",
    keyword: "12e4",
    username: undefined,
  });
  expect(filterFromSearch(search)).toEqual(filter);
  expect(isFiltered(filter)).toBe(true);
  expect(isFiltered(noFilter)).toBe(false);
});

test("the view of problems asks for all of them, until the filter names some", () => {
  expect(planEndingQuery(noFilter, false)).toEqual({});
  expect(planEndingQuery(noFilter, true)).toEqual({ problem: "1" });
  expect(planEndingQuery({ ...noFilter, outcome: "cut", slow: "1" }, true)).toEqual({
    outcome: "cut",
    slow: "1",
  });
  expect(planEndingQuery({ ...noFilter, retried: "1" }, false)).toEqual({ retried: "1" });
});

test("every type of entries can be asked for by the address, and nothing else", () => {
  const typeOf = (type: string) => filterFromSearch({ type }).type;
  const types = Object.values(logTypes).filter(Boolean).map(String);
  expect(types.map(typeOf)).toEqual(types);
  expect(["0", "99", "08", ""].map(typeOf)).toEqual(["", "", "", ""]);
});
