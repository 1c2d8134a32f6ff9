import { channelTypes } from "@tollgate/contract/catalogue/channel-types.ts";
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
import { buildSettingsAfterPick, type ChannelSettings, noSettings } from "./channel-settings.ts";

/**
 * Example texts of each type, as compatible servers send them; `strange` is an unknown member that
 * must survive.
 */
const texts: Record<number, { config: string; other: string }> = {
  3: { config: '{"strange":[1]}', other: "2024-03-01-preview" },
  17: { config: "", other: "my-plugin" },
  18: { config: '{"api_version":"v4.0","strange":1}', other: "v1.1" },
  21: { config: '{ "strange": null }', other: "library-7" },
  24: { config: '{"api_version":"v1beta"}', other: "" },
  33: { config: '{"region":"eu-west-1","ak":"AKIA","strange":{"a":1}}', other: "" },
  34: { config: '{"auth_type":"oauth_jwt","user_id":"u","strange":true}', other: "" },
  37: { config: '{"user_id":"account"}', other: '{"x":1}' },
  42: { config: '{"region":"us-central1","vertex_ai_project_id":"p","strange":"y"}', other: "" },
  50: { config: '{"api_format":"response","custom_headers":{"x-a":"{{key}}"}}', other: "" },
};

const channelOf = (type: number, more: object = {}): Channel =>
  ({
    id: 3,
    uuid: "0199aa10-1111-7000-8000-0000000000bb",
    name: "One",
    type,
    key: "",
    key_hint: "9f3a",
    keys: [],
    base_url: "https://api.example",
    models: "a,b",
    model_mapping: '{"a":"b"}',
    model_configs: '{"a":{"ratio":1,"tiers":[{"ratio":2,"input_token_threshold":9}],"strange":0}}',
    system_prompt: "Be brief.",
    inference_profile_arn_map: '{"a":"arn:aws:x"}',
    group: "default,vip",
    priority: -1,
    weight: 3,
    ratelimit: 60,
    tag: "europe",
    updated_at: 1_795_100_500_456,
    ...(texts[type] ?? {
      config: '{"supported_endpoints":["chat_completions"],"strange":2}',
      other: '{"old":1}',
    }),
    ...more,
  }) as unknown as Channel;

const check = (values: ChannelFormValues, read?: Channel) =>
  defineChannelFormSchema(formMessages, read).safeParse(values);
const messages = (values: ChannelFormValues, read?: Channel) =>
  check(values, read).error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
const saved = (read: Channel, change: Partial<ChannelFormValues> = {}) => {
  const checked = check({ ...buildChannelForm(read), ...change }, read);
  if (!checked.success) throw checked.error;
  return buildChannelUpdate(checked.data, read);
};
const created = (
  type: number,
  settings: Partial<ChannelSettings>,
  more: Partial<ChannelFormValues> = {},
) => {
  const values = {
    ...newChannel,
    name: "x",
    type: String(type),
    settings: { ...noSettings, ...settings },
    ...more,
  };
  const checked = check(values);
  if (!checked.success) throw checked.error;
  return buildChannelCreate(checked.data);
};

const kinds = [...channelTypes.map(({ id }) => id), 99];

test.each(kinds)("renaming a channel of type %i changes nothing else", (type) => {
  const read = channelOf(type);
  const { key: _, key_hint: __, keys: ___, ...rest } = read;
  const body = { ...saved(read, { name: "Two" }) };
  expect(body).toEqual({ ...rest, name: "Two", other: read.other || null });
  expect(body).not.toHaveProperty("key");
});

