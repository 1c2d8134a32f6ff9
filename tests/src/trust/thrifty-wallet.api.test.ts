// A wallet for ten calls buys ten calls, whichever member of a request promises more than it seems
// to.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  answersMembers,
  limitMembers,
  nestedMembers,
} from "@tollgate/gateway/relay/formats/hold-size/output-limit.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { databaseKinds } from "../harness/gateway-database.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";

const parallelCalls = 500;
/**
 * `asked` is what each request asks for, in tokens; an answer costs four units a token, a prompt
 * one.
 */
const asked = 100;
const outputBalance = 10 * asked * 4;
const promptBalance = 10 * asked * 1.5;

const text = "one two three four";
const messages = [{ role: "user", content: text }];
const pictured = [
  { role: "user", content: [{ type: "image_url", image_url: { url: "https://e.org/a.png" } }] },
];
const numbers = Array.from({ length: asked }, () => 1);
const oldCall = { name: "f", arguments: "abcd".repeat(asked) };

type ThriftyRequest = readonly [what: string, path: string, body: object, balance: number];

/** Beside the limits of the API itself, which other rows state. */
const members: readonly (readonly [member: string, more: object])[] = [
  ...limitMembers.slice(3).map((member) => [member, { [member]: asked }] as const),
  ...nestedMembers.map((member) => [member, { [member]: { maxOutputTokens: asked } }] as const),
  ...answersMembers.map((member) => [member, { max_tokens: asked / 4, [member]: 4 }] as const),
];

/**
 * `requests` are one of each kind of promise: of answers, of prompts, in each API, and what costs a
 * fixed sum.
 */
const requests: readonly ThriftyRequest[] = [
  [
    "the newer limit, beside a smaller old one",
    "chat/completions",
    { messages, max_tokens: 1, max_completion_tokens: asked },
    outputBalance,
  ],
  ["several answers", "chat/completions", { messages, max_tokens: asked / 4, n: 4 }, outputBalance],
  [
    "several prompts",
    "completions",
    { prompt: [text, text, text, text], max_tokens: asked / 4 },
    outputBalance,
  ],
  ["a limit of Responses", "responses", { input: text, max_output_tokens: asked }, outputBalance],
  [
    "a budget of thinking",
    "messages",
    { messages, max_tokens: 1, thinking: { type: "enabled", budget_tokens: asked } },
    outputBalance,
  ],
  [
    "a picture by its address",
    "chat/completions",
    { messages: pictured, max_tokens: 1 },
    10 * 8_192,
  ],
  [
    "a tool that the provider runs",
    "responses",
    { input: text, tools: [{ type: "web_search" }], max_output_tokens: 1 },
    10 * 32_768,
  ],
];

const furtherRequests: readonly ThriftyRequest[] = [
  ...members.map(
    ([member, more]): ThriftyRequest => [
      `more by ${member}`,
      "chat/completions",
      { messages, max_tokens: 1, ...more },
      outputBalance,
    ],
  ),
  [
    "the older limit, beside a smaller new one",
    "chat/completions",
    { messages, max_tokens: asked, max_completion_tokens: 1 },
    outputBalance,
  ],
  [
    "a limit of another API",
    "chat/completions",
    { messages, max_tokens: 1, max_output_tokens: asked },
    outputBalance,
  ],
  [
    "a budget of reasoning",
    "chat/completions",
    { messages, max_tokens: 1, reasoning: { max_tokens: asked } },
    outputBalance,
  ],
  [
    "the best of several",
    "completions",
    { prompt: text, max_tokens: asked / 4, best_of: 4 },
    outputBalance,
  ],
  ["a limit of Messages", "messages", { messages, max_tokens: asked }, outputBalance],
  ["a prompt of token numbers", "completions", { prompt: numbers, max_tokens: 1 }, promptBalance],
  ["embeddings of token numbers", "embeddings", { input: [numbers] }, promptBalance],
  [
    "pictures, at ten times the price of text",
    "chat/completions",
    { model: "drawing", messages, max_tokens: asked },
    outputBalance * 10,
  ],
  [
    "a container of four gigabytes",
    "responses",
    {
      input: text,
      tools: [{ type: "code_interpreter", container: { type: "auto", memory_limit: "4g" } }],
      max_output_tokens: 1,
    },
    10 * (32_768 + 4 * 15_000),
  ],
  [
    "a server of tools",
    "responses",
    {
      input: text,
      tools: [{ type: "mcp", server_label: "s", server_url: "https://e.org" }],
      max_output_tokens: 1,
    },
    10 * 32_768,
  ],
  [
    "a prompt in the role of a message",
    "chat/completions",
    { messages: [...messages, { role: oldCall.arguments, content: "" }], max_tokens: 1 },
    promptBalance,
  ],
  [
    "a prompt in a call of the old form",
    "chat/completions",
    { messages: [{ role: "assistant", content: null, function_call: oldCall }], max_tokens: 1 },
    promptBalance,
  ],
  [
    "a prompt in the schema of the answer",
    "chat/completions",
    { messages, response_format: { enum: [oldCall.arguments] }, max_tokens: 1 },
    promptBalance,
  ],
  [
    "a prompt in a member that the gateway does not know",
    "chat/completions",
    { messages, unheard_of: [oldCall.arguments], max_tokens: 1 },
    promptBalance,
  ],
];

