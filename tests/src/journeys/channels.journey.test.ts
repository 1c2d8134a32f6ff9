import { createToken } from "@tollgate/contract/accounts/tokens.ts";
import {
  type Channel,
  createChannel,
  deleteChannel,
  getChannel,
  listChannels,
  searchChannels,
  testChannel,
  updateChannel,
} from "@tollgate/contract/catalogue/channels.ts";
import { updateOption } from "@tollgate/contract/site/options.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { ApiSession } from "../harness/api-session.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { testVariants } from "../support/variants.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, heading, openPage, signIn } from "./console-pages.ts";
import {
  accessibilityViolations,
  expectToFit,
  inspectScreen,
  saveScreenshot,
} from "./inspect-page.ts";

let gateway: TestGateway;
let page: Page;
let root: ApiSession;
let pageErrors: string[];
const password = "correct horse battery";

beforeAll(async () => {
  gateway = await startBrowserGateway({
    store: "postgres",
    env: { INITIAL_ROOT_PASSWORD: password },
  });
  root = await gateway.signIn("root", password);
  page = await openPage(await gateway.newContext());
  pageErrors = collectPageErrors(page);
  await page.goto("/login");
  await signIn(page, "root", password);
  await heading(page, "Dashboard").waitFor();
});
afterAll(() => gateway.close());
beforeEach(() => {
  pageErrors.length = 0;
});

const add = async (name: string, more: object = {}) => {
  const body = {
    name,
    type: 50,
    key: `sim-ok+as-${name}`,
    base_url: gateway.simulator.url,
    models: "m1",
  };
  const [made] = (await root.call(createChannel, { body: { ...body, ...more } })).data;
  if (!made) throw new Error("nothing was made");
  return made;
};
const named = async (name: string): Promise<Channel> => {
  const { data } = await root.call(searchChannels, { query: { keyword: name } });
  const found = data.find((channel) => channel.name === name);
  if (!found) throw new Error(`there is no channel ${name}`);
  return (await root.call(getChannel, { params: { id: found.uuid } })).data;
};
const all = async () => (await root.call(listChannels, { query: { size: 100 } })).data;
const row = (name: string) => page.getByRole("row").filter({ hasText: name });
const act = async (name: string, verb: string) => {
  await page.getByRole("button", { name: `More actions for ${name}`, exact: true }).click();
  await page.getByRole("menuitem", { name: verb, exact: true }).click();
};
const openForm = async (path: string) => {
  await page.goto(path);
  await page.getByLabel("Channel name").waitFor();
};
const pickType = (label: string) => page.getByLabel("Channel type").selectOption({ label });

const adc = '{"type":"service_account"}';
const jwt = JSON.stringify({
  client_type: "jwt",
  client_id: "c",
  coze_www_base: "https://www.coze.com",
  coze_api_base: "https://api.coze.com",
  private_key: "p",
  public_key_id: "k",
});

interface ChannelFormCase {
  type: string;
  /** `fill` goes by label. */
  fill: Record<string, string>;
  choose?: Record<string, string>;
  made: Partial<Channel>;
  config?: object;
}
const key = { "API Key": "sk-provider-9876" };
const azureBase = "https://x.openai.azure.com/";

/** Every kind of section that the form has. */
const kinds: ChannelFormCase[] = [
  {
    type: "AWS Bedrock",
    fill: {
      Region: "eu-west-1",
      "Access key": "AKIA",
      "Secret key": "the-secret-9999",
      "Inference profile ARN map": '{"m":"arn:aws:x"}',
    },
    made: { inference_profile_arn_map: '{"m":"arn:aws:x"}', key_hint: "st-1" },
    config: { region: "eu-west-1", ak: "AKIA" },
  },
  {
    type: "Coze",
    fill: { "API Key": jwt },
    choose: { "Authentication type": "OAuth JWT" },
    made: {},
    config: { auth_type: "oauth_jwt" },
  },
  {
    type: "OpenAI",
    fill: key,
    made: { base_url: "https://api.openai.com", other: "", key_hint: "9876" },
  },
  {
    type: "Azure",
    fill: { ...key, "Base URL": azureBase },
    made: { base_url: "https://x.openai.azure.com", other: "2024-03-01-preview" },
  },
  {
    type: "VertexAI",
    fill: { Region: "us-central1", "Project ID": "p", "Application Default Credentials": adc },
    made: {},
    config: { region: "us-central1", vertex_ai_project_id: "p" },
  },
  {
    type: "Coze",
    fill: { ...key, "User ID": "u" },
    made: {},
    config: { auth_type: "personal_access_token", user_id: "u" },
  },
  {
    type: "Cloudflare",
    fill: { ...key, "Account ID": "account" },
    made: {},
    config: { user_id: "account" },
  },
  {
    type: "iFlytek Spark",
    fill: key,
    choose: { "Spark version": "v3.5" },
    made: { other: "v3.5" },
  },
  { type: "Gemini", fill: { ...key, "API Version": "v1beta" }, made: { other: "v1beta" } },
  {
    type: "AI Proxy knowledge base",
    fill: { ...key, "Knowledge base ID": "7" },
    made: { other: "7" },
  },
  { type: "Alibaba Qianwen", fill: { ...key, Plugin: "search" }, made: { other: "search" } },
  {
    type: "OpenAI Compatible",
    fill: { ...key, "Base URL": "https://a.example/v1/" },
    choose: { "API Format": "Responses" },
    made: { base_url: "https://a.example/v1" },
    config: { api_format: "response" },
  },
  { type: "API2D", fill: key, made: { base_url: "https://oa.api2d.net" } },
];

