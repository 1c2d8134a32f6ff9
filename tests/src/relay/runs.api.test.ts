// Runs of agents over a running gateway: what a run comes to, who sees it, what stops it, and a
// budget that parallel calls do not pass.
import { createBudget, getBudget, updateBudget } from "@tollgate/contract/accounts/budgets.ts";
import { listOwnLogs } from "@tollgate/contract/figures/logs.ts";
import {
  continueRun,
  getRun,
  listOwnRuns,
  listRuns,
  type RunDetails,
  stopRun,
  stopRuns,
} from "@tollgate/contract/figures/runs.ts";
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
  await gateway.given.channel({ key: "sim-ok", models: "plain" });
});
afterAll(async () => {
  expect(await gateway.audit()).toBe("The books agree.");
  await gateway.close();
});

const ask = async (key: string, headers: Record<string, string> = {}, body: object = {}) => {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ ...chatBody({ model: "plain", max_tokens: 12 }), ...body }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
};
const inRun = (name: string) => ({ "x-tollgate-run": name });
const costOf = async (key: string, headers: Record<string, string>) => {
  const response = await fetch(`${gateway.url}/v1/run`, {
    headers: { authorization: `Bearer ${key}`, ...headers },
  });
  return { status: response.status, body: (await response.json()) as RunDetails };
};

