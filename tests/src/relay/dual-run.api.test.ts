// A dual run: the gateway of before answers every call, and this one prices and logs it without
// moving a unit.
import type { ServerResponse } from "node:http";
import { logTypes } from "@tollgate/contract/figures/logs.ts";
import {
  getShadowReport,
  type ShadowDifference,
  startShadowRun,
  stopShadowRun,
} from "@tollgate/contract/figures/shadow.ts";
import type { LogRow } from "@tollgate/gateway/storage/tables/call-tables.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { ruleDatabaseKinds } from "../harness/gateway-database.ts";
import { chatBody, startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { startRecordingProvider } from "./recording-provider.ts";

const hourMs = 3_600_000;

describe.each(ruleDatabaseKinds)("a dual run on %s", (store) => {
  let gateway: TestGateway;
  let before: Awaited<ReturnType<typeof startRecordingProvider>>;
  let key: string;
  let usedUp: string;

  const usage = { prompt_tokens: 100, completion_tokens: 7, total_tokens: 107 };
  const ours = 100 + 7 * 4;
  const whole = (response: ServerResponse, headers: Record<string, string> = {}) => {
    const choices = [
      { index: 0, message: { role: "assistant", content: "from before" }, finish_reason: "stop" },
    ];
    response.writeHead(200, { "content-type": "application/json", ...headers });
    response.end(
      JSON.stringify({
        id: "c",
        object: "chat.completion",
        created: 1,
        model: "m",
        choices,
        usage,
      }),
    );
  };
  /** Rows are written a second later, together. */
  const shadowRows = (model: string, count = 1) =>
    eventually(async () => {
      const rows = await gateway.rows<LogRow>(
        `select * from logs where type = ${logTypes.shadow} and origin_model_name = '${model}' order by id`,
      );
      if (rows.length !== count) throw new Error(`${rows.length} of ${count} rows`);
      return rows;
    });
  const state = () =>
    gateway.rows(
      `select (select sum(used_quota) from users) as users_used, (select sum(request_count) from users) as requests,
         (select sum(used_quota) from tokens) as keys_used, (select sum(remain_quota) from tokens) as keys_left,
         (select sum(used_quota) from channels) as channels_used, (select count(*) from ledger) as entries,
         (select sum(cast(balance as double precision)) from wallets) as balances, (select sum(held) from wallets) as held,
         (select count(*) from rollup_day_model) as sums, (select count(*) from budget_counters) as counters,
         (select count(*) from logs where type = ${logTypes.consume}) as charged_rows`,
    );
  const start = async (address = before.url) =>
    await (await gateway.root()).call(startShadowRun, { body: { address, hours: 1 } });
  const differences = async (model: string): Promise<readonly ShadowDifference[]> => {
    const { data } = await (await gateway.root()).call(getShadowReport, {});
    return data.differences.filter((difference) => difference.model === model);
  };

  beforeAll(async () => {
    before = await startRecordingProvider();
    gateway = await startTestGateway({ store, upstreams: [before.url], hasShiftableClock: true });
    await gateway.given.channel({ key: "sim-ok", models: "whole,stream,refused,priced" });
    ({ key } = await gateway.given.token({ unlimited_quota: false, remain_quota: 50 }));
    ({ key: usedUp } = await gateway.given.token({ unlimited_quota: false, remain_quota: 0 }));
    await gateway.api("POST", "/api/budget/", {
      subject: "site",
      name: "all",
      window: "month",
      amount: 5,
    });
    await start();
  });
  afterAll(async () => {
    await gateway.close();
    await before.close();
  });
  beforeEach(async () => {
    before.calls.length = 0;
    before.answer = (response) => whole(response);
  });

  test("the gateway of before answers with the caller's own key, and nothing here moves", {
    tags: ["DR-01"],
  }, async () => {
    const books = await state();
    before.answer = (response) => whole(response, { "x-oneapi-request-id": "20260101abc" });
    const answer = await gateway.send(key, chatBody({ model: "whole" }));
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      { choices: [{ message: { content: "from before" } }] },
    ]);
    expect(before.calls).toMatchObject([
      {
        path: "/v1/chat/completions",
        headers: { authorization: `Bearer ${key}`, "x-forwarded-for": "127.0.0.1" },
      },
    ]);
    const [row] = await shadowRows("whole");
    expect(row).toMatchObject({
      outcome: "shadow",
      quota: ours,
      prompt_tokens: 100,
      completion_tokens: 7,
      channel_id: 0,
    });
    expect(await state()).toEqual(books);
    expect(
      await gateway.rows("select upstream_id, charge, source_charge from shadow_calls"),
    ).toEqual([{ upstream_id: "20260101abc", charge: ours, source_charge: null }]);
    expect(await differences("whole")).toEqual([
      { model: "whole", reason: "unmatched", calls: 1, ours, theirs: 0 },
    ]);
  });

  test("a stream passes with what the client asked for, and is priced by the usage that it hides", {
    tags: ["DR-01"],
  }, async () => {
    const books = await state();
    before.answer = (response) => {
      const chunk = (more: object) =>
        `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "stream", ...more })}\n\n`;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(
        chunk({
          choices: [{ index: 0, delta: { content: "from before" }, finish_reason: "stop" }],
        }),
      );
      response.end(`${chunk({ choices: [], usage })}data: [DONE]\n\n`);
    };
    const stream = await gateway.stream(key, { model: "stream" });
    expect([stream.text, stream.events.at(-1)]).toEqual(["from before", "[DONE]"]);
    expect(await shadowRows("stream")).toMatchObject([{ quota: ours, is_stream: 1 }]);
    expect(await state()).toEqual(books);
  });

  test("its refusals are passed on as they are, also for a key that could not pay here", {
    tags: ["DR-01"],
  }, async () => {
    const books = await state();
    before.answer = (response) => {
      response.writeHead(401, { "content-type": "application/json" });
      response.end(
        JSON.stringify({
          error: { message: "the old words", type: "one_api_error", code: "old_code" },
        }),
      );
    };
    const { status, body } = await gateway.chat(usedUp, { model: "refused" });
    expect([status, body]).toMatchObject([
      401,
      { error: { message: expect.stringContaining("the old words") } },
    ]);
    await shadowRows("refused");
    expect(await differences("refused")).toMatchObject([{ reason: "failed", calls: 1, ours: 0 }]);
    expect(await state()).toEqual(books);
  });

  test("a model that no channel here serves is answered too, and is a difference", {
    tags: ["DR-01"],
  }, async () => {
    const books = await state();
    before.answer = (response) => whole(response, { "x-litellm-response-cost": "0.001" });
    expect((await gateway.chat(key, { model: "only there" })).status).toBe(200);
    expect(await shadowRows("only there")).toMatchObject([
      { quota: 0, content: expect.stringContaining("would have been refused") },
    ]);
    expect(await differences("only there")).toEqual([
      { model: "only there", reason: "not_served", calls: 1, ours: 0, theirs: 500 },
    ]);
    expect(await state()).toEqual(books);
  });

  test("differences have a reason and a sum by model", { tags: ["large"] }, async () => {
    const answers = ["0.000256", "0.000258", "0.1"];
    for (const cost of answers) {
      before.answer = (response) => whole(response, { "x-litellm-response-cost": cost });
      await gateway.chat(key, { model: "priced" });
    }
    await shadowRows("priced", answers.length);
    expect(await differences("priced")).toEqual([
      { model: "priced", reason: "price", calls: 1, ours, theirs: 50_000 },
      { model: "priced", reason: "rounding", calls: 1, ours, theirs: ours + 1 },
      { model: "priced", reason: "same", calls: 1, ours, theirs: ours },
    ]);
  });

  test("an unknown key reaches no provider, and files and batches are left to the gateway of before", {
    tags: ["DR-01"],
  }, async () => {
    expect((await gateway.chat("sk-unknown", { model: "whole" })).status).toBe(401);
    const headers = { authorization: `Bearer ${key}` };
    const files = await fetch(`${gateway.url}/v1/files`, { headers });
    expect([files.status, await files.json()]).toMatchObject([
      503,
      { error: { code: "dual_run" } },
    ]);
    expect(before.calls).toEqual([]);
  });

  test("it is root's alone, and goes to no address that calls may not go to", {
    tags: ["DR-02"],
  }, async () => {
    const body = (address: string) => ({ address, hours: 1 });
    const root = await gateway.root();
    for (const address of [
      "http://169.254.169.254",
      "http://10.0.0.1:3000",
      "ftp://old.example.com",
      "https://u:p@old.example.com",
      "https://old.example.com/path",
      gateway.url,
    ])
      expect([address, (await root.request("PUT", "/api/shadow", body(address))).status]).toEqual([
        address,
        400,
      ]);
    const admin = await gateway.given.user("ordinary");
    expect((await admin.request("PUT", "/api/shadow", body(before.url))).status).toBe(403);
    expect((await admin.request("GET", "/api/shadow")).status).toBe(403);
  });

  test("it ends when root ends it and by itself, and calls are charged here from then on", {
    tags: ["DR-02"],
  }, async () => {
    const { key: paying } = await gateway.given.token();
    const root = await gateway.root();
    expect((await root.call(stopShadowRun, {})).data.run).toBeNull();
    const charged = (await gateway.books()).charged;
    await gateway.api("DELETE", "/api/budget/1");
    expect((await gateway.chat(paying, { model: "whole" })).body).toMatchObject({ choices: [{}] });
    const after = (await gateway.settled()).charged;
    expect([before.calls.length, after > charged]).toEqual([0, true]);
    expect((await start()).data.run).toMatchObject({ address: before.url });
    await gateway.shiftClock(hourMs + 60_000);
    await gateway.chat(paying, { model: "whole" });
    expect([before.calls.length, (await gateway.settled()).charged > after]).toEqual([0, true]);
    expect((await (await gateway.root()).call(getShadowReport, {})).data.run).toBeNull();
    expect(await gateway.audit()).toContain("agree");
  });
});