test.each(kinds)(
  "renaming a channel of a compatible server that sends only a uuid and nulls changes nothing else (type %i)",
  (type) => {
    const nulls = {
      base_url: null,
      other: null,
      model_mapping: null,
      model_configs: null,
      system_prompt: null,
    };
    const more = { id: undefined, key_hint: "", weight: null, priority: null, ratelimit: null };
    const read = channelOf(type, { ...nulls, ...more, inference_profile_arn_map: null });
    const body = saved(read, { name: "Two" });
    expect(body).toMatchObject({
      name: "Two",
      uuid: read.uuid,
      config: read.config,
      updated_at: read.updated_at,
    });
    expect(body).toMatchObject({
      other: null,
      model_mapping: null,
      model_configs: null,
      system_prompt: null,
    });
    expect(body).toMatchObject({ base_url: "", weight: 0, priority: 0, ratelimit: 0 });
    expect(body).not.toHaveProperty("id");
  },
);

test("a buying factor has a field, is sent as a number, and is gone where it is emptied", () => {
  const read = channelOf(1, { config: '{"buying_factor":0.85,"strange":2}' });
  expect(buildChannelForm(read)).toMatchObject({
    buying_factor: "0.85",
    config: '{\n  "strange": 2\n}',
  });
  expect(saved(read, { name: "Two" }).config).toBe(read.config);
  expect(JSON.parse(saved(read, { buying_factor: " 1.5 " }).config ?? "")).toEqual({
    strange: 2,
    buying_factor: 1.5,
  });
  expect(JSON.parse(saved(read, { buying_factor: "" }).config ?? "")).toEqual({ strange: 2 });
  expect(JSON.parse(created(1, {}, { key: "k", buying_factor: "0" }).config ?? "")).toEqual({
    buying_factor: 0,
  });
  for (const buying_factor of ["-1", "a", "1e3", "0,85", "0.0000001", "1001"])
    expect(messages({ ...buildChannelForm(read), buying_factor }, read)).toEqual([
      "buying_factor: buying factor",
    ]);
});

test("an unknown type is named by its number", () => {
  const { id: _, ...rest } = saved(channelOf(1, { uuid: undefined }));
  expect(rest).not.toHaveProperty("uuid");
});

test("secrets that a compatible server sends in clear are sent back unchanged, without a new key", () => {
  const config = '{"region":"eu","ak":"A","sk":"S","strange":1}';
  const read = channelOf(33, { config, key_hint: "" });
  expect(buildChannelForm(read).config).not.toContain("S");
  expect(saved(read, { name: "Two" })).toMatchObject({ config });
  expect(saved(read, { name: "Two" })).not.toHaveProperty("key");
  const moved = saved(read, { settings: { ...buildChannelForm(read).settings, region: "us" } });
  expect(moved.key).toBe("A|S|us");
  expect(JSON.parse(moved.config ?? "")).toEqual({ region: "us", ak: "A", sk: "S", strange: 1 });
});

test.each([
  [3, { api_version: "2024-03-01-preview" }, { other: "2024-03-01-preview", config: {} }],
  [17, { plugin: "p" }, { other: "p", config: {} }],
  [18, { api_version: "v3.5" }, { other: "v3.5", config: {} }],
  [21, { library_id: "7" }, { other: "7", config: {} }],
  [24, { api_version: "" }, { other: null, config: {} }],
  [
    34,
    { auth_type: "personal_access_token", user_id: "u" },
    { config: { auth_type: "personal_access_token", user_id: "u" } },
  ],
  [37, { user_id: "account" }, { other: null, config: { user_id: "account" } }],
  [50, { api_format: "response" }, { config: { api_format: "response" } }],
  [
    33,
    { region: "eu", ak: "A", sk: "S" },
    { key: "A|S|eu", config: { region: "eu", ak: "A", sk: "S" } },
  ],
  [
    42,
    { region: "eu", vertex_ai_project_id: "p", vertex_ai_adc: '{"type":"x"}' },
    {
      key: 'eu|p|{"type":"x"}',
      config: { region: "eu", vertex_ai_project_id: "p", vertex_ai_adc: '{"type":"x"}' },
    },
  ],
])(
  "a new channel of type %i sends its settings where servers read them",
  (type, settings, sent) => {
    const body = created(type, settings, { key: "k" });
    expect({
      key: body.key,
      other: body.other,
      config: JSON.parse(body.config || "{}"),
    }).toMatchObject(sent);
  },
);

