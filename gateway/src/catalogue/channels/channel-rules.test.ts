import { expect, test } from "vitest";
import { chooseKey, describeKey, extractSecrets, splitKeys } from "./channel-key.ts";
import { buildCreatedChannel, changeChannel, checkKey, listDifferences } from "./channel-rules.ts";

const created = buildCreatedChannel({
  name: "a",
  type: 1,
  key: "sk-abcdefgh1234",
  models: "m1,m2",
  testing_model: "m1",
});
const stored = created.columns;
const withKey = { hasKey: true, headers: {} };
const change = (edit: object, secrets = withKey) => changeChannel(stored, edit, secrets);
const unchanged = { columns: created.columns, key: undefined, headers: {}, isMoved: false };

test("a new channel has the type's address, the group default and is enabled", () => {
  expect(created.columns).toMatchObject({
    base_url: "https://api.openai.com",
    group: "default",
    status: 1,
    priority: 0,
    testing_model: "m1",
    model_mapping: null,
  });
  expect(buildCreatedChannel({ name: "a", type: 1, key: "k", status: 0 }).columns.status).toBe(1);
  expect(
    buildCreatedChannel({ name: "a", type: 1, key: "k", models: "x", testing_model: "y" }).columns
      .testing_model,
  ).toBeNull();
});

test("an empty edit changes nothing", () => {
  expect(change({})).toEqual(unchanged);
  const empties = {
    type: 0,
    models: "",
    group: "",
    status: 0,
    config: "",
    key: "",
    base_url: null,
    other: null,
    weight: null,
  };
  expect(change(empties)).toEqual(unchanged);
});

test("an empty value is stored for address, other and numbers, and clears the optional fields", () => {
  const full = {
    ...stored,
    other: "{}",
    priority: 5,
    model_mapping: "{}",
    system_prompt: "s",
    base_url: "https://api.openai.com",
  };
  const after = changeChannel(
    full,
    { other: "", priority: 0, model_mapping: null, system_prompt: "" },
    withKey,
  ).columns;
  expect(after).toMatchObject({ other: "", priority: 0, model_mapping: null, system_prompt: null });
});

test.each([
  ["host", { base_url: "https://evil.example" }],
  ["port", { base_url: "https://api.openai.com:8443" }],
  ["scheme", { base_url: "http://api.openai.com:443" }],
  ["type", { type: 14, base_url: "https://api.openai.com" }],
  [
    "address of one endpoint",
    { config: '{"endpoint_urls":{"embeddings":"http://api.openai.com/v1/embeddings"}}' },
  ],
])("a key does not follow its channel to another %s", { tags: ["S2-10"] }, (_, edit) => {
  expect(() => change(edit)).toThrow(expect.objectContaining({ code: "channel_key_required" }));
  expect(change({ ...edit, key: "new" })).toMatchObject({ key: "new", isMoved: true });
});

test("every type but Ollama needs a key", () => {
  const ollama = 30;
  const missing = expect.objectContaining({
    code: "invalid_request",
    message: "API key is required",
  });
  expect(() => checkKey(1, false)).toThrow(missing);
  checkKey(ollama, false);
  const keyless = { hasKey: false, headers: {} };
  expect(() => change({ type: 14 }, keyless)).toThrow(missing);
  expect(
    change({ name: "from before the rule", base_url: "https://a.example" }, keyless).key,
  ).toBeUndefined();
});

test("another path needs no key", () => {
  expect(change({ base_url: "https://api.openai.com/other/path" }).isMoved).toBe(false);
});

test("values of headers stay with their destination, and a mask keeps them there", {
  tags: ["S2-06"],
}, () => {
  const config = '{"custom_headers":{"cf-aig-authorization":"********"}}';
  const secrets = { hasKey: true, headers: { "cf-aig-authorization": "Bearer canary" } };
  expect(change({ config }, secrets)).toMatchObject({
    columns: { config },
    headers: secrets.headers,
  });
  const moved = { config, base_url: "https://evil.example", key: "own" };
  expect(() => change(moved, secrets)).toThrow(
    expect.objectContaining({ code: "channel_header_required" }),
  );
  const entered = { ...moved, config: '{"custom_headers":{"cf-aig-authorization":"another"}}' };
  expect(change(entered, secrets)).toMatchObject({
    columns: { config },
    headers: { "cf-aig-authorization": "another" },
  });
});

