// What an administrator learns of an address and a key before a channel is made of them.
import { deleteChannel, listChannels } from "@tollgate/contract/catalogue/channels.ts";
import { compareModels } from "@tollgate/contract/catalogue/model-differences.ts";
import { listModelEnds } from "@tollgate/contract/catalogue/model-ends.ts";
import { checkProvider } from "@tollgate/contract/catalogue/provider-check.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ApiSession } from "../harness/api-session.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";

let gateway: TestGateway;
let root: ApiSession;
const password = "correct horse battery";

beforeAll(async () => {
  gateway = await startTestGateway({ env: { INITIAL_ROOT_PASSWORD: password } });
  root = await gateway.signIn("root", password);
});
afterAll(() => gateway.close());

const check = async (body: { type?: number; base_url?: string; key?: string; model?: string }) =>
  (
    await root.call(checkProvider, {
      body: { type: 50, base_url: gateway.simulator.url, key: "sim-ok", ...body },
    })
  ).data;

test.each([1, 24])(
  "a provider of type %i is asked for its models and for one answer, and nothing is stored",
  async (type) => {
    const report = await check({ type });
    expect(report).toMatchObject({
      address_issue: "",
      source: "provider",
      list_failure: "",
      test: { ok: true },
    });
    expect(report.models.length).toBeGreaterThan(0);
    expect(report.models.map(({ name }) => name)).toContain(report.test?.model);
    expect((await root.call(listChannels, {})).data).toEqual([]);
  },
);

test("a channel's models are compared with its provider's list, and nothing is stored", async () => {
  await gateway.simulator.script("sim-listed", { models: ["kept", "fresh", "model-2026"] });
  const compare = async (channel: { key: string; type?: number; model_mapping?: string }) => {
    const { id } = await gateway.given.channel({ models: "kept,old,fast", ...channel });
    const { data } = await root.call(compareModels, { params: { id } });
    await root.call(deleteChannel, { params: { id } });
    return data;
  };
  expect(
    await compare({ key: "sim-listed", model_mapping: '{"fast":"model-2026"}' }),
  ).toMatchObject({
    models: "kept,old,fast",
    outcome: "compared",
    added: ["fresh"],
    gone: ["old"],
  });
  const failed = { outcome: "failed", added: [], gone: [] };
  expect(await compare({ key: "sim-fail-401" })).toMatchObject({
    ...failed,
    failure: "status 401",
  });
  await gateway.simulator.script("sim-none", { models: [] });
  expect(await compare({ key: "sim-none" })).toMatchObject({
    ...failed,
    failure: "the provider lists no models",
  });
  expect(await compare({ key: "a|b|c", type: 33 })).toMatchObject({
    ...failed,
    outcome: "unsupported",
    failure: "",
  });
  const unknown = root.call(compareModels, { params: { id: 999_999 } });
  await expect(unknown).rejects.toThrow(/does not exist/);
});

test("the days on which models end are read with the list, and told with the answers of these models", async () => {
  await gateway.simulator.script("sim-ends", { models: ["soon"], ends: { soon: "2026-12-11" } });
  const { id } = await gateway.given.channel({ models: "soon", key: "sim-ends" });
  await root.call(compareModels, { params: { id } });
  expect((await root.call(listModelEnds)).data).toMatchObject([
    { model: "soon", ends_on: "2026-12-11", source: "provider", channels: [{ id }] },
  ]);
  const { key } = await gateway.given.token();
  const sunset = async () =>
    (await gateway.chat(key, { model: "soon", max_tokens: 4 })).headers.get("sunset");
  await expect.poll(sunset).toBe("Fri, 11 Dec 2026 00:00:00 GMT");
  await root.call(deleteChannel, { params: { id } });
});

test("where the list cannot be read, the known names stand in for it and the question is asked", async () => {
  expect(await check({ type: 14 })).toMatchObject({
    source: "built-in",
    list_failure: "status 401",
    test: { ok: true },
  });
});

test("a refused key is a verdict, not an error, and the key is not in it", async () => {
  const report = await check({ key: "sim-fail-401", model: "m1" });
  expect(report.test).toMatchObject({
    ok: false,
    model: "m1",
    message: expect.stringMatching(/^status 401/),
  });
  expect(JSON.stringify(report)).not.toContain("sim-fail-401");
  expect(report.test?.message.length).toBeLessThanOrEqual(200);
});

test("an address inside the network is refused without a request", async () => {
  const report = await check({ base_url: "http://169.254.169.254" });
  expect(report).toMatchObject({
    address_issue: expect.stringMatching(/private address/),
    models: [],
    test: null,
  });
});

test("a type without a list offers the names that the gateway knows", async () => {
  const report = await check({
    type: 33,
    base_url: "",
    key: "a|b|c",
    model: "anthropic.claude-haiku-4-5-20251001-v1:0",
  });
  expect(report.source).toBe("built-in");
  expect(report.models.length).toBeGreaterThan(0);
});
