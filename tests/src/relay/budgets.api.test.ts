// Budgets over a running gateway: what is refused, in the words of each API, what is charged where,
// and what the key's holder sees.
import {
  type BudgetInput,
  createBudget,
  deleteBudget,
  getBudget,
  updateBudget,
} from "@tollgate/contract/accounts/budgets.ts";
import { tokenStatus, updateTokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import { checkCall } from "@tollgate/contract/catalogue/call-checks.ts";
import { createVirtualModel } from "@tollgate/contract/catalogue/virtual-models.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ApiSession } from "../harness/api-session.ts";
import {
  defaultCharge,
  defaultHold,
  question,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";
import { expectOneTryOfEach } from "../support/library-tries.ts";

let gateway: TestGateway;
let root: ApiSession;
beforeAll(async () => {
  gateway = await startTestGateway({ env: { API_RATE_LIMIT: "0" } });
  root = await gateway.root();
  for (const model of ["plain", "first", "second"])
    await gateway.given.channel({ key: "sim-ok", models: model });
});
afterAll(async () => {
  expect(await gateway.audit()).toBe("The books agree.");
  await gateway.close();
});

const body = (model = "plain") => ({ model, max_tokens: 12 });
const make = async (more: Partial<BudgetInput>) => {
  const given = {
    name: "search, monthly",
    window: "month" as const,
    zone: "Europe/Berlin",
    amount: defaultHold,
    ...more,
  };
  return (
    await root.call(createBudget, { body: given as typeof given & Pick<BudgetInput, "subject"> })
  ).data;
};
const shown = async (id: number) => (await root.call(getBudget, { params: { id } })).data;

test("a call that the budget of its key does not cover is refused in the words of its API, and no library sends it again", {
  tags: ["BU-04"],
}, async () => {
  const { key, id } = await gateway.given.token();
  const budget = await make({ subject: "token", subject_id: id });
  expect((await gateway.chat(key, body())).status).toBe(200);
  await gateway.settled();
  expect(await shown(budget.id)).toMatchObject({ spent: defaultCharge, held: 0, exceeded: 0 });

  const refused = await gateway.chat(key, body());
  expect(refused.status).toBe(403);
  expect(refused.headers.get("x-should-retry")).toBe("false");
  expect(refused.headers.get("x-tollgate-budget")).toBe(String(budget.id));
  expect(refused.headers.get("retry-after")).toBeNull();
  const { error } = refused.body;
  expect(error).toMatchObject({ type: "tollgate_error", code: "budget_exceeded", param: null });
  expect(error.budget).toEqual({
    ...{
      id: budget.id,
      name: "search, monthly",
      subject: "token",
      level: "token",
      window: "month",
      zone: "Europe/Berlin",
    },
    ...{
      amount: defaultHold,
      spent: defaultCharge,
      held: 0,
      resets_at: new Date(budget.resets_at ?? 0).toISOString(),
    },
  });
  expect(error.message).toMatch(
    /^Budget "search, monthly" does not cover this call: \$\d+\.\d{2,6} of \$\d+\.\d{2,6}\. It starts anew on \d{4}-\d\d-01 00:00 Europe\/Berlin\.$/,
  );

  const ask = async (path: string, sent: object, headers: object = {}) => {
    const response = await fetch(gateway.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      body: JSON.stringify(sent),
    });
    return { status: response.status, body: await response.json() };
  };
  const messages = await ask("/v1/messages", {
    ...body(),
    messages: [{ role: "user", content: question }],
  });
  expect(messages).toMatchObject({
    status: 429,
    body: {
      type: "error",
      error: { type: "billing_error", code: "budget_exceeded", budget: { id: budget.id } },
    },
  });
  const responses = await ask("/v1/responses", {
    model: "plain",
    input: question,
    max_output_tokens: 12,
  });
  expect(responses).toMatchObject({
    status: 403,
    body: { error: { code: "budget_exceeded", budget: { id: budget.id } } },
  });
  const gemini = await ask("/v1beta/models/plain:generateContent", {
    contents: [{ parts: [{ text: question }] }],
    generationConfig: { maxOutputTokens: 12 },
  });
  expect(gemini).toMatchObject({
    status: 403,
    body: { error: { status: "PERMISSION_DENIED", details: [{ reason: "BUDGET_EXCEEDED" }] } },
  });

  await expectOneTryOfEach(gateway.url, key, body(), 403, 429);
});

test("a changed amount is in force for the next call, and a budget that is switched off counts on", async () => {
  const user = await gateway.given.user("changing", { quota: 100 * defaultHold });
  const { key } = await user.token();
  const { id } = await make({ subject: "user", subject_id: user.id });
  const status = async () => {
    const reply = await gateway.chat(key, body());
    await gateway.settled();
    return reply.status;
  };
  expect([await status(), await status()]).toEqual([200, 403]);
  await root.call(updateBudget, { body: { id, amount: 2 * defaultHold } });
  expect(await status()).toBe(200);
  await root.call(updateBudget, { body: { id, amount: 1 } });
  expect(await status()).toBe(403);
  await root.call(updateBudget, { body: { id, enabled: false } });
  expect(await status()).toBe(200);
  expect(await shown(id)).toMatchObject({
    spent: 3 * defaultCharge,
    exceeded: 3 * defaultCharge - 1,
    reached: 100,
  });
  await root.call(updateBudget, { body: { id, enabled: true, hard: false } });
  expect(await status()).toBe(200);
  await root.call(updateBudget, { body: { id, hard: true } });
  expect(await status()).toBe(403);
  await root.call(deleteBudget, { params: { id } });
  expect(await status()).toBe(200);
});

test("a call that the budget refuses pauses the key, the check of a call does not, and a resumed key stays resumed", async () => {
  const { key, id } = await gateway.given.token();
  const budget = await make({
    subject: "token",
    subject_id: id,
    name: "stop",
    on_reached: "pause",
  });
  const ask = async () => (await gateway.chat(key, body())).body.error;
  expect(await ask()).toBeUndefined();
  await gateway.settled();
  const check = async () =>
    (await root.call(checkCall, { query: { token: id, ...body() } })).data.refusals;
  expect(await check()).toMatchObject([{ code: "budget_exceeded" }]);
  expect(await check()).toMatchObject([{ code: "budget_exceeded" }]);

  expect(await ask()).toMatchObject({ code: "budget_exceeded" });
  await expect.poll(ask).toMatchObject({
    code: "key_paused",
    message: /^The API key is paused by the budget "stop"\. /,
  });
  await root.call(updateBudget, { body: { id: budget.id, hard: true, name: "renamed" } });
  expect(await ask()).toMatchObject({ code: "key_paused" });
  const resume = () =>
    root.call(updateTokenStatus, {
      query: { status_only: "1" },
      body: { id, status: tokenStatus.enabled },
    });
  await resume();
  await expect.poll(ask).toMatchObject({ code: "budget_exceeded" });
  for (let times = 0; times < 3; times += 1)
    expect(await ask()).toMatchObject({ code: "budget_exceeded" });

  await root.call(updateBudget, { body: { id: budget.id, amount: defaultHold + 1 } });
  await expect.poll(ask).toMatchObject({ code: "key_paused" });
});

test("the budget of the site names no sums to a caller, and the check of a call foresees the refusal", {
  tags: ["BU-04"],
}, async () => {
  const { key, id: token } = await gateway.given.token();
  const budget = await make({ subject: "site", name: "everything", window: "lifetime", amount: 1 });
  const { status, body: refused } = await gateway.chat(key, body());
  expect(status).toBe(403);
  expect(refused.error.message).toMatch(
    /^Budget "everything" does not cover this call\. It does not start anew\.$/,
  );
  expect(refused.error.budget).toEqual({
    ...{
      id: budget.id,
      name: "everything",
      subject: "site",
      level: "site",
      window: "lifetime",
      zone: "Europe/Berlin",
    },
  });
  const { data } = await root.call(checkCall, { query: { token, ...body() } });
  expect(data.refusals).toMatchObject([{ step: "balance", status: 403, code: "budget_exceeded" }]);
  await root.call(deleteBudget, { params: { id: budget.id } });
});

test("of a virtual model a target without budget is passed over, and the budget of the one that serves is charged", async () => {
  const { key } = await gateway.given.token();
  const tiers = ["first", "second"].map((model) => ({
    strategy: "weights" as const,
    targets: [{ model, weight: 1 }],
  }));
  await root.call(createVirtualModel, { body: { name: "either", tiers } });
  const first = await make({ subject: "model", model: "first", amount: defaultHold });
  const second = await make({ subject: "model", model: "second", amount: 3 * defaultHold });
  const named = await make({ subject: "model", model: "either", amount: 3 * defaultHold });
  const served = async () => {
    const reply = await gateway.chat(key, body("either"));
    await gateway.settled();
    return reply.headers.get("x-tollgate-model");
  };
  expect([await served(), await served()]).toEqual(["first", "second"]);
  const { candidates } = await gateway.trace((await gateway.lastLog()).id);
  expect(candidates.map(({ model, reason }) => [model, reason.split("; ").at(-1)])).toContainEqual([
    "first",
    "the budget of the model does not cover the call",
  ]);
  const sums = await Promise.all(
    [first, second, named].map(async ({ id }) => (await shown(id)).spent),
  );
  expect(sums).toEqual([defaultCharge, defaultCharge, 2 * defaultCharge]);
  await root.call(updateBudget, { body: { id: second.id, amount: 1 } });
  expect((await gateway.chat(key, body("either"))).status).toBe(403);
});

test("the holder of a key sees the budgets of the key and its owner, and none of others", async () => {
  const user = await gateway.given.user("holder", { quota: 100 * defaultHold });
  const { key, id } = await user.token();
  const other = await user.token();
  const ofKey = await make({ subject: "token", subject_id: id, amount: 5 * defaultHold });
  const ofUser = await make({
    subject: "user",
    subject_id: user.id,
    window: "lifetime",
    hard: false,
  });
  await make({ subject: "token", subject_id: other.id });
  await gateway.chat(key, body());
  await gateway.settled();
  const response = await fetch(`${gateway.url}/v1/budget`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const { object, data } = (await response.json()) as { object: string; data: { id: number }[] };
  expect(object).toBe("list");
  expect(data).toEqual([
    expect.objectContaining({
      id: ofUser.id,
      subject: "user",
      hard: false,
      spent: defaultCharge,
      window: "lifetime",
    }),
    expect.objectContaining({
      id: ofKey.id,
      amount: 5 * defaultHold,
      remaining: 5 * defaultHold - defaultCharge,
    }),
  ]);
  expect(data[0]).not.toHaveProperty("resets_at");
  expect((await fetch(`${gateway.url}/v1/budget`)).status).toBe(401);
});
