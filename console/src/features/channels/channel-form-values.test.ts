import type { Channel } from "@tollgate/contract/catalogue/channels.ts";
import { expect, test } from "vitest";
import { formMessages } from "./channel-form.test-support.ts";
import { defineChannelFormSchema } from "./channel-form-schema.ts";
import {
  buildChannelCreate,
  buildChannelForm,
  buildChannelUpdate,
  type ChannelFormValues,
  newChannel,
} from "./channel-form-values.ts";

const channel: Channel = {
  id: 3,
  uuid: "0199aa10-1111-7000-8000-0000000000bb",
  name: "OpenAI main",
  type: 1,
  key: "",
  key_hint: "9f3a",
  proxy_hint: "",
  keys: [],
  breaker: [],
  usage_marks: [],
  status: 1,
  disabled_reason: "",
  base_url: "https://api.openai.com",
  address_issue: "",
  other: '{"a":1}',
  models: "gpt-4o,o3",
  hidden_models: null,
  model_mapping: '{"gpt-4":"gpt-4o"}',
  model_configs: '{"gpt-4o":{"ratio":1.25,"cached_input_ratio":0.6,"tiers":[{"ratio":2}]}}',
  model_ratio: null,
  completion_ratio: null,
  system_prompt: "Be brief.",
  inference_profile_arn_map: null,
  testing_model: "gpt-4o",
  group: "default,vip",
  config: '{"custom_headers":{"x-a":"b"},"something_new":true}',
  priority: -1,
  weight: 3,
  ratelimit: 60,
  tag: "europe",
  used_quota: 9,
  balance: 0,
  balance_supported: false,
  balance_currency: "USD",
  balance_updated_time: 0,
  response_time: 420,
  test_time: 0,
  test_models: [],
  tooling: "",
  created_time: 1_795_100_000,
  external_id: "",
  managed_by: "",
  created_at: 1_795_100_000_123,
  updated_at: 1_795_100_500_456,
};
const bare: Channel = {
  ...channel,
  other: "",
  model_mapping: null,
  model_configs: null,
  system_prompt: null,
  config: "",
};

const editing = (read: Channel, change: Partial<ChannelFormValues> = {}) =>
  defineChannelFormSchema(formMessages, read).safeParse({ ...buildChannelForm(read), ...change });
const saved = (read: Channel, change: Partial<ChannelFormValues> = {}) =>
  buildChannelUpdate(
    defineChannelFormSchema(formMessages, read).parse({ ...buildChannelForm(read), ...change }),
    read,
  );
const creating = (change: Partial<ChannelFormValues>) =>
  defineChannelFormSchema(formMessages, undefined).safeParse({
    ...newChannel,
    name: "x",
    key: "sk-1",
    ...change,
  });
const messages = (result: ReturnType<typeof creating>) =>
  result.error?.issues.map((issue) => issue.message);

test("opening and saving a channel changes nothing, including unknown members", () => {
  expect(saved(channel)).toEqual({
    id: channel.id,
    uuid: channel.uuid,
    name: channel.name,
    type: channel.type,
    base_url: channel.base_url,
    other: channel.other,
    models: channel.models,
    model_mapping: channel.model_mapping,
    model_configs: channel.model_configs,
    system_prompt: channel.system_prompt,
    inference_profile_arn_map: null,
    group: channel.group,
    config: channel.config,
    priority: channel.priority,
    weight: channel.weight,
    ratelimit: channel.ratelimit,
    tag: "europe",
    updated_at: channel.updated_at,
  });
});

test("empty values are sent as null", () => {
  expect(saved(bare)).toMatchObject({
    other: null,
    model_mapping: null,
    model_configs: null,
    system_prompt: null,
    config: "",
  });
});

test("emptied values are cleared, not kept", () => {
  const emptied = { other: "", config: "", headers: [], model_configs: " " };
  expect(saved(channel, emptied)).toMatchObject({ other: "", config: "{}", model_configs: null });
});

test("an empty key keeps the stored one and a new one is sent", () => {
  expect(saved(channel)).not.toHaveProperty("key");
  expect(saved(channel, { key: " sk-new " })).toMatchObject({ key: "sk-new" });
});