const kindTitle = "a $type channel is made, and an edit of its name changes nothing else";
testVariants(kinds, { narrow: 2 })(kindTitle, async (kind) => {
  const name = `kind ${kinds.indexOf(kind)}`;
  await openForm("/channels/add");
  await page.getByLabel("Channel name").fill(name);
  await pickType(kind.type);
  for (const [label, choice] of Object.entries(kind.choose ?? {}))
    await page.getByLabel(label).selectOption({ label: choice });
  for (const [label, value] of Object.entries(kind.fill))
    await page.getByLabel(label, { exact: true }).fill(value);
  await page.getByRole("button", { name: "Create Channel" }).click();
  await page.getByText("Channel created successfully", { exact: true }).waitFor();

  const made = await named(name);
  const { key_hint, ...expected } = kind.made;
  expect(made).toMatchObject({
    group: "default",
    priority: 0,
    weight: 0,
    ratelimit: 0,
    ...expected,
  });
  if (kind.config) expect(JSON.parse(made.config)).toEqual(kind.config);
  else expect(made.config).toBe("");
  expect(made).toMatchObject({ model_mapping: "", model_configs: null, system_prompt: null });

  await openForm(`/channels/edit/${made.uuid}`);
  for (const [label, choice] of Object.entries(kind.choose ?? {}))
    expect(await page.getByLabel(label).locator("option:checked").innerText()).toBe(choice);
  await page.getByLabel("Channel name").fill(`${name} renamed`);
  await page.getByRole("button", { name: "Update Channel" }).click();
  await page.getByText("Channel updated successfully", { exact: true }).waitFor();
  const after = await named(`${name} renamed`);
  expect(after).toEqual({ ...made, name: `${name} renamed`, updated_at: after.updated_at });
  expect(pageErrors).toEqual([]);
});

test("unknown members survive an edit beside them", async () => {
  const config = '{ "region":"eu", "ak":"A", "custom_headers":{"x":"y"}, "new":[1] }';
  const model_configs = '{"m1":{"ratio":1,"tiers":[{"ratio":2}],"new":0}}';
  const { uuid } = await add("unknown members", { type: 33, config, model_configs, base_url: "" });
  await openForm(`/channels/edit/${uuid}`);
  await page.getByLabel("Region").fill("us-east-1");
  await page.getByRole("button", { name: "Update Channel" }).click();
  await page.getByText("Channel updated successfully", { exact: true }).waitFor();
  const after = await named("unknown members");
  expect(JSON.parse(after.config)).toEqual({
    region: "us-east-1",
    ak: "A",
    custom_headers: { x: "********" },
    new: [1],
  });
  expect(after.model_configs).toBe(model_configs);
});

