// Budgets of channels over a running gateway: exact under parallel calls, the next channel where
// one is used up, and what clients get at the end.
import { createBudget, getBudget, listBudgets } from "@tollgate/contract/accounts/budgets.ts";
import { checkCall } from "@tollgate/contract/catalogue/call-checks.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ApiSession } from "../harness/api-session.ts";
import {
  defaultCharge,
  defaultHold,
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
});
afterAll(async () => {
  expect(await gateway.audit()).toBe("The books agree.");
  await gateway.close();
});

const budgetOf = async (
  channelId: number,
  amount: number,
  window: "lifetime" | "hour" = "lifetime",
) => {
  const body = {
    name: "account",
    subject: "channel" as const,
    subject_id: channelId,
    window,
    amount,
  };
  return (await root.call(createBudget, { body })).data.id;
};
const spentOn = async (id: number) => {
  const { spent, held } = (await root.call(getBudget, { params: { id } })).data;
  return { spent, held };
};
const chat = (model: string) => gateway.chat(key, { model, max_tokens: 12 });
const channelsOf = async (model: string) =>
  (await gateway.logs()).filter((row) => row.origin_model_name === model);

test("200 parallel calls where the first channel's budget is for ten: exactly ten are served there, all others by the next", {
  tags: ["BU-01"],
}, async () => {
  const first = await gateway.given.channel({ key: "sim-ok", models: "spilled", priority: 9 });
  const next = await gateway.given.channel({ key: "sim-ok", models: "spilled" });
  const budget = await budgetOf(first.id, 9 * defaultCharge + defaultHold);
  const calls = await Promise.all(Array.from({ length: 200 }, () => chat("spilled")));
  expect(calls.map(({ status }) => status)).toEqual(calls.map(() => 200));
  await gateway.settled();
  // Calls that ran at the same moment hold more than they cost: what is left then serves the calls
  // after them.
  for (let n = 0; n < 10; n += 1) await chat("spilled");
  await gateway.settled();
  const rows = await channelsOf("spilled");
  expect(rows.filter((row) => row.channel_id === first.id)).toHaveLength(10);
  expect(rows.filter((row) => row.channel_id === next.id)).toHaveLength(200);
  expect(await spentOn(budget)).toEqual({ spent: 10 * defaultCharge, held: 0 });
  const { candidates } = await gateway.trace(rows.at(-1)?.id ?? 0);
  expect(candidates).toMatchObject([
    {
      channel_id: first.id,
      taken: false,
      reason: "the budget of the channel does not cover the call",
    },
    { channel_id: next.id, taken: true },
  ]);
  const listed = await root.call(listBudgets, {
    query: { subject: "channel", subject_id: first.id },
  });
  expect(listed.data).toMatchObject([{ id: budget, subject_name: first.name }]);
});

test("where no channel is left, the refusal says when the window ends, and the check of a call says so before", async () => {
  const hourly = await gateway.given.channel({ key: "sim-ok", models: "ending" });
  await budgetOf(hourly.id, defaultHold - 1, "hour");
  const refused = await chat("ending");
  expect(refused).toMatchObject({
    status: 503,
    body: { error: { type: "server_error", code: "no_channel" } },
  });
  const wait = Number(refused.headers.get("retry-after"));
  expect(wait).toBeGreaterThan(0);
  expect(wait).toBeLessThanOrEqual(3_600);
  const { data } = await root.call(checkCall, {
    query: { model: "ending", max_tokens: 12, prompt_tokens: 8 },
  });
  expect(data).toMatchObject({
    would_work: false,
    refusals: [{ step: "route", status: 503 }],
    candidates: 0,
  });

  const spent = await gateway.given.channel({ key: "sim-ok", models: "ended" });
  await budgetOf(spent.id, 1);
  const unending = await chat("ended");
  expect([unending.status, unending.headers.get("retry-after")]).toEqual([503, null]);
  const { outcome, quota } = await gateway.lastLog();
  expect({ outcome, quota }).toEqual({ outcome: "failed", quota: 0 });
});

test("a channel that fails counts nothing, and one with buying prices counts what the operator pays", async () => {
  const failing = await gateway.given.channel({
    key: "sim-fail-503",
    models: "bought",
    priority: 9,
  });
  const prices = { ratio: 1, completion_ratio: 4, buying_prices: { input: 1, output: 4 } };
  const model_configs = JSON.stringify({ bought: prices });
  const paid = await gateway.given.channel({ key: "sim-ok", models: "bought", model_configs });
  const [ofFailing, ofPaid] = [await budgetOf(failing.id, 1_000), await budgetOf(paid.id, 1_000)];
  expect((await chat("bought")).status).toBe(200);
  await gateway.settled();
  expect(await spentOn(ofFailing)).toEqual({ spent: 0, held: 0 });
  expect(await spentOn(ofPaid)).toEqual({ spent: defaultCharge / 2, held: 0 });
});

test("what a call held on its channel is free again after the process was killed", async () => {
  const hanging = await gateway.given.channel({ key: "sim-hang", models: "hanging" });
  const budget = await budgetOf(hanging.id, 1_000);
  const call = chat("hanging").catch(() => undefined);
  await expect.poll(() => spentOn(budget)).toEqual({ spent: 0, held: defaultHold });
  await gateway.restart("SIGKILL");
  await call;
  await expect.poll(() => spentOn(budget), { timeout: 15_000 }).toEqual({ spent: 0, held: 0 });
});
