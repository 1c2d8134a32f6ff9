// Calls to virtual models over a running gateway: which target answers, what is held, charged,
// listed and told.
import { checkCall } from "@tollgate/contract/catalogue/call-checks.ts";
import {
  createVirtualModel,
  updateVirtualModel,
} from "@tollgate/contract/catalogue/virtual-models.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ApiSession } from "../harness/api-session.ts";
import {
  defaultHold,
  promptEstimate,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";

let gateway: TestGateway;
let root: ApiSession;
let key: string;
beforeAll(async () => {
  gateway = await startTestGateway({ env: { API_RATE_LIMIT: "0" } });
  root = await gateway.root();
  key = (await gateway.given.token()).key;
  const priced = (model: string, ratio: number) =>
    JSON.stringify({ [model]: { ratio, completion_ratio: 4 } });
  await gateway.given.channel({
    key: "sim-ok+as-cheap",
    models: "cheap",
    model_configs: priced("cheap", 1),
  });
  await gateway.given.channel({
    key: "sim-ok+as-dear",
    models: "dear",
    model_configs: priced("dear", 10),
  });
  await gateway.given.channel({ key: "sim-fail-503", models: "broken" });
  await gateway.given.channel({ key: "sim-ok+as-context", models: "short" });
  await gateway.simulator.script("sim-ok+as-context", {
    fail: {
      status: 400,
      code: "context_length_exceeded",
      message: "This model's maximum context length is 10 tokens",
    },
  });
  await gateway.given.channel({ key: "sim-ok+as-prude", models: "prude" });
  await gateway.simulator.script("sim-ok+as-prude", {
    fail: { status: 400, code: "content_policy_violation", message: "Rejected" },
  });
});
afterAll(() => gateway.close());

const make = async (name: string, tiers: readonly (readonly string[])[], more: object = {}) => {
  const body = {
    name,
    tiers: tiers.map((models) => ({
      strategy: "weights" as const,
      targets: models.map((model) => ({ model, weight: 1 })),
    })),
    ...more,
  };
  return (await root.call(createVirtualModel, { body })).data;
};
const chat = async (model: string, more: object = {}) =>
  await gateway.chat(key, { model, max_tokens: 12, ...more });

test("a failing target is followed by the next tier, and the bill is that of the model that answered", async () => {
  await make("resilient", [["broken"], ["dear"]]);
  const reply = await chat("resilient");
  expect(reply.status).toBe(200);
  expect(reply.body.model).toBe("dear");
  expect(reply.headers.get("x-tollgate-model")).toBe("dear");
  const log = await gateway.lastLog();
  expect(log).toMatchObject({ model_name: "dear", origin_model_name: "resilient", retries: 1 });
  // 6 prompt tokens at 10 units and 12 answer tokens at 40.
  expect(log.quota).toBe(6 * 10 + 12 * 40);
  const { attempts, candidates } = await gateway.trace(log.id);
  expect(attempts.map(({ model, outcome }) => [model, outcome])).toEqual([
    ["broken", "failed"],
    ["dear", "success"],
  ]);
  expect(candidates.map(({ model, taken, reason }) => [model, taken, reason])).toEqual([
    ["broken", true, "broken: tier 1, weight 1 of 1, sticky; priority 0"],
    ["dear", true, "dear: tier 2, weight 1 of 1, sticky; priority 0"],
  ]);
});

test("a stream names its target too, and is charged like a whole answer", async () => {
  await make("streamed", [["cheap"]]);
  const reply = await gateway.stream(key, { model: "streamed", max_tokens: 12 });
  expect([reply.status, reply.errors]).toEqual([200, []]);
  expect(JSON.parse(reply.events[0] ?? "{}").model).toBe("cheap");
  expect(await gateway.lastLog()).toMatchObject({ model_name: "cheap", quota: 6 + 12 * 4 });
});

test("the hold covers the dearest target that may answer", async () => {
  await make("either", [["cheap"], ["dear"]]);
  const poor = await gateway.given.user("poor", { quota: defaultHold * 10 - 1 });
  const { key: own, id } = await poor.token();
  const body = { model: "either", max_tokens: 12 };
  expect((await gateway.chat(own, body)).body.error).toMatchObject({
    code: "insufficient_user_quota",
  });
  const query = { token: id, model: "either", max_tokens: 12, prompt_tokens: promptEstimate };
  const { data } = await poor.call(checkCall, { query });
  expect(data.refusals.map(({ code }) => code)).toEqual(["insufficient_user_quota"]);
  expect((await gateway.chat(own, { ...body, model: "cheap" })).status).toBe(200);
});

test("a prompt that is too long for a target goes to the next one; a refused content only where that is switched on", async () => {
  await make("long", [["short"], ["cheap"]]);
  expect((await chat("long")).body.model).toBe("cheap");
  const { id } = await make("strict", [["prude"], ["cheap"]]);
  expect((await chat("strict")).body.error).toMatchObject({ code: "content_policy_violation" });
  await root.call(updateVirtualModel, { body: { id, retries_refused_content: true } });
  expect((await chat("strict")).body.model).toBe("cheap");
});

test("the model list of a key names the virtual model, or each target where it says so; the lists of models agree", async () => {
  await make("by-name", [["cheap"]]);
  const { id } = await make("by-targets", [["cheap"]], { access: "targets" });
  await make("unserved", [["nothing"]]);
  const listed = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const reply = await fetch(`${gateway.url}/v1/models`, { headers });
    return ((await reply.json()) as { data: { id: string }[] }).data.map((model) => model.id);
  };
  const may = async (token: string, model: string) =>
    (await gateway.chat(token, { model, max_tokens: 12 })).status;
  const named = (await gateway.given.token({ models: "by-name" })).key;
  const targets = (await gateway.given.token({ models: "cheap" })).key;
  expect([
    await may(named, "by-name"),
    await may(named, "cheap"),
    await may(named, "by-targets"),
  ]).toEqual([200, 403, 403]);
  expect([await may(targets, "by-name"), await may(targets, "by-targets")]).toEqual([403, 200]);
  expect(await listed(named)).toEqual(["by-name"]);
  expect(await listed(targets)).toEqual(["by-targets", "cheap"]);
  expect(await listed(key)).toEqual(
    expect.arrayContaining(["by-name", "by-targets", "cheap", "resilient"]),
  );
  expect(await listed(key)).not.toContain("unserved");
  expect(await gateway.api<string[]>("GET", "/api/user/available_models")).toEqual(
    expect.arrayContaining(["by-name", "by-targets"]),
  );
  await root.call(updateVirtualModel, { body: { id, enabled: false } });
  expect(await may(targets, "by-targets")).toBe(403);
});

