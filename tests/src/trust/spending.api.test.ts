// Losses of other gateways: holds that remain, clients that disconnect without paying, rows of the
// wrong user.
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { databaseKinds } from "../harness/gateway-database.ts";
import {
  chatBody,
  defaultCharge,
  defaultHold,
  promptEstimate,
  question,
  readEvents,
  startTestGateway,
  type TestGateway,
  type TestUser,
} from "../harness/test-gateway.ts";
import {
  type CannedProvider,
  completion,
  startCannedProvider,
  whole,
} from "../relay/canned-provider.ts";
import { largeOn } from "../support/large-tests.ts";

const rootId = 1;
/** The upstream speaks chat completions, whatever the client's API format. */
const compatibleType = 50;
/** The path of each API format, and the event of a word in its stream. */
const apiFormats = [
  {
    name: "chat completions",
    path: "/v1/chat/completions",
    ask: { messages: [{ role: "user", content: question }] },
  },
  {
    name: "messages",
    path: "/v1/messages",
    ask: { messages: [{ role: "user", content: question }], max_tokens: 4_000 },
  },
  { name: "responses", path: "/v1/responses", ask: { input: question } },
] as const;

describe.each(databaseKinds)("spending on %s", (store) => {
  /** `further` is what no race decides is shown on PostgreSQL by CI. */
  const further = largeOn(store === "postgres");
  let world: TestGateway;
  let canned: CannedProvider;
  beforeAll(async () => {
    canned = await startCannedProvider();
    // No abandoned call may delay a stop for long.
    world = await startTestGateway({
      store,
      upstreams: [canned.url],
      env: { SHUTDOWN_GRACE_SECONDS: "3" },
    });
  });
  afterAll(async () => {
    expect(await world.settled()).toMatchObject({ held: 0, reservations: 0 });
    expect(await world.audit()).toBe("The books agree.");
    await world.close();
    await canned.close();
  });

  const balanceOf = async (id: number): Promise<{ balance: number; held: number }> => {
    const [wallet] = await world.rows<{ balance: number; held: number }>(
      `select w.balance as balance, w.held as held from wallets w join users u on u.wallet_id = w.id where u.id = ${id}`,
    );
    if (!wallet) throw new Error(`user ${id} has no wallet`);
    return wallet;
  };

  test("F-44 a new user cannot spend more than was granted, however many calls come first", {
    tags: ["F-44"],
  }, async () => {
    await world.given.channel({ key: "sim-slow-1500", models: "m-44" });
    const newcomer = await world.given.user(`newcomer-${store}`, { quota: 3 * defaultHold });
    const { key } = await newcomer.token();

    const replies = await Promise.all(
      Array.from({ length: 60 }, () => world.chat(key, { model: "m-44", max_tokens: 12 })),
    );

    const served = replies.filter(({ status }) => status === 200).length;
    expect(served).toBeGreaterThanOrEqual(3);
    expect(replies.filter(({ status }) => status !== 200 && status !== 403)).toEqual([]);
    await world.settled();
    expect(await balanceOf(newcomer.id)).toEqual({
      balance: 3 * defaultHold - served * defaultCharge,
      held: 0,
    });
  });

  test("F-45 of 150 streams whose clients disconnect at any moment none keeps its hold, and the next call is served", {
    tags: ["F-45"],
  }, async () => {
    await world.given.channel({ key: "sim-slow-40+pace-5+tokens-400", models: "m-45" });
    const { key } = await world.given.token();
    // Spread over the whole life of a call, from before its hold to the middle of its response.
    const leaveAfterMs = Array.from({ length: 150 }, (_, n) => (n * 7) % 700);

    await Promise.all(
      leaveAfterMs.map(async (ms) => {
        const disconnect = new AbortController();
        const call = world
          .send(key, chatBody({ model: "m-45", stream: true, max_tokens: 400 }), {
            signal: disconnect.signal,
          })
          .then((response) => response.text())
          .catch(() => "left");
        await pause(ms);
        disconnect.abort();
        await call;
      }),
    );

    expect((await world.settled()).held).toBe(0);
    await eventually(async () => expect((await world.simulator.stats()).openStreams).toBe(0));
    expect((await world.chat(key, { model: "m-45", max_tokens: 12 })).status).toBe(200);
  });

  test.each(apiFormats)(
    "F-47 a client that disconnects from a stream of $name before its usage is reported pays for what it received",
    { tags: ["F-47", ...further] },
    async ({ name, path, ask }) => {
      const model = `m-47-${name.replace(" ", "-")}`;
      const type = compatibleType;
      await world.given.channel({
        type,
        key: `sim-stall-40+tokens-100+as-${store}`,
        models: model,
      });
      const { key } = await world.given.token();
      const disconnect = new AbortController();
      const response = await fetch(world.url + path, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model, stream: true, ...ask }),
        signal: disconnect.signal,
      });
      expect(response.status).toBe(200);
      const decoder = new TextDecoder();
      let read = "";
      const words = () =>
        read.split("\n").filter((line) => /"(content|text|delta)":\s*"[^"]/.test(line)).length;
      const reader = response.body?.getReader();
      while (reader && words() < 40) {
        const part = await reader.read();
        if (part.done) break;
        read += decoder.decode(part.value, { stream: true });
      }
      disconnect.abort();

      const log = await world.lastLog();
      expect(log).toMatchObject({
        origin_model_name: model,
        outcome: "client_left",
        completion_tokens: 40,
      });
      expect(log.quota).toBe(log.prompt_tokens + 40 * 4);
      expect(log.prompt_tokens).toBeGreaterThan(0);
    },
  );

  test("F-50 a client that disconnects while the first channel is silent causes no further attempt", {
    tags: ["F-50", ...further],
  }, async () => {
    await world.given.channel({
      key: `sim-slow-800+fail-500+as-first-${store}`,
      models: "m-50",
      priority: 9,
    });
    await world.given.channel({ key: `sim-ok+as-second-${store}`, models: "m-50" });
    const { key } = await world.given.token();
    const disconnect = new AbortController();
    const call = world
      .send(key, chatBody({ model: "m-50" }), { signal: disconnect.signal })
      .catch(() => "left");
    const callsOf = async (name: string) =>
      (await world.simulator.calls()).filter(({ key: used }) => used?.endsWith(`${name}-${store}`));
    await eventually(async () => expect(await callsOf("first")).toHaveLength(1));
    disconnect.abort();
    await call;

    expect(await world.lastLog()).toMatchObject({
      origin_model_name: "m-50",
      outcome: "client_left",
      quota: 0,
    });
    expect((await callsOf("first"))[0]?.abortedAt).not.toBeNull();
    expect(await callsOf("second")).toEqual([]);
  });

  test("F-54 a response that costs more than the balance takes the whole balance, and the rest is a debt up to its hold", {
    tags: ["F-54", "S2-04"],
  }, async () => {
    await world.given.channel({ key: "canned", base_url: canned.url, models: "m-54" });
    const hold = promptEstimate * 1.5 + 4;
    const balance = hold + 10;
    const poor = await world.given.user(`poor-${store}`, { quota: balance });
    const { key } = await poor.token();
    // The call held one token; the provider reports more, which counts within bounds.
    canned.answer = whole(
      completion("word", { prompt_tokens: 6, completion_tokens: 50, total_tokens: 56 }),
    );

    expect((await world.chat(key, { model: "m-54", max_tokens: 1 })).status).toBe(200);

    expect(await world.lastLog()).toMatchObject({
      origin_model_name: "m-54",
      completion_tokens: 50,
      quota: 206,
    });
    expect(await balanceOf(poor.id)).toEqual({ balance: 0, held: 0 });
    const sums = await world.rows<{ kind: string; amount: number }>(
      `select kind, sum(amount) as amount from ledger where billing_id = ${(await world.lastLog()).id} group by kind order by kind`,
    );
    expect(sums).toEqual([
      { kind: "charge", amount: balance },
      { kind: "debt", amount: hold },
      { kind: "shortfall", amount: 206 - balance - hold },
    ]);

    const refused = await world.chat(key, { model: "m-54", max_tokens: 1 });
    expect([refused.status, refused.body.error?.code]).toEqual([403, "wallet_in_debt"]);
    await world.api("POST", "/api/topup", { user_id: poor.id, quota: hold + balance });
    expect(await balanceOf(poor.id)).toEqual({ balance, held: 0 });
    canned.answer = whole(
      completion("word", { prompt_tokens: 6, completion_tokens: 1, total_tokens: 7 }),
    );
    expect((await world.chat(key, { model: "m-54", max_tokens: 1 })).status).toBe(200);
  });

  test("F-56 under load with failures and disconnects every row belongs to the client that made the call", {
    tags: ["F-56"],
    timeout: 60_000,
  }, async () => {
    await world.given.channel({
      key: "sim-slow-5-60+fail-500-every-7",
      models: "m-56",
      priority: 9,
    });
    await world.given.channel({ key: "sim-slow-5-60", models: "m-56" });
    const users: TestUser[] = [];
    for (let n = 0; n < 3; n += 1)
      users.push(await world.given.user(`crowd-${n}-${store}`, { quota: 200 * defaultHold }));
    const keys = await Promise.all(users.map((user) => user.token()));
    // The length of the response identifies the call: the upstream counts it, and only its client
    // knows it.
    const answerOf = (n: number) => n + 1;
    const calls = Array.from({ length: 400 }, (_, n) => n % users.length);
    let served = 0;
    const workers = Array.from({ length: 64 }, async () => {
      for (let n = calls.pop(); n !== undefined; n = calls.pop()) {
        const disconnect = new AbortController();
        const isLeft = calls.length % 9 === 0;
        const sent = world.send(
          keys[n]?.key ?? "",
          chatBody({ model: "m-56", max_tokens: answerOf(n), stream: calls.length % 2 === 0 }),
          { signal: disconnect.signal },
        );
        if (isLeft) {
          setTimeout(() => disconnect.abort(), 20);
          await sent.then((response) => response.text()).catch(() => "left");
          continue;
        }
        const response = await sent;
        const text = await response.text();
        expect(response.status).toBe(200);
        const words = text.startsWith("{")
          ? JSON.parse(text).choices[0].message.content
          : readEvents(text).text;
        expect(words.split(" ")).toHaveLength(answerOf(n));
        served += 1;
      }
    });
    await Promise.all(workers);
    await world.settled();

    const logs = (await world.logs()).filter(
      ({ origin_model_name }) => origin_model_name === "m-56",
    );
    const answered = logs.filter(({ outcome }) => outcome === "success");
    expect(answered.length).toBeGreaterThanOrEqual(served);
    for (const [n, user] of users.entries()) {
      const own = logs.filter(({ user_id }) => user_id === user.id);
      expect(new Set(own.map(({ token_id, username }) => `${token_id} of ${username}`))).toEqual(
        new Set([`${keys[n]?.id} of ${user.username}`]),
      );
      const lengths = own
        .filter(({ outcome }) => outcome === "success")
        .map((log) => log.completion_tokens);
      expect(new Set(lengths)).toEqual(new Set([answerOf(n)]));
      const spent = own.reduce((sum, { quota }) => sum + quota, 0);
      expect(await balanceOf(user.id)).toEqual({ balance: 200 * defaultHold - spent, held: 0 });
    }
  });

  test("F-57 deleting, disabling or expiring a token, full or exhausted, moves no balance", {
    tags: ["F-57", ...further],
  }, async () => {
    await world.given.channel({ key: "sim-ok", models: "m-57" });
    const atFirst = await balanceOf(rootId);
    const tokens = await Promise.all(
      [
        { unlimited_quota: false, remain_quota: 0 },
        { unlimited_quota: false, remain_quota: defaultHold },
        { unlimited_quota: false, remain_quota: 900_000_000_000 },
        { unlimited_quota: true },
      ].flatMap((fields) => [1, 2, 3].map(() => world.given.token(fields))),
    );
    // One of each kind has been used, down to less than a call where it held no more.
    for (const { key } of tokens) await world.chat(key, { model: "m-57", max_tokens: 12 });
    await world.settled();
    const before = await balanceOf(rootId);
    expect(before.balance).toBeLessThan(atFirst.balance);

    for (const [index, { id }] of tokens.entries()) {
      if (index % 3 === 0) await world.api("DELETE", `/api/token/${id}`);
      else if (index % 3 === 1)
        await world.api("PUT", "/api/token/?status_only=1", { id, status: 2 });
      else await world.api("PUT", "/api/token/", { id, expired_time: 1 });
    }

    expect(await balanceOf(rootId)).toEqual(before);
    for (const quota of [-1, 0.5, 2 ** 53, 1e300, "5", null, Number.NaN])
      await expect(
        world.api("POST", "/api/token/", { name: "odd", remain_quota: quota }),
      ).rejects.toThrow(/invalid/);
    for (const { key } of tokens)
      expect((await world.chat(key, { model: "m-57" })).status).toBe(401);
    expect(await balanceOf(rootId)).toEqual(before);
  });
});
