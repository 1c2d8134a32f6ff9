import { expect, test } from "vitest";
import * as z from "zod/mini";
import { leastRole } from "./accounts/grantable-scopes.ts";
import { scopeAccess, scopes } from "./accounts/scopes.ts";
import { credentials, selfInput } from "./accounts/sessions.ts";
import { tokenChange, tokenInput } from "./accounts/tokens.ts";
import { blockContains, blockText, parseAddress, parseBlock } from "./api/cidr.ts";
import { errorTable } from "./api/errors.ts";
import { reference } from "./api/ids.ts";
import { catalogue } from "./catalogue/catalogue.ts";
import { channelInput } from "./catalogue/channel-input.ts";
import { channelQuery } from "./catalogue/channels.ts";

const firstMessage = (schema: z.ZodMiniType, value: unknown) =>
  z.safeParse(schema, value).error?.issues[0]?.message;

test("no two operations share method, path and variant", () => {
  const calls = catalogue.map(
    ({ endpoint }) => `${endpoint.method} ${endpoint.path} ${endpoint.variant ?? ""}`,
  );
  expect(new Set(calls).size).toBe(calls.length);
});

test("a scope is given by the lowest role that has an operation with it, and grants by root alone", () => {
  // GET /metrics is beside the management API.
  for (const scope of scopes.filter((one) => one !== "metrics:read")) {
    const roles = catalogue.flatMap(({ endpoint }) =>
      endpoint.scope === scope ? [leastRole[endpoint.access]] : [],
    );
    const expected = scope === "wallets:grant" ? leastRole.root : Math.min(...roles);
    expect(roles.length, scope).toBeGreaterThan(0);
    expect(leastRole[scopeAccess[scope]], scope).toBe(expected);
  }
});

test("what needs no sign-in needs no scope, and a scope to read changes nothing", () => {
  for (const { name, endpoint } of catalogue) {
    if (endpoint.access === "public") expect(endpoint.scope, name).toBe("none");
    // Look-ups by hash are POSTs, so that the hash is in no address.
    if (endpoint.scope.endsWith(":read"))
      expect(endpoint.method === "GET" || name.startsWith("find"), name).toBe(true);
    if (endpoint.scope.endsWith(":read")) expect(endpoint.proof, name).toBeUndefined();
  }
});

test("every schema can be written as JSON Schema", () => {
  for (const { endpoint } of catalogue)
    for (const schema of [
      endpoint.params,
      endpoint.query,
      endpoint.body,
      endpoint.data,
      endpoint.extras,
    ])
      if (schema) expect(z.toJSONSchema(schema, { io: "input" })).toBeTypeOf("object");
});

test("only 401 and 403 carry the phrases on which consoles sign out, and all of them do", {
  tags: ["FT-08"],
}, () => {
  for (const [code, [status, message]] of Object.entries(errorTable)) {
    const signsOut =
      /No permission to perform this operation|not logged in|access token is invalid/.test(message);
    expect(signsOut, code).toBe(status === 401 || status === 403);
  }
});

test.each([
  [tokenInput, { name: "" }, "Token name is required"],
  [tokenInput, { name: "a", remain_quota: -1 }, "Quota must be non-negative"],
  [tokenInput, { name: "a", expired_time: "soon" }, "Invalid expiration time"],
  [tokenChange, { name: "a" }, "id or uuid is required"],
  [credentials, { username: "", password: "x" }, "Username is required"],
  [credentials, { username: "a", password: "" }, "Password is required"],
  [credentials, { username: "a", password: "b", totp_code: "12" }, "TOTP code must be 6 digits"],
  [selfInput, { password: "short" }, "Password must be at least 8 characters"],
  [channelInput, { name: "", type: 1 }, "Channel name is required"],
  [channelInput, { name: "a", type: 0 }, "Channel type is required"],
  [
    channelInput,
    { name: "a", type: 1, model_mapping: "{" },
    "Invalid JSON format in model mapping",
  ],
  [channelInput, { name: "a", type: 1, other: "{" }, "Invalid JSON format in other configuration"],
  [
    channelInput,
    { name: "a", type: 1, model_configs: "[]" },
    "Model configs must be a JSON object",
  ],
  [
    channelInput,
    { name: "a", type: 1, model_configs: '{"":{"ratio":1}}' },
    "Model name cannot be empty",
  ],
  [
    channelInput,
    { name: "a", type: 1, model_configs: '{"m":1}' },
    'Configuration for model "m" must be an object',
  ],
  [
    channelInput,
    { name: "a", type: 34, key: "{}", config: '{"auth_type":"oauth_jwt"}' },
    "Missing required field: client_type",
  ],
])("the specification's message %#", (schema, value, message) => {
  expect(firstMessage(schema, value)).toBe(message);
});