test("an emptied setting is removed, and the others stay", () => {
  const read = channelOf(18);
  const body = saved(read, { settings: noSettings });
  expect([JSON.parse(body.config ?? ""), body.other]).toEqual([{ strange: 1 }, "v1.1"]);
  const gemini = channelOf(24);
  expect(saved(gemini, { settings: noSettings })).toMatchObject({ config: "{}", other: null });
  const azure = channelOf(3);
  expect(saved(azure, { settings: { ...noSettings, api_version: "2025-01-01" } })).toMatchObject({
    other: "2025-01-01",
    config: '{"strange":[1]}',
  });
});

test("changing the type sends the new type's settings and drops those of the old one", () => {
  const body = saved(channelOf(3), { type: "1", settings: noSettings, key: "sk-new" });
  expect(body).toMatchObject({ type: 1, other: "", config: '{"strange":[1]}', key: "sk-new" });
});

test("a composite key requires all its parts", () => {
  const none = { ...newChannel, name: "x" };
  expect(messages({ ...none, type: "33" })).toEqual([
    "settings.ak: required",
    "settings.region: required",
    "settings.sk: key",
  ]);
  const apiKey = { ...none.settings, sk: "ABSKQmVkcm9ja0FQSUtleQ==", region: "us-east-1" };
  expect(messages({ ...none, type: "33", settings: apiKey })).toBeUndefined();
  expect(messages({ ...none, type: "42" })?.at(-1)).toBe("settings.vertex_ai_adc: key");
  const read = channelOf(33);
  const { settings } = buildChannelForm(read);
  expect(
    messages({ ...buildChannelForm(read), settings: { ...settings, region: "us" } }, read),
  ).toBeUndefined();
  expect(messages({ ...buildChannelForm(read), settings: { ...settings, ak: "B" } }, read)).toEqual(
    ["settings.sk: key"],
  );
  expect(
    messages({ ...buildChannelForm(read), settings: { ...settings, region: "" } }, read),
  ).toEqual(["settings.region: required"]);
});

test("Coze with OAuth requires a complete JSON document as its key", () => {
  const jwt = { ...noSettings, auth_type: "oauth_jwt" };
  const values = { ...newChannel, name: "x", type: "34", settings: jwt };
  expect(messages({ ...values, key: "pat" })).toEqual([
    "key: The key must be valid JSON for OAuth JWT",
  ]);
  expect(messages({ ...values, key: '{"client_type":"jwt"}' })).toEqual([
    "key: Missing required field: client_id",
  ]);
  expect(messages({ ...values, key: "pat", settings: noSettings })).toBeUndefined();
  const read = channelOf(34, { config: "" });
  expect(messages({ ...buildChannelForm(read), settings: jwt }, read)).toEqual(["key: key"]);
  expect(messages(buildChannelForm(channelOf(34)), channelOf(34))).toBeUndefined();
});

test("Coze's default way of authentication is set and removed with the type", () => {
  const coze = buildSettingsAfterPick(noSettings, 1, 34);
  expect(coze.auth_type).toBe("personal_access_token");
  expect(buildSettingsAfterPick(coze, 34, 3)).toMatchObject({
    auth_type: "",
    api_version: "2024-03-01-preview",
  });
  expect(buildSettingsAfterPick({ ...noSettings, auth_type: "oauth_jwt" }, 34, 1).auth_type).toBe(
    "oauth_jwt",
  );
});

test("Azure's default version is set and removed with the type", () => {
  const azure = buildSettingsAfterPick(noSettings, 1, 3);
  expect(azure.api_version).toBe("2024-03-01-preview");
  expect(buildSettingsAfterPick(azure, 3, 24).api_version).toBe("");
  expect(buildSettingsAfterPick({ ...noSettings, api_version: "v3.5" }, 18, 3).api_version).toBe(
    "v3.5",
  );
});
