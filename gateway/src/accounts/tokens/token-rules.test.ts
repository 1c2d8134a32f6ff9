import { expect, test } from "vitest";
import { changeColumns, composeKey, computeQuota, showStatus } from "./token-rules.ts";

const now = 1_000_000_000_000;
const past = now - 1;
const pastSeconds = 999_999_999;
const futureSeconds = 1_000_000_001;
const token = { status: 1, remain_quota: 100, unlimited_quota: 0, expired_at: null };

test("keys are 48 letters and digits and never the same", () => {
  const keys = Array.from({ length: 200 }, composeKey);
  expect(keys.every((key) => /^[A-Za-z0-9]{48}$/.test(key))).toBe(true);
  expect(new Set(keys).size).toBe(200);
});

test("an edit that names the quota it read undoes no spending", () => {
  expect(computeQuota(70, { remain_quota: 100, remain_quota_read: 100 })).toBe(70);
  expect(computeQuota(70, { remain_quota: 150, remain_quota_read: 100 })).toBe(120);
  expect(computeQuota(70, { remain_quota: 0, remain_quota_read: 100 })).toBe(0);
  expect(computeQuota(70, { remain_quota: 100 })).toBe(100);
  expect(computeQuota(70, {})).toBe(70);
});

test("an enabled token shows as expired after its time, a disabled one does not", () => {
  const token = { status: 1, expired_at: null, remain_quota: 1, unlimited_quota: 0 };
  expect(showStatus({ ...token, expired_at: past }, now)).toBe(3);
  expect(showStatus({ ...token, status: 2, expired_at: past }, now)).toBe(2);
  expect(showStatus(token, now)).toBe(1);
});

test("a token without quota is exhausted, also where no charge made it so", () => {
  const token = { status: 1, expired_at: null, remain_quota: 0, unlimited_quota: 0 };
  expect(showStatus(token, now)).toBe(4);
  expect(showStatus({ ...token, unlimited_quota: 1 }, now)).toBe(1);
  expect(showStatus({ ...token, status: 2 }, now)).toBe(2);
  expect(showStatus({ ...token, expired_at: past }, now)).toBe(3);
});

test.each([
  ["disable", token, { status: 2 }, 2],
  ["enable", { ...token, status: 2 }, { status: 1 }, 1],
  [
    "enable with a new expiry",
    { ...token, expired_at: past },
    { status: 1, expired_time: futureSeconds },
    1,
  ],
  ["enable forever, 0", { ...token, expired_at: past }, { status: 1, expired_time: 0 }, 1],
  [
    "enable with more quota",
    { ...token, status: 4, remain_quota: 0 },
    { status: 1, remain_quota: 5 },
    1,
  ],
  [
    "enable unlimited",
    { ...token, status: 4, remain_quota: 0 },
    { status: 1, unlimited_quota: true },
    1,
  ],
  [
    "sent back expired with a new expiry",
    { ...token, expired_at: past },
    { status: 3, expired_time: futureSeconds },
    1,
  ],
  ["sent back expired as it was", { ...token, expired_at: past }, { status: 3 }, 1],
  [
    "sent back exhausted with quota",
    { ...token, status: 4, remain_quota: 0 },
    { status: 4, remain_quota: 5 },
    1,
  ],
  ["sent back exhausted as it was", { ...token, status: 4, remain_quota: 0 }, { status: 4 }, 4],
  ["renamed while disabled", { ...token, status: 2 }, { name: "b" }, 2],
  ["quota for an exhausted one", { ...token, status: 4, remain_quota: 0 }, { remain_quota: 5 }, 1],
])("status after: %s", (_, stored, change, status) => {
  expect(changeColumns(stored, change, now, "vip").status).toBe(status);
});

test.each([
  ["expired", { ...token, expired_at: past }, { status: 1 }, "token_expired"],
  [
    "expired, still",
    { ...token, expired_at: past },
    { status: 1, expired_time: pastSeconds },
    "token_expired",
  ],
  ["used up", { ...token, status: 4, remain_quota: 0 }, { status: 1 }, "token_exhausted"],
  [
    "used up, still",
    { ...token, status: 4, remain_quota: 0 },
    { status: 1, remain_quota: 0 },
    "token_exhausted",
  ],
])("cannot be enabled: %s", (_, stored, change, code) => {
  expect(() => changeColumns(stored, change, now, "vip")).toThrow(
    expect.objectContaining({ code }),
  );
});

test("a missing member keeps its column, null clears a restriction", () => {
  expect(changeColumns(token, { name: "b" }, now, "vip")).toEqual({ name: "b", status: 1 });
  expect(
    changeColumns(token, { models: null, subnet: null, expired_time: -1 }, now, "vip"),
  ).toEqual({
    models: "",
    subnet: "",
    expired_at: null,
    status: 1,
  });
});

test.each([
  [
    "models of a newer form",
    { model_limits_enabled: true, model_limits: "gpt-4o" },
    { models: "gpt-4o" },
  ],
  ["models without the switch", { model_limits: "gpt-4o" }, { models: "gpt-4o" }],
  [
    "a list that is switched off",
    { model_limits_enabled: false, model_limits: "gpt-4o" },
    { models: "" },
  ],
  ["addresses", { allow_ips: "10.0.0.0/8" }, { subnet: "10.0.0.0/8" }],
  ["the owner's own group", { group: "vip" }, { groups: "" }],
  ["no group", { group: "" }, { groups: "" }],
  ["a group of its own", { group: "default" }, { groups: "default" }],
  ["our own groups, which win", { group: "default", groups: "svip,vip" }, { groups: "svip,vip" }],
  [
    "our own names, which win",
    { models: "o3", model_limits_enabled: false, subnet: "", allow_ips: "::1" },
    { models: "o3", subnet: "" },
  ],
])("restrictions of other forms of the family are understood: %s", (_, change, columns) => {
  expect(changeColumns(token, change, now, "vip")).toEqual({ ...columns, status: 1 });
});

test.each([["a limit to no models", { model_limits_enabled: true, model_limits: "" }]])(
  "a restriction that cannot be held is refused, never ignored: %s",
  (_, change) => {
    expect(() => changeColumns(token, change, now, "vip")).toThrow(
      expect.objectContaining({ code: "invalid_request" }),
    );
  },
);