test("calls to a name that channels serve go to the targets once an administrator confirmed it", async () => {
  await gateway.given.channel({ key: "sim-fail-503", models: "retired" });
  await make("retired", [["cheap"]], { replaces_model: true });
  expect((await chat("retired")).body.model).toBe("cheap");
});

test("a conversation stays with its target, and messages in another format reach one as well", async () => {
  await make("arms", [["cheap", "dear"]]);
  const models = new Set<string>();
  for (let turn = 0; turn < 6; turn += 1)
    models.add((await chat("arms", { prompt_cache_key: "one" })).body.model);
  expect(models.size).toBe(1);
  const reply = await fetch(`${gateway.url}/v1/messages`, {
    method: "POST",
    headers: {
      "x-api-key": key,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
    },
    body: JSON.stringify({
      model: "streamed",
      max_tokens: 12,
      messages: [{ role: "user", content: "one two, nine" }],
    }),
  });
  expect(await reply.json()).toMatchObject({ type: "message", model: "cheap" });
});

test("without a target that can be tried, the refusal names the virtual model, its row each channel, and the check says the same", async () => {
  const off = await gateway.given.channel({ key: "sim-ok", models: "switched-off" });
  await gateway.api("PUT", "/api/channel/?status_only=1", { id: off.id, status: 2 });
  await make("dead", [["switched-off"], ["nowhere"]]);
  const reply = await chat("dead");
  const message = "The model dead does not exist, or this API key has no access to it";
  expect([reply.status, reply.body.error.message]).toEqual([404, expect.stringContaining(message)]);
  const check = (await root.call(checkCall, { query: { model: "dead" } })).data;
  expect(check.refusals).toMatchObject([{ step: "route", status: 404, message }]);
  expect(check.channels).toMatchObject([
    {
      name: off.name,
      is_candidate: false,
      reason: "switched-off: tier 1, weight 1 of 1; disabled",
    },
  ]);
});

test("S2-08 models that a request lists are tried after its model, obey the list of the key, and reach no provider", {
  tags: ["S2-08"],
}, async () => {
  const reply = await chat("short", { models: ["short"], fallbacks: [{ model: "cheap" }] });
  expect([reply.status, reply.body.model]).toEqual([200, "cheap"]);
  const log = await gateway.lastLog();
  expect(log).toMatchObject({ model_name: "cheap", origin_model_name: "short", retries: 1 });
  const sent = (await gateway.simulator.calls())
    .slice(-2)
    .map(({ body }) => Object.keys(body as object));
  expect(sent.flat()).not.toContain("models");
  expect(sent.flat()).not.toContain("fallbacks");
  const limited = (await gateway.given.token({ models: "short,cheap" })).key;
  const refused = await gateway.chat(limited, { model: "short", models: ["cheap", "dear"] });
  expect([refused.status, refused.body.error.message]).toEqual([
    403,
    expect.stringContaining("the model dear"),
  ]);
  const unknown = await chat("cheap", { models: ["unheard-of"] });
  expect([unknown.status, unknown.body.error.code]).toEqual([400, "model_not_found"]);
});

test("an agent's alias is checked as it is called", async () => {
  const query = { model: "anthropic/cheap", endpoint: "claude_messages" as const };
  expect((await root.call(checkCall, { query })).data).toMatchObject({
    would_work: true,
    candidates: 1,
  });
  const asChat = (await root.call(checkCall, { query: { model: "anthropic/cheap" } })).data;
  expect(asChat).toMatchObject({ would_work: false });
});