describe.each(databaseKinds)("a wallet for ten calls on %s", (store) => {
  let gateway: TestGateway;
  let silent: Server;
  let people = 0;
  beforeAll(async () => {
    // Answers nothing, so that every admitted call keeps its hold.
    silent = createServer(() => undefined).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    gateway = await startTestGateway({ store, upstreams: [silentUrl] });
    await gateway.given.channel({ key: "silent", base_url: silentUrl, models: "silent" });
    const prices = { input: 2, output: 8, output_image: 80 };
    const model_configs = JSON.stringify({ drawing: { prices } });
    await gateway.given.channel({
      key: "silent",
      base_url: silentUrl,
      models: "drawing",
      model_configs,
    });
    await gateway.given.channel({ key: "sim-tokens-3000+no-limit", models: "talkative" });
  });
  afterAll(async () => {
    await gateway.close();
    silent.closeAllConnections();
    silent.close();
  });

  const person = async (quota: number) => {
    people += 1;
    const user = await gateway.given.user(`thrifty-${store}-${people}`.slice(0, 30), { quota });
    return { user, key: (await user.token()).key };
  };
  const walletOf = async (userId: number) => {
    const [wallet] = await gateway.rows<{ balance: number; held: number; debt: number }>(
      `select balance, held, debt from wallets where id = (select wallet_id from users where id = ${userId})`,
    );
    if (!wallet) throw new Error(`user ${userId} has no wallet`);
    return wallet;
  };

  const admitTen = async (
    _: string,
    path: string,
    body: object,
    balance: number,
  ): Promise<void> => {
    const { user, key } = await person(balance);
    const leaving = new AbortController();
    const refusals: string[] = [];
    const calls = Array.from({ length: parallelCalls }, async () => {
      const response = await fetch(`${gateway.url}/v1/${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "silent", ...body }),
        signal: leaving.signal,
      });
      refusals.push(
        `${response.status} ${((await response.json()) as { error: { code: string } }).error.code}`,
      );
    });
    const ended = Promise.allSettled(calls);
    const isOpen = `select count(*) as open, coalesce(sum(amount), 0) as held from reservations where user_id = ${user.id}`;
    const open = await eventually(
      async () => {
        const [row] = await gateway.rows<{ open: number; held: number }>(isOpen);
        expect(refusals.length + Number(row?.open)).toBe(parallelCalls);
        return row;
      },
      { timeoutMs: 60_000, everyMs: 100 },
    );
    // Clients of Messages stop at another status (decision 74i).
    expect(
      refusals.filter((refusal) => !/^(?:403|429) insufficient_user_quota$/.test(refusal)),
    ).toEqual([]);
    expect(new Set(refusals).size).toBe(1);
    expect(Number(open?.open)).toBeLessThanOrEqual(10);
    expect(Number(open?.open)).toBeGreaterThan(0);
    expect(Number(open?.held)).toBeLessThanOrEqual(balance);
    leaving.abort();
    await ended;
    await gateway.settled({ timeoutMs: 30_000 });
    expect(await walletOf(user.id)).toEqual({ balance, held: 0, debt: 0 });
  };
  test.each(requests)(
    "admits no more than ten of 500 at once that ask for %s",
    {
      tags: ["S2-04", "F-43"],
      timeout: 90_000,
    },
    admitTen,
  );
  test.each(furtherRequests)(
    "admits no more than ten of 500 at once that ask for %s",
    {
      tags: ["S2-04", "F-43", "large"],
      timeout: 90_000,
    },
    admitTen,
  );

  test("streams no further than it reaches, by at most an event of each stream, and what is beyond is owed", {
    tags: ["S2-04"],
    timeout: 90_000,
  }, async () => {
    const balance = 10 * asked * 4;
    const { user, key } = await person(balance);
    const streams = await Promise.all(
      Array.from({ length: 40 }, () =>
        gateway.stream(key, { model: "talkative", max_tokens: asked / 2 }),
      ),
    );
    const served = streams.filter(({ status }) => status === 200);
    expect(served.length).toBeGreaterThan(0);
    const words = served.reduce((sum, stream) => sum + stream.text.trim().split(/\s+/).length, 0);
    expect(words * 4).toBeLessThanOrEqual(balance + served.length * 4);
    await gateway.settled({ timeoutMs: 30_000 });
    const { balance: left, held, debt } = await walletOf(user.id);
    expect(held).toBe(0);
    if (debt > 0) expect(left).toBe(0);
  });

  test("is in debt after an answer that cost more, and every kind of credit pays the debt first", {
    tags: ["S2-04"],
    timeout: 60_000,
  }, async () => {
    const { user, key } = await person(100);
    const hold = 8 * 1.5 + 4;
    // A whole answer is charged as the provider counts it: far above its hold and the balance.
    expect((await gateway.chat(key, { model: "talkative", max_tokens: 1 })).status).toBe(200);
    await gateway.settled();
    let owed = hold;
    expect(await walletOf(user.id)).toEqual({ balance: 0, held: 0, debt: owed });
    const refused = await gateway.chat(key, { model: "talkative", max_tokens: 1 });
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining("wallet_in_debt"),
    ]);
    expect(await user.data("GET", "/api/user/self")).toMatchObject({ quota: 0, debt: owed });

    const codeOf = async (quota: number) =>
      (
        await gateway.api<string[]>("POST", "/api/redemption/", {
          name: "thrifty",
          quota,
          count: 1,
        })
      )[0];
    const credits: Record<string, () => Promise<unknown>> = {
      "a grant": () => gateway.api("POST", "/api/topup", { user_id: user.id, quota: 3 }),
      "a code": async () => user.data("POST", "/api/user/topup", { key: await codeOf(3) }),
      "an edit": () => gateway.api("PUT", "/api/user/", { id: user.id, quota: 3, quota_read: 0 }),
    };
    for (const [kind, credit] of Object.entries(credits)) {
      await credit();
      owed -= 3;
      expect([kind, await walletOf(user.id)]).toEqual([kind, { balance: 0, held: 0, debt: owed }]);
    }
    const waived = await gateway.api("POST", `/api/user/${user.id}/waive_debt`);
    expect(waived).toMatchObject({ quota: 0, debt: 0 });
    expect(await walletOf(user.id)).toEqual({ balance: 0, held: 0, debt: 0 });
  });

  test("loses no more than two calls a day to a channel: the third above every bound disables it, and root sees why", {
    tags: ["S2-04"],
    timeout: 60_000,
  }, async () => {
    const channel = await gateway.given.channel({
      key: "sim-tokens-3000+no-limit",
      models: "loss",
    });
    const statusOf = async () => {
      const [row] = await gateway.rows<{ status: number; reason: string }>(
        `select status, disabled_reason as reason from channels where id = ${channel.id}`,
      );
      return row;
    };
    for (let call = 1; call <= 3; call += 1) {
      const { key } = await person(100);
      expect((await gateway.chat(key, { model: "loss", max_tokens: 1 })).status).toBe(200);
      expect((await gateway.lastLog()).content).toMatch(/units were written off/);
      if (call < 3) expect(await statusOf()).toMatchObject({ status: 1 });
    }
    await eventually(async () =>
      expect(await statusOf()).toEqual({
        status: 3,
        reason: "3 calls within a day cost more than hold, balance and debt cover",
      }),
    );
  });

  test("has books that agree after all of this", { tags: ["S2-04"], timeout: 60_000 }, async () => {
    expect(await gateway.audit()).toBe("The books agree.");
  });
});
