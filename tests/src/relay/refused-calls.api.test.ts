// Calls that are refused before anything is held leave a row without charge, with the reason.

import { updateTokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import { type Log, listLogs, listOwnLogs, logTypes } from "@tollgate/contract/figures/logs.ts";
import { getTrace, getTraceOfLog } from "@tollgate/contract/figures/traces.ts";
import { refusedPerUser } from "@tollgate/gateway/relay/refused-calls.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiSession } from "../harness/api-session.ts";
import { eventually } from "../harness/eventually.ts";
import { ruleDatabaseKinds } from "../harness/gateway-database.ts";
import { startTestGateway, type TestGateway, type TestUser } from "../harness/test-gateway.ts";

describe.each(ruleDatabaseKinds)("a refused call on %s", (store) => {
  let gateway: TestGateway;
  let root: ApiSession;
  let user: TestUser;
  let other: TestUser;

  beforeAll(async () => {
    gateway = await startTestGateway({ store });
    root = await gateway.root();
    user = await gateway.given.user("caller", { quota: 100_000 });
    other = await gateway.given.user("other", { quota: 100_000 });
    await gateway.given.channel({ key: "sim-ok", models: "vip", group: "vip" });
  });
  afterAll(() => gateway.close());

  const refused = (rows: readonly Log[]) => rows.filter(({ type }) => type === logTypes.refused);
  const rowOf = (message: string) =>
    eventually(async () => {
      const { data } = await user.call(listOwnLogs, {
        query: { type: logTypes.refused, size: 100 },
      });
      const row = data.find(({ content }) => content.startsWith(message));
      if (!row) throw new Error(`no row says ${message}`);
      return row;
    });

  test("leaves a row with the client's words and request id; administrators see why each channel was left out", async () => {
    const { key } = await user.token();
    const reply = await gateway.chat(key, { model: "vip" });
    expect(reply.status).toBe(404);
    const row = await rowOf("The model vip does not exist, or this API key has no access to it");
    expect(row).toMatchObject({
      quota: 0,
      model_name: "vip",
      outcome: "refused",
      channel: 0,
      price: null,
    });
    expect(row.request_id).toBe(reply.headers.get("x-oneapi-request-id"));
    const seen = (await root.call(getTraceOfLog, { params: { id: row.id } })).data;
    expect(seen).toMatchObject({ status: 404, attempts: [], url: "/v1/chat/completions" });
    expect(seen.candidates).toMatchObject([{ taken: false, reason: "not for the group default" }]);
    const own = (await user.call(getTraceOfLog, { params: { id: row.id } })).data;
    expect(own).toMatchObject({ status: 404, candidates: [] });
    expect((await other.request("GET", `/api/trace/log/${row.id}`)).body.success).toBe(false);
    expect(refused((await root.call(listLogs, { query: {} })).data)).toHaveLength(1);
    expect(
      (await root.call(getTrace, { params: { trace_id: row.request_id } })).data,
    ).toMatchObject({ id: row.id });
  });

  test("leaves one for its key, its model and its balance too, and changes no figure of usage", async () => {
    const limited = await user.token({ models: "small" });
    await gateway.chat(limited.key, { model: "vip" });
    await rowOf("The API key may not use the model vip");
    await user.call(updateTokenStatus, {
      query: { status_only: "1" },
      body: { id: limited.id, status: 2 },
    });
    await gateway.chat(limited.key, { model: "small" });
    await rowOf("The API key is disabled");
    await gateway.given.channel({ key: "sim-ok", models: "dear" });
    await gateway.chat((await user.token()).key, {
      model: "dear",
      max_completion_tokens: 10_000_000,
    });
    await rowOf("The balance does not cover this call");
    const broken = await gateway.send(
      (await user.token()).key,
      '{"model":"small","messages":[{"content":secret plan',
    );
    expect(await broken.text()).toContain("secret");
    expect((await rowOf("The body is not valid JSON")).content).not.toContain("secret");
    expect(await gateway.books()).toMatchObject({ held: 0, charged: 0, reservations: 0, rows: 0 });
    expect(
      await gateway.rows(
        "select sum(requests) as calls from rollup_day_user having sum(requests) > 0",
      ),
    ).toEqual([]);
  });

  test("leaves only so many rows of one user within an hour, and none of a stranger", {
    tags: ["S2-21"],
  }, async () => {
    const { key } = await other.token();
    const calls = Array.from({ length: refusedPerUser.limit + 20 }, () =>
      gateway.chat(key, { model: "none" }),
    );
    await Promise.all(calls);
    await Promise.all(
      Array.from({ length: 5 }, () => gateway.chat("sk-of-a-stranger", { model: "none" })),
    );
    const rows = await eventually(async () => {
      const { data } = await other.call(listOwnLogs, {
        query: { type: logTypes.refused, size: 100 },
      });
      if (data.length < refusedPerUser.limit) throw new Error(`${data.length} rows`);
      return data;
    });
    expect(rows).toHaveLength(refusedPerUser.limit);
    expect(rows.filter(({ content }) => content.includes("leave no row"))).toHaveLength(1);
    const of = await gateway.rows<{ username: string }>(
      "select distinct username from logs where type = 8",
    );
    expect(of.map(({ username }) => username).sort()).toEqual(["caller", "other"]);
  });
});
