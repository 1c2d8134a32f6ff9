import { expect, test } from "vitest";
import {
  addGroupToggled,
  buildLatencyTone,
  computeChannelCount,
  groupNames,
  normalizeBaseUrl,
  splitNames,
} from "./channel-screen-rules.ts";

test("the last group cannot be taken away: it falls back to default", () => {
  expect(addGroupToggled(["default", "vip"], "vip")).toEqual(["default"]);
  expect(addGroupToggled(["vip"], "vip")).toEqual(["default"]);
  expect(addGroupToggled(["default"], "default")).toEqual(["default"]);
  expect(addGroupToggled(["default"], "vip")).toEqual(["default", "vip"]);
  expect(groupNames("")).toEqual(["default"]);
  expect(groupNames("vip, internal")).toEqual(["vip", "internal"]);
});

test("names are read from a comma-separated list or an empty value", () => {
  expect(splitNames(" a,,b ")).toEqual(["a", "b"]);
  expect(splitNames(null)).toEqual([]);
});

test.each([
  ["", false, 1],
  ["sk-one", false, 1],
  ["sk-one\n\n sk-two \n", false, 2],
  ["sk-one\nsk-two", true, 1],
  ['{\n  "client_id": "one key of many lines"\n}', false, 1],
])("the key %j with several keys in one channel %s creates %i", (key, multi_key, count) => {
  expect(computeChannelCount({ key, multi_key })).toBe(count);
});

test("latency turns yellow at one second and red at three", () => {
  expect([0, 999, 1_000, 2_999, 3_000].map(buildLatencyTone)).toEqual([
    "good",
    "good",
    "warn",
    "warn",
    "bad",
  ]);
});

test("a base URL loses its trailing slashes", () => {
  expect(normalizeBaseUrl(" https://a.example/v1// ")).toBe("https://a.example/v1");
  expect(normalizeBaseUrl(null)).toBe("");
});