test("types with a plain version in `other` accept one", () => {
  expect(
    firstMessage(channelInput, { name: "a", type: 3, other: "2024-03-01-preview" }),
  ).toBeUndefined();
});

test("an entity may be named by id, by text of an id, or by uuid", () => {
  const uuid = "0199AA10-0000-7000-8000-000000000001";
  expect(z.parse(reference, 7)).toEqual({ id: 7 });
  expect(z.parse(reference, "7")).toEqual({ id: 7 });
  expect(z.parse(reference, uuid)).toEqual({ uuid: uuid.toLowerCase() });
  for (const wrong of [
    0,
    -1,
    1.5,
    "0",
    "abc",
    "",
    null,
    2 ** 60,
    "0199aa10-0000-4000-8000-000000000001",
  ])
    expect(z.safeParse(reference, wrong).success, String(wrong)).toBe(false);
});

test("page sizes are capped, numbers may come as text", () => {
  expect(z.parse(channelQuery, { p: "2", size: "500", sort: "name", order: "asc" })).toEqual({
    p: 2,
    size: 100,
    sort: "name",
    order: "asc",
  });
  expect(z.safeParse(channelQuery, { p: "-1" }).success).toBe(false);
  expect(z.safeParse(channelQuery, { sort: "id;--" }).success).toBe(false);
});

test("models and subnets are normalised", () => {
  const parsed = z.parse(tokenInput, {
    name: "a",
    models: " m1,,m2 ,m1",
    subnet: "10.0.0.1, 2001:db8::/32",
  });
  expect(parsed).toMatchObject({ models: "m1,m2", subnet: "10.0.0.1/32,2001:db8::/32" });
});

test.each([
  ["1.2.3.4", "1.2.3.4/32"],
  ["10.0.0.0/8", "10.0.0.0/8"],
  ["::1", "::1/128"],
  ["::", "::/128"],
  ["2001:0db8:0:0:1:0:0:1/64", "2001:db8::1:0:0:1/64"],
  ["::ffff:1.2.3.4", "1.2.3.4/32"],
  ["::ffff:1.2.3.0/120", "1.2.3.0/24"],
])("block %s is written %s", (text, written) => {
  const block = parseBlock(text);
  expect(block && blockText(block)).toBe(written);
});

test.each([
  "",
  "1.2.3",
  "1.2.3.256",
  "01.2.3.4",
  "1.2.3.4/33",
  "::1/129",
  "1::2::3",
  "g::",
  "1.2.3.4/",
  "1.2.3.4/8/8",
])("%s is no block", (text) => expect(parseBlock(text)).toBeUndefined());

test("a block contains its addresses and no others", () => {
  const contains = (block: string, address: string) => {
    const [parsed, bytes] = [parseBlock(block), parseAddress(address)];
    return parsed !== undefined && bytes !== undefined && blockContains(parsed, bytes);
  };
  expect(contains("10.1.0.0/17", "10.1.127.255")).toBe(true);
  expect(contains("10.1.0.0/17", "10.1.128.0")).toBe(false);
  expect(contains("0.0.0.0/0", "9.9.9.9")).toBe(true);
  expect(contains("0.0.0.0/0", "::1")).toBe(false);
  expect(contains("1.2.3.0/24", "::ffff:1.2.3.9")).toBe(true);
});
