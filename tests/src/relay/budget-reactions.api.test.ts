// What becomes of calls that a budget does not cover: more that is granted for the window, and
// calls that go on with another model.
import { grantBudget } from "@tollgate/contract/accounts/budget-grants.ts";
import {
  type Budget,
  type BudgetInput,
  createBudget,
  getBudget,
} from "@tollgate/contract/accounts/budgets.ts";
import {
  createTeam,
  createTeamToken,
  transferToTeam,
  updateTeam,
} from "@tollgate/contract/accounts/teams.ts";
import { checkCall } from "@tollgate/contract/catalogue/call-checks.ts";
import { createVirtualModel } from "@tollgate/contract/catalogue/virtual-models.ts";
import { updateOption } from "@tollgate/contract/site/options.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ApiSession } from "../harness/api-session.ts";
import {
  chatBody,
  defaultCharge,
  defaultHold,
  question,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";

let gateway: TestGateway;
let root: ApiSession;
beforeAll(async () => {
  gateway = await startTestGateway({ env: { API_RATE_LIMIT: "0" } });
  root = await gateway.root();
  for (const model of ["dear", "cheap", "cheaper", "vectors"])
    await gateway.given.channel({ key: "sim-ok", models: model });
});
afterAll(async () => {
  expect(await gateway.audit()).toBe("The books agree.");
  await gateway.close();
});

const body = (model = "dear") => ({ model, max_tokens: 12 });
const make = async (more: Partial<BudgetInput>): Promise<Budget> => {
  const given = { name: "month", window: "month" as const, amount: defaultHold, ...more };
  return (
    await root.call(createBudget, { body: given as typeof given & Pick<BudgetInput, "subject"> })
  ).data;
};
const wordsOf = ({ body: { error } }: { body: { error?: unknown } }): string =>
  (error as { message: string }).message;
const shown = async (id: number) => (await root.call(getBudget, { params: { id } })).data;
const grant = (id: number, amount: number, more: object = {}) =>
  root.call(grantBudget, { params: { id }, body: { amount, ...more } });

test("what is granted for the window is spent like the amount, and taken back", async () => {
  const { key, id } = await gateway.given.token();
  const budget = await make({ subject: "token", subject_id: id, on_reached: "ask" });
  const ask = async () => {
    const reply = await gateway.chat(key, body());
    await gateway.settled();
    return reply;
  };
  expect((await ask()).status).toBe(200);
  const refused = await ask();
  expect(refused.status).toBe(403);
  expect(wordsOf(refused)).toMatch(
    / Its managers can grant more before then: ask in the console, where the budget is shown\.$/,
  );

  const { data } = await grant(budget.id, defaultHold, { window_start: budget.window_start });
  expect(data).toMatchObject({ amount: defaultHold, granted: defaultHold, spent: defaultCharge });
  expect((await ask()).status).toBe(200);
  expect(await shown(budget.id)).toMatchObject({
    ...{ spent: 2 * defaultCharge, exceeded: 0 },
    reached: 80 <= (200 * defaultCharge) / (2 * defaultHold) ? 80 : 0,
  });
  const own = await fetch(`${gateway.url}/v1/budget`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const { data: told } = (await own.json()) as { data: unknown };
  expect(told).toMatchObject([
    {
      ...{ id: budget.id, amount: 2 * defaultHold, granted: defaultHold },
      ...{ spent: 2 * defaultCharge, remaining: 2 * (defaultHold - defaultCharge) },
    },
  ]);
  expect((await ask()).status).toBe(403);
  await grant(budget.id, -defaultHold);
  expect(await shown(budget.id)).toMatchObject({
    ...{ granted: 0, reached: 100, exceeded: 2 * defaultCharge - defaultHold },
  });
});

test("a call goes to the model that its budget names, says so, and counts for the budgets of both", async () => {
  const { key, id } = await gateway.given.token();
  const budget = await make({
    ...{ subject: "token", subject_id: id, name: "team of two" },
    on_reached: "model:cheap",
  });
  const spare = await make({ subject: "token", subject_id: id, models: ["cheap"], name: "spare" });
  expect((await gateway.chat(key, body())).headers.get("x-tollgate-model")).toBeNull();
  await gateway.settled();

  const moved = await gateway.chat(key, body());
  expect(moved.status).toBe(200);
  expect(moved.headers.get("x-tollgate-model")).toBe("cheap");
  expect(await gateway.lastLog()).toMatchObject({
    ...{ model_name: "cheap", origin_model_name: "dear", quota: defaultCharge },
    content: 'budget "team of two" did not cover dear: the call went to cheap',
  });
  expect(await shown(budget.id)).toMatchObject({
    ...{ spent: 2 * defaultCharge, exceeded: 2 * defaultCharge - defaultHold },
  });
  expect(await shown(spare.id)).toMatchObject({ spent: defaultCharge, held: 0 });

  // The model that it names has a budget of its own, which holds.
  const refused = await gateway.chat(key, body());
  expect(refused.status).toBe(403);
  expect(refused.headers.get("x-tollgate-budget")).toBe(String(spare.id));
  expect((await gateway.chat(key, body("cheap"))).status).toBe(403);
});

test("the check of a call foresees the model that it goes to", async () => {
  const { id } = await gateway.given.token();
  await make({ subject: "token", subject_id: id, amount: 1, on_reached: "model:cheap" });
  const { data } = await root.call(checkCall, { query: { token: id, ...body() } });
  expect(data).toMatchObject({ would_work: true, refusals: [], model_instead: "cheap" });
});

test.each([
  ["/v1/messages", { ...body(), messages: [{ role: "user", content: question }] }],
  ["/v1/responses", { model: "dear", input: question, max_output_tokens: 12 }],
  [
    "/v1beta/models/dear:generateContent",
    {
      contents: [{ parts: [{ text: question }] }],
      generationConfig: { maxOutputTokens: 12 },
    },
  ],
])("a call of %s goes on too, whole and streamed", async (path, sent) => {
  const { key, id } = await gateway.given.token();
  await make({ subject: "token", subject_id: id, amount: 1, on_reached: "model:cheap" });
  const isGemini = path.includes("v1beta");
  for (const isStream of [false, true]) {
    const response = await fetch(
      gateway.url +
        (isGemini && isStream ? `${path.replace("generate", "streamGenerate")}?alt=sse` : path),
      {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(isGemini ? sent : { ...sent, stream: isStream }),
      },
    );
    expect(response.status).toBe(200);
    expect(response.headers.get("x-tollgate-model")).toBe("cheap");
    await response.text();
    expect(await gateway.lastLog()).toMatchObject({
      ...{ model_name: "cheap", origin_model_name: "dear", is_stream: isStream ? 1 : 0 },
    });
  }
});

test("a call stays refused where the key may not use that model, none serves it, or no text is asked for", async () => {
  const narrow = await gateway.given.token({ models: "dear" });
  await make({
    ...{ subject: "token", subject_id: narrow.id, amount: 1, on_reached: "model:cheap" },
  });
  const refused = await gateway.chat(narrow.key, body());
  expect(refused.status).toBe(403);
  expect(refused.body.error).toMatchObject({
    code: "budget_exceeded",
    message: expect.stringMatching(
      /Calls go on with the model cheap, which cannot serve this one: The API key may not use the model cheap\.$/,
    ),
  });

  const lost = await gateway.given.token();
  await make({
    ...{ subject: "token", subject_id: lost.id, amount: 1, on_reached: "model:nowhere" },
  });
  expect(wordsOf(await gateway.chat(lost.key, body()))).toMatch(
    /Calls go on with the model nowhere, which cannot serve this one: /,
  );

  const wide = await gateway.given.token();
  await make({ subject: "token", subject_id: wide.id, amount: 1, on_reached: "model:cheap" });
  const vectors = await fetch(`${gateway.url}/v1/embeddings`, {
    method: "POST",
    headers: { authorization: `Bearer ${wide.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "vectors", input: question }),
  });
  expect(vectors.status).toBe(403);
  expect(await vectors.json()).toMatchObject({ error: { code: "budget_exceeded" } });
});

test("budgets that send calls to each other's models refuse, and those that agree let them through", async () => {
  const { key, id } = await gateway.given.token();
  const budget = { subject: "token", subject_id: id, amount: 1 } as const;
  await make({ ...budget, on_reached: "model:cheap" });
  await make({ ...budget, on_reached: "model:cheaper" });
  expect((await gateway.chat(key, body())).status).toBe(403);

  const other = await gateway.given.token();
  await make({ ...budget, subject_id: other.id, on_reached: "model:cheap", name: "one" });
  await make({ ...budget, subject_id: other.id, on_reached: "model:cheap", name: "two" });
  expect((await gateway.chat(other.key, body())).status).toBe(200);
  expect(await gateway.lastLog()).toMatchObject({ model_name: "cheap" });
});

test("a budget sends calls to a virtual model, and an answer that was kept for the other model is not given", async () => {
  await root.call(createVirtualModel, {
    body: {
      name: "thrifty",
      tiers: [{ strategy: "weights", targets: [{ model: "cheaper", weight: 1 }] }],
    },
  });
  await root.call(updateOption, { body: { key: "ResponseCacheEnabled", value: "true" } });
  const { key, id } = await gateway.given.token({ cache_seconds: 3_600 });
  const ask = () =>
    gateway.send(key, chatBody(body()), { headers: { "x-tollgate-cache": "max-age=60" } });
  const cacheOf = async () => {
    const response = await ask();
    await response.text();
    await gateway.settled();
    return response.headers.get("x-tollgate-cache");
  };
  expect([await cacheOf(), await cacheOf()]).toEqual(["miss", "hit"]);
  await make({ subject: "token", subject_id: id, amount: 1, on_reached: "model:thrifty" });
  const moved = await ask();
  expect(moved.headers.get("x-tollgate-cache")).toBe("miss");
  expect(moved.headers.get("x-tollgate-model")).toBe("cheaper");
  await moved.text();
  expect(await gateway.lastLog()).toMatchObject({
    ...{ model_name: "cheaper", origin_model_name: "dear" },
  });
});

test("a key of a team goes on with a model of the team's list alone", async () => {
  const team = (await root.call(createTeam, { body: { name: "Listed", models: "dear" } })).data;
  await root.call(transferToTeam, {
    params: { id: team.id },
    body: { source: "issuance", amount: 100 * defaultHold },
  });
  const { data: token } = await root.call(createTeamToken, {
    params: { id: team.id },
    body: { name: "service", service: true, unlimited_quota: true },
  });
  await make({ subject: "team", subject_id: team.id, amount: 1, on_reached: "model:cheap" });
  const refused = await gateway.chat(token.key ?? "", body());
  expect(refused.status).toBe(403);
  expect(wordsOf(refused)).toMatch(/which cannot serve this one: The API key may not use/);
  await root.call(updateTeam, { body: { id: team.id, models: "dear,cheap" } });
  await expect
    .poll(async () => {
      const moved = await gateway.chat(token.key ?? "", body());
      return [moved.status, moved.headers.get("x-tollgate-model")];
    })
    .toEqual([200, "cheap"]);
});