test("a header is added, its value never shown again, replaced and removed", {
  tags: ["S2-06"],
}, async () => {
  const made = await add("with headers", {});
  const saveForm = async () => {
    await page.getByRole("button", { name: "Update Channel" }).click();
    await page.getByText("Channel updated successfully", { exact: true }).waitFor();
    return JSON.parse((await named("with headers")).config || "{}").custom_headers;
  };
  await openForm(`/channels/edit/${made.uuid}`);
  await page.getByRole("button", { name: "Add a header" }).click();
  await page.getByLabel("Header name").fill("cf-aig-authorization");
  await page.getByLabel("Header value").fill("Bearer canary");
  expect(await saveForm()).toEqual({ "cf-aig-authorization": "********" });

  await openForm(`/channels/edit/${made.uuid}`);
  expect(await page.getByLabel("Header name").inputValue()).toBe("cf-aig-authorization");
  expect(await page.getByLabel("Header value").inputValue()).toBe("");
  expect(await page.content()).not.toContain("canary");
  await page.getByRole("button", { name: "Replace the value of cf-aig-authorization" }).click();
  await page.getByLabel("Header value").fill("another");
  expect(await saveForm()).toEqual({ "cf-aig-authorization": "********" });

  await openForm(`/channels/edit/${made.uuid}`);
  await page.getByRole("button", { name: "Remove the header cf-aig-authorization" }).click();
  expect(await saveForm()).toBeUndefined();
  expect(pageErrors).toEqual([]);
});

test("a type offers the models of its provider, and default pricing adds what they cost with their cache", {
  tags: ["large"],
}, async () => {
  await openForm("/channels/add");
  await pickType("Mistral");
  await page.getByRole("checkbox", { name: "mistral-large-latest", exact: true }).waitFor();
  await pickType("Anthropic");
  await page.getByRole("checkbox", { name: "claude-haiku-4-5", exact: true }).check();
  expect(
    await page.getByRole("checkbox", { name: "mistral-large-latest", exact: true }).count(),
  ).toBe(0);
  await page.getByRole("button", { name: "Load default pricing" }).click();
  const configs = page.getByLabel("Model configs", { exact: true });
  await expect.poll(() => configs.inputValue()).toContain("claude-haiku-4-5");
  expect(JSON.parse(await configs.inputValue())).toEqual({
    "claude-haiku-4-5": {
      ratio: 0.5,
      completion_ratio: 5,
      cached_input_ratio: 0.05,
      cache_write_5m_ratio: 0.625,
      cache_write_1h_ratio: 1,
      max_tokens: 64_000,
    },
  });
});

test("each error appears at its field, in the language of the form", {
  tags: ["large"],
}, async () => {
  await openForm("/channels/add");
  await page.getByRole("button", { name: "Create Channel" }).click();
  for (const message of ["Channel name is required", "API key is required"])
    await page.getByText(message, { exact: true }).waitFor();
  await page.getByLabel("Channel name").fill("x");
  await pickType("Coze");
  await page.getByLabel("Authentication type").selectOption({ label: "OAuth JWT" });
  await page.getByLabel("API Key", { exact: true }).fill('{"client_type":"jwt"}');
  await page.getByLabel("Model mapping", { exact: true }).fill("{");
  await page.getByLabel("Model configs", { exact: true }).fill('{"m":{"ratio":-1}}');
  await page.getByLabel("Other configuration", { exact: true }).fill("{");
  await page.getByLabel("Rate limit", { exact: true }).fill("-1");
  await page.getByRole("button", { name: "Create Channel" }).click();
  for (const message of [
    "Invalid JSON format in model mapping",
    'Invalid ratio for model "m": must be a non-negative number',
    "Invalid JSON format in other configuration",
    "Rate limit must be non-negative",
  ])
    await page.getByText(message).waitFor();
  await page.getByLabel("Model mapping", { exact: true }).fill('{"a":"b"}');
  await page
    .getByLabel("Model mapping", { exact: true })
    .locator("xpath=ancestor::div[1]")
    .getByRole("button", { name: "Format" })
    .click();
  expect(await page.getByLabel("Model mapping", { exact: true }).inputValue()).toBe(
    '{\n  "a": "b"\n}',
  );
  await page.getByLabel("Model configs", { exact: true }).fill("");
  await page.getByLabel("Other configuration", { exact: true }).fill("");
  await page.getByLabel("Rate limit", { exact: true }).fill("0");
  await page.getByRole("button", { name: "Create Channel" }).click();
  await page.getByText("Missing required field: client_id", { exact: true }).waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
});

test.each(["AWS Bedrock", "VertexAI", "Coze"])(
  "the form of %s is readable, fits and can be walked",
  { tags: ["variant"] },
  async (type) => {
    await openForm("/channels/add");
    await pickType(type);
    await inspectScreen(page, `channel-form-${type}`);
  },
);

