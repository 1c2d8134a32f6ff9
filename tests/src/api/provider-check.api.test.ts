// What an administrator learns of an address and a key before a channel is made of them.
import { listChannels } from "@tollgate/contract/channels.ts";
import { checkProvider } from "@tollgate/contract/provider-check.ts";
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
  (await root.call(checkProvider, { body: { type: 50, base_url: gateway.simulator.url, key: "sim-ok", ...body } }))
    .data;

test.each([1, 24])(
  "a provider of type %i is asked for its models and for one answer, and nothing is stored",
  async (type) => {
    const report = await check({ type });
    expect(report).toMatchObject({ address_issue: "", source: "provider", list_failure: "", test: { ok: true } });
    expect(report.models.length).toBeGreaterThan(0);
    expect(report.models.map(({ name }) => name)).toContain(report.test?.model);
    expect((await root.call(listChannels, {})).data).toEqual([]);
  },
);

test("where the list cannot be read, the known names stand in for it and the question is asked", async () => {
  expect(await check({ type: 14 })).toMatchObject({
    source: "built-in",
    list_failure: "status 401",
    test: { ok: true },
  });
});

test("a refused key is a verdict, not an error, and the key is not in it", async () => {
  const report = await check({ key: "sim-fail-401", model: "m1" });
  expect(report.test).toMatchObject({ ok: false, model: "m1", message: expect.stringMatching(/^status 401/) });
  expect(JSON.stringify(report)).not.toContain("sim-fail-401");
  expect(report.test?.message.length).toBeLessThanOrEqual(200);
});

test("an address inside the network is refused without a request", async () => {
  const report = await check({ base_url: "http://169.254.169.254" });
  expect(report).toMatchObject({ address_issue: expect.stringMatching(/private address/), models: [], test: null });
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