test("a run's receipt is the sum of its calls, for its program, its owner and administrators, and for no one else", async () => {
  const owner = await gateway.given.user("agents", { quota: 1_000_000 });
  const { key } = await owner.token();
  const session = {
    "user-agent": "claude-cli/2.1.197 (external, cli)",
    "x-claude-code-session-id": crypto.randomUUID(),
  };
  const ran = [
    {
      role: "assistant",
      tool_calls: [{ id: "c1", type: "function", function: { name: "Bash", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c1", content: "done" },
  ];
  await ask(key, session);
  await ask(key, session, { messages: [{ role: "user", content: question }, ...ran] });
  await ask(key);
  await gateway.settled();
  await expect.poll(async () => (await costOf(key, session)).body.calls).toBe(2);
  const { body } = await costOf(key, session);
  expect(body).toMatchObject({
    object: "run",
    agent: "Claude Code",
    failures: 0,
    tools: [{ name: "Bash", calls: 1 }],
  });

  const [listed] = (await owner.call(listOwnRuns, { query: {} })).data;
  const { data } = await owner.call(getRun, { params: { run: listed?.run ?? "" } });
  const rows = (await owner.call(listOwnLogs, { query: { run: data.run } })).data;
  expect(rows).toHaveLength(2);
  const sum = rows.reduce((total, { quota }) => total + quota, 0);
  expect([data.quota, body.quota, data.costs.at(-1)?.quota, data.models[0]?.quota]).toEqual([
    sum,
    sum,
    sum,
    sum,
  ]);
  expect((await root.call(listRuns, { query: {} })).data.map(({ run }) => run)).toContain(data.run);

  const stranger = await gateway.given.user("stranger", { quota: 1_000_000 });
  for (const act of [getRun, stopRun, continueRun])
    await expect(stranger.call(act, { params: { run: data.run } })).rejects.toThrow(
      "does not exist",
    );
  const { key: strange } = await stranger.token();
  expect((await costOf(strange, session)).status).toBe(404);
  await ask(strange, session);
  await gateway.settled();
  await expect.poll(async () => (await costOf(strange, session)).body.calls).toBe(1);
});

test("200 parallel calls of one run whose budget is for ten: exactly ten pay", async () => {
  const { key, id } = await gateway.given.token();
  const budget = {
    ...{
      name: "each run",
      subject: "token_run" as const,
      subject_id: id,
      window: "lifetime" as const,
    },
    amount: 9 * defaultCharge + defaultHold,
  };
  await root.call(createBudget, { body: budget });
  const calls = await Promise.all(Array.from({ length: 200 }, () => ask(key, inRun("capped"))));
  await gateway.settled();
  const paid = calls.filter(({ status }) => status === 200).length;
  let after = 0;
  while ((await ask(key, inRun("capped"))).status === 200) after += 1;
  expect(paid + after).toBe(10);
  const refused = calls.find(({ status }) => status !== 200);
  expect(refused).toMatchObject({
    status: 403,
    body: {
      error: { code: "budget_exceeded", budget: { name: "each run", subject: "token_run" } },
    },
  });
  expect(refused?.headers.get("x-should-retry")).toBe("false");
  expect((await ask(key, inRun("another"))).status).toBe(200);
  expect((await ask(key)).status).toBe(200);
});

test("a run may be limited to so many calls and minutes, which parallel calls do not pass", async () => {
  const { key, id } = await gateway.given.token();
  const each = { subject: "token_run" as const, subject_id: id, window: "lifetime" as const };
  const { data: calls } = await root.call(createBudget, {
    body: { ...each, name: "ten calls", measure: "calls", amount: 10 },
  });
  const { data: minutes } = await root.call(createBudget, {
    body: { ...each, name: "an hour", measure: "minutes", amount: 600 },
  });
  const answers = await Promise.all(Array.from({ length: 50 }, () => ask(key, inRun("looping"))));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
  const { body } = answers.find(({ status }) => status === 403) as {
    body: { error: Record<string, unknown> };
  };
  expect(body.error).toMatchObject({
    code: "budget_exceeded",
    budget: { measure: "calls", amount: 10 },
  });
  expect(body.error.message).toMatch(/^Budget "ten calls" is used up: 10 calls of 10 calls/);
  await gateway.settled();
  expect((await ask(key, inRun("another"))).status).toBe(200);
  await gateway.settled();
  const shown = async (of: number) => {
    const { measure, amount, spent, held } = (await root.call(getBudget, { params: { id: of } }))
      .data;
    return { measure, amount, spent, held };
  };
  expect(await shown(calls.id)).toEqual({ measure: "calls", amount: 10, spent: 10, held: 0 });
  // Ten calls of some milliseconds: the minute has begun.
  expect(await shown(minutes.id)).toEqual({ measure: "minutes", amount: 600, spent: 1, held: 0 });
  await root.call(updateBudget, { body: { id: minutes.id, amount: 1_200 } });
  expect(await shown(minutes.id)).toMatchObject({ amount: 1_200 });
  const wrong = { ...each, subject: "token", name: "calls", measure: "calls", amount: 1 };
  expect((await root.request("POST", "/api/budget/", wrong)).status).toBe(400);
});

test("a stopped run is refused in words for its agent until it is continued, and a key may require a run", async () => {
  const { key, id } = await gateway.given.token({ required_tags: "run" });
  const refused = await ask(key);
  expect(refused).toMatchObject({ status: 400, body: { error: { code: "run_required" } } });
  expect((await ask(key, inRun("job-1"))).status).toBe(200);
  await gateway.settled();
  await expect.poll(async () => (await costOf(key, inRun("job-1"))).body.calls).toBe(1);
  expect((await root.call(stopRuns, { body: { token_id: id } })).data).toEqual({ stopped: 1 });
  await expect.poll(async () => (await ask(key, inRun("job-1"))).status).toBe(403);
  expect(await ask(key, inRun("job-1"))).toMatchObject({
    body: { error: { code: "run_stopped" } },
  });
  expect((await ask(key, inRun("job-2"))).status).toBe(200);
  const { run } = (await costOf(key, inRun("job-1"))).body;
  await root.call(continueRun, { params: { run } });
  await expect.poll(async () => (await ask(key, inRun("job-1"))).status).toBe(200);
  const { id: owner } = await root.data<{ id: number }>("GET", "/api/user/self");
  const stranger = await gateway.given.user("run-stranger");
  expect((await stranger.request("POST", "/api/run/stop", { user_id: owner })).body.code).toBe(
    "user_not_found",
  );
  expect(
    (await root.call(stopRuns, { body: { user_id: owner } })).data.stopped,
  ).toBeGreaterThanOrEqual(2);
  await expect.poll(async () => (await ask(key, inRun("job-1"))).status).toBe(403);
  await expect.poll(async () => (await ask(key, inRun("job-2"))).status).toBe(403);
});