test("several keys go into one channel, more come to them, and each is switched off and on by itself", async () => {
  await openForm("/channels/add");
  await page.getByLabel("Channel name").fill("several keys");
  await pickType("OpenAI Compatible");
  await page.getByLabel("Base URL").fill(gateway.simulator.url);
  await page.getByLabel("API Key", { exact: true }).fill("sim-ok+as-key-aaaa\nsim-ok+as-key-bbbb");
  await page.getByText("2 lines: 2 channels will be created, one for each line.").waitFor();
  await page.getByRole("button", { name: "Create Channel" }).click();
  const question = page.getByRole("dialog", { name: "Create 2 channels" });
  await question.getByRole("button", { name: "Cancel" }).click();
  await question.waitFor({ state: "hidden" });
  await page.getByRole("checkbox", { name: "Several keys in one channel" }).check();
  await page.getByText("One key on each line.").waitFor();
  await page.getByRole("button", { name: "Create Channel" }).click();
  await page.getByText("Channel created successfully", { exact: true }).waitFor();
  const made = await named("several keys");
  expect(made.keys.map(({ hint, status }) => [hint, status])).toEqual([
    ["aaaa", 1],
    ["bbbb", 1],
  ]);

  await openForm(`/channels/edit/${made.uuid}`);
  await page.getByText("Stored: …aaaa, …bbbb. Leave empty to keep them.").waitFor();
  await page.getByLabel("API Key", { exact: true }).fill("sim-ok+as-key-cccc");
  await page.getByRole("checkbox", { name: "Add to the stored keys" }).check();
  expect(await accessibilityViolations(page)).toEqual([]);
  await saveScreenshot(page, "channel-form-keys", "light");
  await page.getByRole("button", { name: "Update Channel" }).click();
  await page.getByText("Channel updated successfully", { exact: true }).waitFor();

  const dialog = page.getByRole("dialog", { name: "Keys of several keys" });
  const keyRow = (hint: string) => dialog.getByRole("listitem").filter({ hasText: hint });
  await act("several keys", "Keys");
  await expect.poll(() => dialog.getByRole("listitem").count()).toBe(3);
  await keyRow("cccc").getByRole("button", { name: "Disable the key …cccc" }).click();
  await keyRow("cccc").getByText("Disabled", { exact: true }).waitFor();
  expect((await named("several keys")).keys.map(({ status }) => status)).toEqual([1, 1, 2]);
  await keyRow("cccc").getByRole("button", { name: "Enable the key …cccc" }).click();
  await keyRow("cccc").getByText("Enabled", { exact: true }).waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  expect((await named("several keys")).keys.map(({ status }) => status)).toEqual([1, 1, 1]);

  await expectToFit(page, 375);
  // A row on a phone opens first.
  await page.getByRole("button", { name: "several keys", exact: true }).click();
  await act("several keys", "Keys");
  await keyRow("cccc").waitFor();
  await inspectScreen(page, "channel-keys", { widths: [375] });
  await dialog.getByRole("button", { name: "Close" }).click();
  await page.setViewportSize({ width: 1440, height: 900 });
  expect(pageErrors).toEqual([]);
});

