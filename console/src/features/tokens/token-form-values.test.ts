import type { Budget } from "@tollgate/contract/accounts/budgets.ts";
import type { Token } from "@tollgate/contract/accounts/tokens.ts";
import { expect, test } from "vitest";
import {
  buildSpendingLimit,
  buildTokenCreate,
  buildTokenForm,
  buildTokenUpdate,
  defineTokenFormSchema,
  newToken,
  type TokenFormValues,
} from "./token-form-values.ts";

const limits = { rpm_limit: 60, tpm_limit: 0, max_parallel_requests: 2 };
const token: Token = {
  id: 7,
  uuid: "0199aa10-1111-7000-8000-0000000000aa",
  user_id: 1,
  user_uuid: "0199aa10-0000-7000-8000-000000000001",
  name: "ci",
  key: "sk-0123456789",
  status: 1,
  paused: null,
  remain_quota: 123_456,
  unlimited_quota: false,
  used_quota: 5,
  created_time: 1_795_100_000,
  accessed_time: 1_795_100_500,
  expired_time: 1_795_200_007,
  models: "gpt-4o,o3",
  mcp_tools: "",
  tags: "",
  required_tags: "",
  bodies: "",
  cache_seconds: 0,
  prompt_marks: "",
  subnet: "10.0.0.0/8, 192.168.1.1",
  groups: "",
  ...limits,
  external_id: "",
  old_key_ending: "",
  old_key_until: 0,
  created_at: 1_795_100_000_123,
  updated_at: 1_795_100_500_456,
};
const now = 1_795_150_000;

const schema = defineTokenFormSchema({
  name: "no name",
  expiry: "no time",
  tags: "no tags",
  tagKeys: "no keys",
  quota: "no quota",
  spending: "no amount",
  names: "too many names",
  limit: (most) => `0 to ${most}`,
});
const check = (values: TokenFormValues) => schema.parse(values);
const messagesFor = (change: Partial<TokenFormValues>) =>
  schema
    .safeParse({ ...newToken, name: "x", ...change })
    .error?.issues.map((issue) => issue.message);

test.each([
  ["a token with an expiry", token],
  ["a token that never expires", { ...token, expired_time: -1 }],
  ["a token whose never is a 0", { ...token, expired_time: 0 }],
  [
    "an unlimited token without restrictions",
    { ...token, unlimited_quota: true, models: "", subnet: "" },
  ],
])("opening and saving %s changes nothing", (_, read) => {
  expect(buildTokenUpdate(check(buildTokenForm(read)), read, now)).toEqual({
    id: read.id,
    uuid: read.uuid,
    name: read.name,
    status: read.status,
    remain_quota: read.remain_quota,
    remain_quota_read: read.remain_quota,
    unlimited_quota: read.unlimited_quota,
    expired_time: read.expired_time === 0 ? -1 : read.expired_time,
    models: read.models,
    subnet: read.subnet,
    ...limits,
    updated_at: read.updated_at,
  });
});

test("marks for the prompt cache are sent where they were chosen, and only then", () => {
  const sent = (typed: string, read = token) =>
    buildTokenUpdate(check({ ...buildTokenForm(read), prompt_marks: typed }), read, now)
      .prompt_marks;
  expect([sent(""), sent("on"), sent("", { ...token, prompt_marks: "off" })]).toEqual([
    undefined,
    "on",
    "",
  ]);
  expect(buildTokenCreate(check({ ...newToken, name: "x" })).prompt_marks).toBeUndefined();
});

test("limits are sent only to a server that sends them, and then all of them, including zeros", () => {
  const { rpm_limit, tpm_limit, max_parallel_requests, ...other } = token;
  const read = other as Token;
  expect(buildTokenForm(read)).toMatchObject({
    rpm_limit: "0",
    tpm_limit: "0",
    max_parallel_requests: "0",
  });
  expect(Object.keys(buildTokenUpdate(check(buildTokenForm(read)), read, now))).not.toContain(
    "rpm_limit",
  );
  const cleared = check({ ...buildTokenForm(token), rpm_limit: " 0 ", tpm_limit: "1000000" });
  expect(buildTokenUpdate(cleared, token, now)).toMatchObject({
    rpm_limit: 0,
    tpm_limit: 1_000_000,
    max_parallel_requests,
  });
  expect(buildTokenCreate(cleared)).toMatchObject({ tpm_limit: 1_000_000, max_parallel_requests });
  expect([rpm_limit, tpm_limit, Object.hasOwn(buildTokenCreate(cleared), "rpm_limit")]).toEqual([
    60,
    0,
    false,
  ]);
});