test("another host requires the key again, another path does not", () => {
  expect(messages(editing(channel, { base_url: "https://evil.example" }))).toEqual(["key again"]);
  expect(messages(editing(channel, { base_url: "http://api.openai.com:443" }))).toEqual([
    "key again",
  ]);
  expect(messages(editing(channel, { type: "2" }))).toEqual(["key again"]);
  expect(messages(editing(channel, { base_url: "" }))).toBeUndefined();
  expect(messages(editing(channel, { base_url: "https://api.openai.com/proxy" }))).toBeUndefined();
  expect(
    messages(editing(channel, { base_url: "https://evil.example", key: "sk-2" })),
  ).toBeUndefined();
  expect(
    messages(editing({ ...channel, key_hint: "" }, { base_url: "https://other.example" })),
  ).toBeUndefined();
});

test("a new channel requires a name, a type and a key", () => {
  expect(messages(creating({ name: " " }))).toEqual(["name"]);
  expect(messages(creating({ type: "0" }))).toEqual(["type"]);
  expect(messages(creating({ key: "" }))).toEqual(["key"]);
});

test("a new channel is sent with its defaults and without the trailing slash", () => {
  const checked = defineChannelFormSchema(formMessages, undefined).parse({
    ...newChannel,
    name: "x",
    key: "sk-1",
    base_url: "https://a.example/v1/",
  });
  expect(buildChannelCreate(checked)).toMatchObject({
    base_url: "https://a.example/v1",
    group: "default",
    priority: 0,
    weight: 0,
    ratelimit: 0,
    tag: "",
    other: null,
    model_mapping: null,
    model_configs: null,
    system_prompt: null,
    inference_profile_arn_map: null,
  });
});

test("invalid JSON and numbers below their minimum are refused", () => {
  expect(messages(creating({ model_mapping: "{" }))).toEqual(["mapping"]);
  expect(messages(creating({ other: "{" }))).toEqual(["other"]);
  expect(messages(creating({ other: "v1beta", type: "24" }))).toBeUndefined();
  expect(messages(creating({ config: "[]" }))).toEqual(["config"]);
  expect(messages(creating({ ratelimit: "-1" }))).toEqual(["ratelimit"]);
  expect(messages(creating({ weight: "1.5" }))).toEqual(["weight"]);
  expect(messages(creating({ priority: "-5" }))).toBeUndefined();
  expect(messages(creating({ model_configs: "[]" }))).toEqual([
    "Model configs must be a JSON object",
  ]);
  expect(messages(creating({ model_configs: '{"":{"ratio":1}}' }))).toEqual([
    "Model name cannot be empty",
  ]);
  expect(messages(creating({ model_configs: '{"m":1}' }))).toEqual([
    'Configuration for model "m" must be an object',
  ]);
  expect(messages(creating({ model_configs: '{"m":{}}' }))).toEqual([
    'Configuration for model "m" must have ratio, completion_ratio or max_tokens',
  ]);
  expect(messages(creating({ model_configs: '{"m":{"completion_ratio":-1}}' }))).toEqual([
    'Invalid completion_ratio for model "m": must be a non-negative number',
  ]);
  expect(messages(creating({ model_configs: '{"m":{"max_tokens":1.5}}' }))).toEqual([
    'Invalid max_tokens for model "m": must be a non-negative integer',
  ]);
});

test("whether a provider may report false usage is a member of config, and nothing where the address decides", () => {
  const doubted = { ...channel, config: '{"may_report_false_usage":true}' };
  expect(buildChannelForm(doubted)).toMatchObject({ false_usage: "true", config: "" });
  expect(JSON.parse(saved(doubted, { false_usage: "false" }).config ?? "")).toEqual({
    may_report_false_usage: false,
  });
  expect(saved(doubted, { false_usage: "" }).config ?? "").not.toContain("may_report_false_usage");
});