test("a channel that just failed shows the reason and counts down, and so does one with a disabled key", {
  tags: ["large"],
}, async () => {
  await root.call(updateOption, { body: { key: "AutomaticDisableChannelEnabled", value: "true" } });
  const config = '{"multi_key":true}';
  await add("resting", { key: "sim-fail-503+as-resting", models: "m-rests" });
  await add("lost a key", {
    key: "sim-fail-401+as-xxxx\nsim-ok+as-yyyy",
    models: "m-keys",
    config,
  });
  const { data } = await root.call(createToken, {
    body: { name: "caller", unlimited_quota: true },
  });
  const ask = async (model: string) => {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${data.key}` },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "hello" }] }),
    });
    await response.text();
    return response.status;
  };
  expect([await ask("m-rests"), await ask("m-keys")]).toEqual([503, 200]);
  await expect.poll(async () => (await named("lost a key")).keys[0]?.status).toBe(3);
  await root.call(updateOption, {
    body: { key: "AutomaticDisableChannelEnabled", value: "false" },
  });

  await page.goto("/channels");
  const badge = row("resting").getByRole("button", { name: /^Retry in \d+ s$/ });
  const secondsShown = async () => Number(/\d+/.exec(await badge.innerText())?.[0]);
  const atFirst = await secondsShown();
  expect(atFirst).toBeLessThanOrEqual(30);
  await expect.poll(secondsShown).toBeLessThan(atFirst);
  await badge.focus();
  await page
    .getByText("m-rests: status 503. Until then it serves only when no other channel can.")
    .waitFor();
  const keys = row("lost a key").getByRole("button", { name: "1 of 2 keys" });
  await keys.focus();
  await page.getByText(/^Not in use: …xxxx: The provider refused the key: /).waitFor();
  await act("lost a key", "Keys");
  const dialog = page.getByRole("dialog", { name: "Keys of lost a key" });
  await dialog
    .getByRole("listitem")
    .filter({ hasText: "xxxx" })
    .getByText("The provider refused the key: ")
    .waitFor();
  await saveScreenshot(page, "channel-keys-refused", "light");
  await dialog.getByRole("button", { name: "Close" }).click();
  await inspectScreen(page, "channel-suspended");
  expect(pageErrors).toEqual([]);
});

test("beside the status stands what makes calls fail: no models, a refused address, a failed or missing test", {
  tags: ["large"],
}, async () => {
  const ids: string[] = [];
  for (const [name, more] of [
    ["without models", { models: "" }],
    ["inside the network", { base_url: "http://10.0.0.7:8080" }],
    ["unreachable account", { key: "sim-fail-500" }],
    ["untested account", {}],
  ] as const) {
    ids.push((await add(name, more)).uuid);
  }
  await root.call(testChannel, { params: { id: ids[2] ?? "" } }).catch(() => undefined);
  await page.goto("/channels?size=100");
  for (const [name, badge, why] of [
    ["without models", "No models", /Edit it and choose models/],
    ["inside the network", "Refused address", /private address; to allow it, add 10\.0\.0\.7:8080/],
    ["unreachable account", "Test failed", /The log has the reason/],
    ["untested account", "Never tested", /No test and no call yet/],
  ] as const) {
    await row(name).getByText("Active", { exact: true }).waitFor();
    await row(name).getByRole("button", { name: badge, exact: true }).focus();
    await page.getByRole("tooltip").getByText(why).waitFor();
  }
  expect(pageErrors).toEqual([]);
});

test("all channels are tested in the background: seen, cancelled, and read afterwards", async () => {
  for (const channel of await all()) await remove(channel);
  await add("works");
  await add("broken", { key: "sim-fail-500" });
  await add("never ends", { key: "sim-hang" });
  await page.goto("/channels");
  await row("works").waitFor();
  await page.getByRole("button", { name: "Test All" }).click();
  const tests = page.getByRole("region", { name: "Channel tests" });
  await tests.getByText("2 of 3").waitFor();
  await tests.getByText("1 failed").waitFor();
  expect(await tests.getByRole("progressbar").getAttribute("value")).toBe("2");
  // A later visit shows it too.
  await page.reload();
  await tests.getByText("2 of 3").waitFor();
  await tests.getByRole("button", { name: "Cancel" }).click();
  await tests.getByText("Cancelled").waitFor();
  expect((await named("works")).response_time).toBeGreaterThan(0);
  expect((await named("never ends")).status).toBe(1);

  await remove(await named("never ends"));
  await page.getByRole("button", { name: "Test All" }).click();
  await tests.getByText("Done").waitFor();
  await tests.getByRole("button", { name: "Results" }).click();
  const failed = tests.getByRole("listitem").filter({ hasText: "broken" });
  await failed.getByText(/status 500/).waitFor();
  await inspectScreen(page, "channel-tests");
  await tests.getByRole("button", { name: "Dismiss" }).click();
  await expect.poll(() => tests.count()).toBe(0);
});

test("balances are fetched from the channels that have one", { tags: ["large"] }, async () => {
  await add("no balance", { type: 14 });
  await page.goto("/channels");
  await row("no balance").getByText("Not Supported").waitFor();
  await page.getByRole("button", { name: "Update Balances" }).click();
  const balances = page.getByRole("region", { name: "Balance updates" });
  await balances.getByText("Done").waitFor();
  await balances.getByText("2 of 2").waitFor();
  await act("works", "Update Balance");
  const notifications = page.getByRole("region", { name: "Notifications" });
  await notifications
    .getByText("The balance could not be read: the provider answered with status 404")
    .waitFor();
  await act("works", "Test");
  await page.getByText("Channel test successful!").waitFor();
  await act("broken", "Test");
  await page.getByText(/^Channel test failed: status 500/).waitFor();
});

test("the models of a channel are tested one by one, with what came of each", {
  tags: ["large"],
}, async () => {
  await page.goto("/channels");
  await act("works", "Test models...");
  const models = page.getByRole("dialog", { name: "Test models of works" });
  await models.getByRole("button", { name: /^Test all/ }).click();
  await models
    .getByText(/^answered in [\d.]+ s$/)
    .first()
    .waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await models.getByRole("button", { name: "Close" }).click();
  await act("broken", "Test models...");
  const broken = page.getByRole("dialog", { name: "Test models of broken" });
  await broken
    .getByRole("button", { name: /^Test (?!all)/ })
    .first()
    .click();
  await broken.getByText("The provider failed (5xx)").waitFor();
  await broken.getByText(/status 500/).waitFor();
});

test("a copy is opened for editing, and is disabled", { tags: ["large"] }, async () => {
  await page.goto("/channels");
  await act("works", "Copy");
  await heading(page, "Edit Channel").waitFor();
  await expect.poll(() => page.getByLabel("Channel name").inputValue()).toBe("works (copy)");
  expect(await named("works (copy)")).toMatchObject({
    status: 2,
    key_hint: (await named("works")).key_hint,
  });
});

test("root leads a channel through a proxy of its own, and its password is never shown again", async () => {
  const { uuid } = await named("works");
  await openForm(`/channels/edit/${uuid}`);
  await page.getByText("default (from Settings)").waitFor();
  await page.getByRole("button", { name: "Change proxy" }).click();
  const dialog = page.getByRole("dialog", { name: "Outbound proxy of works" });
  await dialog
    .getByLabel("Address of the proxy", { exact: true })
    .fill("socks5://gate:hidden-word@proxy.example:1080");
  await inspectScreen(page, "channel-proxy");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("socks5://proxy.example:1080").waitFor();
  // The form was read before, and can still be saved.
  await page.getByRole("button", { name: "Update Channel" }).click();
  await page.getByText("Channel updated successfully").waitFor();
  expect((await named("works")).proxy_hint).toBe("socks5://proxy.example:1080");
  await openForm(`/channels/edit/${uuid}`);
  await page.getByRole("button", { name: "Change proxy" }).click();
  expect(await page.content()).not.toContain("hidden-word");
  await dialog.getByRole("button", { name: "Use the proxy from Settings" }).click();
  await page.getByText("default (from Settings)").waitFor();
  expect((await named("works")).proxy_hint).toBe("");
});

test("a column that the user chooses shows the calls of 24 hours with those that failed", {
  tags: ["large"],
}, async () => {
  await page.goto("/channels");
  const menu = page.getByRole("button", { name: "Columns and views" });
  await menu.click();
  await page.getByRole("menuitemcheckbox", { name: "Calls in 24 hours", exact: true }).click();
  await page.keyboard.press("Escape");
  const { data } = await root.call(listChannels, { query: { recent: "true" } });
  const works = data.find(({ name }) => name === "works")?.recent ?? [];
  const sum = (measure: "requests" | "failures") =>
    works.reduce((total, count) => total + count[measure], 0);
  expect(works).toHaveLength(24);
  const bars = row("works").first().getByRole("img");
  expect(await bars.getAttribute("aria-label")).toBe(
    `${sum("requests")} calls, ${sum("failures")} failed`,
  );
  await saveScreenshot(page, "channels-recent", "light");
  expect(await accessibilityViolations(page)).toEqual([]);
  await menu.click();
  await page.getByRole("menuitem", { name: "Reset columns", exact: true }).click();
  await bars.waitFor({ state: "detached" });
});

test("the disabled are deleted after the question and the number", {
  tags: ["large"],
}, async () => {
  const { id, uuid } = await named("no balance");
  await root.call(updateChannel, { body: { id, uuid, tag: "spare" } });
  await page.goto("/channels");
  await page
    .getByLabel("Tag", { exact: true })
    .getByRole("option", { name: "spare (1)" })
    .waitFor({ state: "attached" });
  await act("no balance", "Disable");
  await row("no balance").getByText("Disabled", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Delete Disabled" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete Disabled" });
  await dialog
    .getByText(
      "Are you sure you want to delete all disabled channels? This action cannot be undone.",
    )
    .waitFor();
  await dialog.getByText(/2 channels are disabled by hand\./).waitFor();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByText("2 channels are deleted", { exact: true }).waitFor();
  await expect.poll(() => row("no balance").count()).toBe(0);
  await page.getByLabel("Tag", { exact: true }).waitFor({ state: "detached" });
  expect((await all()).map(({ name }) => name).sort()).toEqual(["broken", "works"]);
  expect(pageErrors).toEqual([]);
});

const remove = ({ uuid }: Channel) => root.call(deleteChannel, { params: { id: uuid } });
