// Tags over a running gateway: what clients and keys say, what the log and the report show, and
// budgets of tags.
import { createBudget, getBudget } from "@tollgate/contract/accounts/budgets.ts";
import { checkCall } from "@tollgate/contract/catalogue/call-checks.ts";
import { listLogs } from "@tollgate/contract/figures/logs.ts";
import { getMonthReport } from "@tollgate/contract/figures/reports.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ApiSession } from "../harness/api-session.ts";
import {
  chatBody,
  defaultCharge,
  defaultHold,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";

let gateway: TestGateway;
let root: ApiSession;
beforeAll(async () => {
  gateway = await startTestGateway({ env: { API_RATE_LIMIT: "0" } });
  root = await gateway.root();
  await gateway.api("PUT", "/api/option/", { key: "TagKeys", value: "team,env,end_user" });
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
  const text = await response.text();
  await gateway.settled();
  return { status: response.status, body: JSON.parse(text) };
};
const logged = async (tag: string) => (await root.call(listLogs, { query: { tag } })).data;
const budgetOf = async (tag: string, amount: number) => {
  const body = { name: tag, window: "month" as const, amount, subject: "tag" as const, tag };
  return (await root.call(createBudget, { body })).data;
};
const spentBy = async (tag_key: string) => {
  const month = new Date().toISOString().slice(0, 7);
  const { data } = await root.call(getMonthReport, {
    query: { month, by: "tag", tag_key, user_id: "all" },
  });
  return Object.fromEntries(data.rows.map(({ name, quota }) => [name, quota]));
};

test("a call has the tags of its headers and body, the log finds it by each, and the declared ones are summed", async () => {
  const { key } = await gateway.given.token();
  await ask(key, { "x-tollgate-tags": "team=search,note=first" }, { user: "u-77" });
  await ask(key, { "x-portkey-metadata": '{"team":"ads","_user":"u-78"}' });
  await ask(key, {}, { metadata: { team: "search" } });
  const [one] = await logged("note=first");
  expect(one?.tags).toEqual({ team: "search", end_user: "u-77", note: "first" });
  expect(await logged("team=search")).toHaveLength(2);
  expect(await logged("end_user=u-78")).toHaveLength(1);
  expect(await logged("team=sear")).toEqual([]);
  expect(await logged("team=Search")).toEqual([]);
  await expect
    .poll(() => spentBy("team"))
    .toMatchObject({ search: 2 * defaultCharge, ads: defaultCharge });
  expect(await spentBy("end_user")).toEqual({
    "u-77": defaultCharge,
    "u-78": defaultCharge,
    "": defaultCharge,
  });
  expect(await spentBy("note")).toEqual({ "": 3 * defaultCharge });
});

test("no provider gets the header, and a header that is no list of tags is ignored with a note", async () => {
  const { key } = await gateway.given.token();
  expect((await ask(key, { "x-tollgate-tags": "nonsense" })).status).toBe(200);
  const log = await gateway.lastLog();
  expect(log.content).toContain("x-tollgate-tags was ignored");
  expect(log.tags).toBeNull();
  const sent = (await gateway.simulator.calls()).at(-1);
  expect(JSON.stringify(sent)).not.toContain("tollgate-tags");
});

test("the tags of a key are those of its calls whatever their client says, and a tag that it needs is asked for", async () => {
  const { key } = await gateway.given.token({
    tags: "Team=platform , env=prod",
    required_tags: "end_user",
  });
  const refused = await ask(key, { "x-tollgate-tags": "team=other" });
  expect(refused).toMatchObject({ status: 400, body: { error: { code: "tags_required" } } });
  expect(refused.body.error.message).toContain("x-tollgate-tags: end_user=…");
  await ask(key, { "x-tollgate-tags": "team=other" }, { user: "u-1" });
  const [log] = await logged("end_user=u-1");
  expect(log?.tags).toEqual({ team: "platform", env: "prod", end_user: "u-1" });
});

test("a budget of a tag refuses the calls that it does not cover, and that of the rest covers every other value", {
  tags: ["BU-04"],
}, async () => {
  const { key, id } = await gateway.given.token();
  const own = await budgetOf("team=fixed", defaultHold);
  const rest = await budgetOf("team=*", defaultHold);
  for (const [team, budget] of [
    ["fixed", own],
    ["one-of-many", rest],
  ] as const) {
    expect((await ask(key, { "x-tollgate-tags": `team=${team}` })).status).toBe(200);
    const refused = await ask(key, { "x-tollgate-tags": `team=${team}` });
    expect(refused).toMatchObject({
      status: 403,
      body: { error: { code: "budget_exceeded", budget: { id: budget.id } } },
    });
    const { data } = await root.call(getBudget, { params: { id: budget.id } });
    expect(data).toMatchObject({ spent: defaultCharge, held: 0, subject_name: budget.name });
  }
  expect((await ask(key, { "x-tollgate-tags": "team=another" })).body.error.budget.id).toBe(
    rest.id,
  );
  expect((await ask(key)).status).toBe(200);

  const tagged = await gateway.given.token({ tags: "team=fixed" });
  const foretold = async (token: number) => {
    const query = { model: "plain", max_tokens: 12, token };
    return (await root.call(checkCall, { query })).data.refusals.map(({ code }) => code);
  };
  expect(await foretold(tagged.id)).toEqual(["budget_exceeded"]);
  expect(await foretold(id)).toEqual([]);
});

test("what budgets of a tag and of a model have spent is what the roll-ups have of them, of calls that succeed, stream and fail", async () => {
  await gateway.given.channel({ key: "sim-ok", models: "summed" });
  await gateway.given.channel({ key: "sim-cut-5", models: "summed-cut" });
  const { key } = await gateway.given.token({ tags: "team=summed" });
  const amount = 1_000_000_000;
  const ofTag = await budgetOf("team=summed", amount);
  const lifetime = { window: "lifetime" as const, amount, subject: "model" as const };
  const ofModel = (
    await root.call(createBudget, { body: { ...lifetime, name: "summed", model: "summed" } })
  ).data;
  await Promise.all([1, 2, 3].map(() => gateway.chat(key, { model: "summed", max_tokens: 12 })));
  await gateway.stream(key, { model: "summed" });
  await gateway.chat(key, { model: "summed-cut" });
  await gateway.settled();
  const spentOf = async (id: number) => (await root.call(getBudget, { params: { id } })).data.spent;
  const rolledUp = async (table: string, where: string) => {
    const [row] = await gateway.rows<{ quota: number }>(
      `select sum(quota) as quota from ${table} where ${where}`,
    );
    return Number(row?.quota);
  };
  const [byTag, byModel] = [await spentOf(ofTag.id), await spentOf(ofModel.id)];
  expect(byModel).toBeGreaterThan(3 * defaultCharge);
  expect(byTag).toBeGreaterThanOrEqual(byModel);
  await expect
    .poll(async () => [
      await rolledUp("rollup_day_tag", "tag_key = 'team' and tag_value = 'summed'"),
      await rolledUp("rollup_day_model", "model_name = 'summed'"),
    ])
    .toEqual([byTag, byModel]);
});