test("multiple keys are a checkbox of the form and a member of the configuration in the API", () => {
  expect(
    buildChannelCreate(
      defineChannelFormSchema(formMessages, undefined).parse({
        ...newChannel,
        name: "x",
        key: "a\nb",
        multi_key: true,
      }),
    ),
  ).toMatchObject({
    key: "a\nb",
    config: '{\n  "multi_key": true\n}',
  });
  const several = { ...channel, config: '{"multi_key":true,"something_new":1}' };
  expect(buildChannelForm(several)).toMatchObject({
    multi_key: true,
    config: '{\n  "something_new": 1\n}',
  });
  expect(saved(several, { name: "renamed" }).config).toBe(several.config);
  expect(JSON.parse(saved(several, { multi_key: false }).config ?? "")).toEqual({
    something_new: 1,
  });
  expect(JSON.parse(saved(channel, { multi_key: true }).config ?? "")).toMatchObject({
    multi_key: true,
  });
  const both = { ...channel, config: '{"multi_key":true,"pass_cost_members":true}' };
  expect(buildChannelForm(both)).toMatchObject({
    multi_key: true,
    pass_cost_members: true,
    config: "",
  });
  expect(JSON.parse(saved(both, { multi_key: false }).config ?? "")).toEqual({
    pass_cost_members: true,
  });
  const odd = { ...channel, config: '{"multi_key":"yes"}' };
  expect(messages(editing(odd))).toEqual(["Setting multi_key must be true or false"]);
});

test("typed keys replace or extend the stored ones, but never for another host", () => {
  const key = { hint: "9f3a", status: 1, reason: "", changed_at: 0, seconds_left: 0 };
  const several = {
    ...channel,
    config: '{"multi_key":true}',
    keys: [1, 2].map((place) => ({ ...key, place })),
  };
  expect(saved(several, { key: "new" })).not.toHaveProperty("key_added");
  expect(saved(several, { key: "new", key_added: true })).toMatchObject({
    key: "new",
    key_added: true,
  });
  expect(saved(several, { key_added: true })).not.toHaveProperty("key_added");
  const moved = { base_url: "https://else.example", key: "new", key_added: true };
  expect(messages(editing(several, moved))).toEqual(["keys again"]);
  expect(messages(editing(several, { ...moved, key_added: false }))).toBeUndefined();
  expect(messages(editing(several, { multi_key: false }))).toEqual(["key that stays"]);
  expect(messages(editing(several, { multi_key: false, key: "new" }))).toBeUndefined();
});

test("headers are rows: a stored value stays, is replaced or removed, and none is ever shown", {
  tags: ["S2-06"],
}, () => {
  const config = '{"custom_headers":{"x-a":"********","x-b":"********"},"something_new":1}';
  const read = { ...channel, config };
  const [first, second] = buildChannelForm(read).headers;
  if (!first || !second) throw new Error("there are no headers");
  expect([first, second]).toEqual(
    ["x-a", "x-b"].map((name) => ({ name, value: "", isStored: true })),
  );
  expect(buildChannelForm(read).config).toBe('{\n  "something_new": 1\n}');
  expect(saved(read, { name: "renamed" }).config).toBe(config);
  const sent = (headers: (typeof first)[]) =>
    JSON.parse(saved(read, { headers }).config ?? "").custom_headers;
  expect(sent([first, { ...second, isStored: false, value: "new" }])).toEqual({
    "x-a": "********",
    "x-b": "new",
  });
  expect(sent([second])).toEqual({ "x-b": "********" });
  expect(saved(read, { headers: [] }).config).not.toContain("custom_headers");
});

test("a header needs a name, a value, and its value again for another address", () => {
  const stored = { name: "x-a", value: "", isStored: true };
  const typed = (name: string, value: string) => ({ name, value, isStored: false });
  const read = { ...channel, config: '{"custom_headers":{"x-a":"********"}}' };
  expect(messages(editing(read, { base_url: "https://else.example", key: "new" }))).toEqual([
    "header value again",
  ]);
  expect(messages(editing(read, { headers: [stored, typed("X-A", "v")] }))).toEqual([
    "header twice",
  ]);
  expect(messages(creating({ headers: [typed("x-a", "")] }))).toEqual(["header value"]);
  expect(messages(creating({ headers: [typed("Host", "v"), typed("", "v")] }))).toEqual([
    "Header Host cannot be set",
    'Header "" is not a valid name',
  ]);
  expect(messages(creating({ headers: [typed("x-a", "v")] }))).toBeUndefined();
});

test("invalid overrides are reported at the configuration field", () => {
  expect(messages(creating({ config: '{"param_override":{"model":"x"}}' }))).toEqual([
    "Parameter model cannot be overridden",
  ]);
});