test("the test model is cleared when it is no longer listed", () => {
  expect(change({ models: "m2" }).columns.testing_model).toBeNull();
});

test("enabling a channel clears the reason for which it was disabled", () => {
  const disabled = { ...stored, status: 3, disabled_reason: "401" };
  expect(changeChannel(disabled, { status: 1 }, withKey).columns).toMatchObject({
    status: 1,
    disabled_reason: "",
  });
  expect(changeChannel(disabled, { name: "b" }, withKey).columns).toMatchObject({
    status: 3,
    disabled_reason: "401",
  });
});

test("the audit trail has the changes without secrets", () => {
  const after = change({ name: "b", config: '{"region":"x"}', key: "sk-new" });
  expect(
    listDifferences(stored, after.columns, { isKeyChanged: true, areHeadersChanged: false }),
  ).toEqual({
    name: { from: stored.name, to: "b" },
    config: "changed",
    key: "changed",
  });
});

test("each line is a key, but a JSON document is one key", () => {
  expect(splitKeys(" a \n\n b")).toEqual(["a", "b"]);
  expect(splitKeys("")).toEqual([""]);
  expect(splitKeys('{\n"client_id": 1\n}')).toHaveLength(1);
});

test("cloud secrets move from the settings into the key", () => {
  const bedrock = extractSecrets(33, '{"region":"eu","ak":"a","sk":"s","x":1}', "");
  expect(bedrock).toEqual({ config: '{"region":"eu","ak":"a","x":1}', key: "a|s|eu" });
  expect(extractSecrets(33, '{"region":"eu","ak":"a","sk":"s","session_token":"t"}', "")).toEqual({
    config: '{"region":"eu","ak":"a"}',
    key: "a|s|eu|t",
  });
  expect(extractSecrets(33, '{"region":"eu"}', "")).toEqual({ config: '{"region":"eu"}', key: "" });
  expect(extractSecrets(1, '{"sk":"s"}', "k")).toEqual({ config: "{}", key: "k" });
});

test("a stored key follows the region, and keeps its secret", () => {
  expect(chooseKey(33, "a|s|eu", '{"region":"us","ak":"a"}')).toBe("a|s|us");
  expect(chooseKey(33, "a|s|eu", '{"region":"eu","ak":"a"}')).toBeUndefined();
  expect(chooseKey(33, "a|s|eu|t", '{"region":"us","ak":"a"}')).toBe("a|s|us|t");
  expect(chooseKey(42, 'eu|p|{"x":"|"}', '{"region":"us"}')).toBe('us|p|{"x":"|"}');
  expect([
    chooseKey(1, "a|s|eu", '{"region":"us"}'),
    chooseKey(33, "label", '{"region":"us"}'),
  ]).toEqual([undefined, undefined]);
});

test("a hint shows the end of a long key alone", () => {
  expect(describeKey(1, "sk-abcdefgh1234")).toBe("1234");
  expect(describeKey(1, "short")).toBe("");
});

test("a hint of a composite key shows the end of its secret part", () => {
  expect(describeKey(33, "AKIAEXAMPLE|wJalrXUtnFEMI-K7MDENG|us-east-1")).toBe("DENG");
  expect(describeKey(33, "ABSKQmVkcm9ja0FQSUleyQ|us-west-2")).toBe("leyQ");
  const file = { private_key_id: "0f3a7c9d1e2b4f60", private_key: "-----BEGIN" };
  expect(describeKey(42, `global|project|${JSON.stringify(file)}`)).toBe("4f60");
  expect(describeKey(42, "global|project|{}")).toBe("");
  expect(
    describeKey(34, JSON.stringify({ client_type: "jwt", public_key_id: "kid_abcdef_987654" })),
  ).toBe("7654");
});