test("the age of cached answers is sent where it changed, and is a day at most", () => {
  const sent = (typed: string, read = token) =>
    buildTokenUpdate(check({ ...buildTokenForm(read), cache_seconds: typed }), read, now)
      .cache_seconds;
  expect([sent("0"), sent("600"), sent("0", { ...token, cache_seconds: 600 })]).toEqual([
    undefined,
    600,
    0,
  ]);
  // A server that has no cache sends no age.
  expect(buildTokenForm({ ...token, cache_seconds: Number.NaN }).cache_seconds).toBe("0");
  expect(
    buildTokenCreate(check({ ...newToken, name: "x", cache_seconds: "60" })).cache_seconds,
  ).toBe(60);
  expect(messagesFor({ cache_seconds: "86401" })).toEqual(["0 to 86400"]);
});

test("typed addresses are sent as CIDR blocks", () => {
  const values = check({ ...buildTokenForm(token), subnet: "192.168.1.1" });
  expect(buildTokenUpdate(values, token, now).subnet).toBe("192.168.1.1/32");
});

test("clearing the expiry of an expired token sends never and enables it", () => {
  const read = { ...token, status: 3, expired_time: 1_795_000_000 };
  expect(
    buildTokenUpdate(check({ ...buildTokenForm(read), expired_time: "" }), read, now),
  ).toMatchObject({
    expired_time: -1,
    status: 1,
  });
});

test("a new token has half a million units and never expires", () => {
  expect(buildTokenCreate(check({ ...newToken, name: " ci " }))).toEqual({
    name: "ci",
    remain_quota: 500_000,
    unlimited_quota: false,
    expired_time: -1,
    models: "",
    subnet: "",
  });
});

test("the form has a message for each invalid value", () => {
  expect(messagesFor({ name: " " })).toEqual(["no name"]);
  for (const remain_quota of [
    "",
    "-1",
    "x",
    "1.5",
    "1e3",
    "0x10",
    "1,000",
    "99999999999999999999",
  ]) {
    expect(messagesFor({ remain_quota })).toEqual(["no quota"]);
  }
  expect(messagesFor({ expired_time: "soon" })).toEqual(["no time"]);
  for (const limit of ["", "-1", "x", "1.5", "1000001"]) {
    expect(messagesFor({ rpm_limit: limit })).toEqual(["0 to 1000000"]);
    expect(messagesFor({ max_parallel_requests: limit })).toEqual(["0 to 10000"]);
  }
  expect(messagesFor({ tpm_limit: "1000000001" })).toEqual(["0 to 1000000000"]);
  expect(messagesFor({ subnet: "anything" })).toBeUndefined();
});

test("a spending limit is sent where it changed, without a zone, and needs an amount", () => {
  const read = { window: "day", amount: 500, zone: "Asia/Tokyo" } as Budget;
  const sent = (spending_window: string, spending_limit: string, before?: Budget) =>
    buildSpendingLimit({ spending_window, spending_limit }, before);
  expect(sent("day", "700")).toEqual({ amount: 700, window: "day" });
  expect(sent("week", "500", read)).toEqual({ amount: 500, window: "week" });
  expect(sent("day", "500", read)).toBeUndefined();
  expect(sent("", "", read)).toMatchObject({ amount: 0 });
  expect(sent("", "")).toBeUndefined();
  for (const wrong of ["", "0", "1.5", "x"]) {
    expect(messagesFor({ spending_window: "day", spending_limit: wrong })).toEqual(["no amount"]);
    expect(messagesFor({ spending_window: "", spending_limit: wrong })).toBeUndefined();
  }
});
