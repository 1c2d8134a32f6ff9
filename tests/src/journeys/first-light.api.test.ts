import { getSelf, updateSelf } from "@tollgate/contract/accounts/sessions.ts";
import { createToken, getToken } from "@tollgate/contract/accounts/tokens.ts";
import { createChannel, testChannel } from "@tollgate/contract/catalogue/channels.ts";
import { getDashboard } from "@tollgate/contract/figures/dashboard.ts";
import { listLogs } from "@tollgate/contract/figures/logs.ts";
import { getTraceOfLog } from "@tollgate/contract/figures/traces.ts";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiSession } from "../harness/api-session.ts";
import { eventually } from "../harness/eventually.ts";
import { ruleDatabaseKinds } from "../harness/gateway-database.ts";
import { printedPassword, startTestGateway, type TestGateway } from "../harness/test-gateway.ts";

// The same steps as the browser's in first-light.journey.test.ts, through the API and on both
// databases.
const password = "correct horse battery";
const issuedToRoot = 500_000_000_000_000;
const tokenQuota = 100_000;

/**
 * 3 tokens a message plus its words, and 12 answered: 6 × $0.15/M + 12 × $0.60/M = 4.05 units of
 * $0.000002.
 */
const listed = {
  model: "gpt-4o-mini",
  messages: [{ role: "user" as const, content: "one two three" }],
};
const listedUnits = 5;
/** 8 × 1.25 + 12 × 1.25 × 4 = 70 units, with nothing left over to round up. */
const own = {
  model: "house-model",
  messages: [{ role: "user" as const, content: "one two three four five" }],
};
const ownUnits = 70;
const units = listedUnits + ownUnits;

describe.each(ruleDatabaseKinds)("first light on %s", (store) => {
  let gateway: TestGateway;
  let root: ApiSession;
  let token: { uuid: string; key: string };

  beforeAll(async () => {
    gateway = await startTestGateway({
      store,
      printsRootPassword: true,
      env: { SHUTDOWN_GRACE_SECONDS: "1" },
    });
  });
  afterAll(async () => {
    expect(await gateway.close()).toEqual({ code: 0, signal: null });
  });

  test("the printed password opens nothing but its own replacement", {
    tags: ["F-12"],
  }, async () => {
    const printed = await printedPassword(gateway.process);
    root = await gateway.signIn("root", printed);
    await expect(root.call(createToken, { body: { name: "too early" } })).rejects.toThrow(
      "400 Choose a new password before doing anything else",
    );
    await root.call(updateSelf, { body: { password } });
    await expect(gateway.signIn("root", printed)).rejects.toThrow(
      "Username or password is incorrect",
    );
    expect((await root.call(getSelf)).data).toMatchObject({
      username: "root",
      role: 100,
      quota: issuedToRoot,
    });
  });

  test("a channel is added and tested, a token is made", async () => {
    const { data } = await root.call(createChannel, {
      body: {
        name: "Simulator",
        type: 50,
        key: "sim-ok+as-newcomer",
        base_url: gateway.simulator.url,
        models: `${listed.model},${own.model}`,
        model_configs: JSON.stringify({ [own.model]: { ratio: 1.25, completion_ratio: 4 } }),
      },
    });
    const [channel] = data;
    expect(channel).toMatchObject({ status: 1, key: "", key_hint: "omer" });
    const tested = await root.call(testChannel, { params: { id: channel?.uuid ?? "" } });
    expect(tested.time).toBeGreaterThan(0);

    token = (await root.call(createToken, { body: { name: "Newcomer", remain_quota: tokenQuota } }))
      .data;
    expect(token.key).toMatch(/^sk-\w{48}$/);
  });

  test("OpenAI's own client is served whole and streamed, and both are charged to the unit", async () => {
    const openai = new OpenAI({ apiKey: token.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
    const whole = await openai.chat.completions.create(listed);
    expect(whole.usage).toMatchObject({ prompt_tokens: 6, completion_tokens: 12 });
    const stream = openai.chat.completions.stream({
      ...own,
      stream_options: { include_usage: true },
    });
    expect((await stream.finalChatCompletion()).usage).toMatchObject({
      prompt_tokens: 8,
      completion_tokens: 12,
    });

    const rows = await eventually(async () => {
      const { data } = await root.call(listLogs, { query: { type: 2 } });
      expect(data).toMatchObject([
        {
          model_name: own.model,
          quota: ownUnits,
          prompt_tokens: 8,
          completion_tokens: 12,
          is_stream: true,
        },
        {
          model_name: listed.model,
          quota: listedUnits,
          prompt_tokens: 6,
          completion_tokens: 12,
          is_stream: false,
        },
      ]);
      return data;
    });
    for (const row of rows) {
      expect(row).toMatchObject({
        username: "root",
        token_name: "Newcomer",
        channel_name: "Simulator",
      });
    }
    expect(rows[1]?.price).toMatchObject({
      lines: [
        { bucket: "input", tokens: 6, price_per_million: "0.15", picodollars: "900000" },
        { bucket: "output", tokens: 12, price_per_million: "0.6", picodollars: "7200000" },
      ],
      group_ratio: "1",
      total_picodollars: "8100000",
      quota: listedUnits,
      verified: true,
    });
    expect(rows[0]?.price).toMatchObject({
      total_picodollars: String(ownUnits * 2_000_000),
      quota: ownUnits,
    });

    for (const { uuid } of rows) {
      const { data: trace } = await root.call(getTraceOfLog, { params: { id: uuid } });
      expect(trace).toMatchObject({ method: "POST", url: "/v1/chat/completions", status: 200 });
      expect(trace.attempts).toMatchObject([
        { channel_name: "Simulator", status: 200, error: null },
      ]);
      const {
        request_received = 0,
        first_upstream_response = 0,
        request_completed = 0,
      } = trace.timestamps;
      expect(request_received).toBeGreaterThan(0);
      expect(first_upstream_response).toBeGreaterThanOrEqual(request_received);
      expect(request_completed).toBeGreaterThanOrEqual(first_upstream_response);
    }
  });

  test("token, account and dashboard moved by what was charged, and by nothing else", async () => {
    expect((await root.call(getToken, { params: { id: token.uuid } })).data).toMatchObject({
      remain_quota: tokenQuota - units,
      used_quota: units,
    });
    expect((await root.call(getSelf)).data).toMatchObject({
      quota: issuedToRoot - units,
      used_quota: units,
    });

    const today = new Date().toISOString().slice(0, 10);
    await eventually(async () => {
      const { data } = await root.call(getDashboard, {
        query: { from_date: today, to_date: today, user_id: "all" },
      });
      const byModel = new Map(data.logs.map((row) => [row.ModelName, row]));
      expect(byModel.size).toBe(2);
      expect(byModel.get(listed.model)).toMatchObject({
        RequestCount: 1,
        Quota: listedUnits,
        PromptTokens: 6,
      });
      expect(byModel.get(own.model)).toMatchObject({
        RequestCount: 1,
        Quota: ownUnits,
        CompletionTokens: 12,
      });
    });
    const { data } = await root.call(getDashboard, { query: { user_id: "all" } });
    expect(data).toMatchObject({ total_quota: issuedToRoot - units, used_quota: units });
  });
});
