// Which channel and key a call goes to, what is sent there, and why: overrides, limits,
// conversations, keys, breakers.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { ruleDatabaseKinds } from "../harness/gateway-database.ts";
import { chatBody, startTestGateway, type TestGateway } from "../harness/test-gateway.ts";

interface ListedChannel {
  status: number;
  disabled_reason: string;
  keys: { place: number; hint: string; status: number; reason: string; seconds_left: number }[];
  breaker: { model: string; state: string; reason: string; seconds_left: number }[];
}

let count = 0;
const fresh = () => {
  count += 1;
  return `routed-${count}`;
};

const lastTrace = async (gateway: TestGateway) => gateway.trace((await gateway.lastLog()).id);
const shown = (gateway: TestGateway, id: number) =>
  gateway.api<ListedChannel>("GET", `/api/channel/${id}`);

describe("what an operator overrides", () => {
  let gateway: TestGateway;
  let key: string;
  beforeAll(async () => {
    gateway = await startTestGateway();
    key = (await gateway.given.token()).key;
  });
  afterAll(() => gateway.close());

  const sent = async (upstreamKey: string) =>
    (await gateway.simulator.calls()).findLast(
      (call) => call.key === upstreamKey || call.headers["x-copy"] === upstreamKey,
    );

  test("headers and body members reach the upstream, and nothing else changes", async () => {
    const name = fresh();
    const config = JSON.stringify({
      custom_headers: { "X-Copy": "{{key}}", "User-Agent": "mine/1" },
      param_override: { temperature: 0.5, top_k: 3, seed: null },
    });
    await gateway.given.channel({ key: "sim-as-overridden", models: name, config });
    const asked = { model: name, temperature: 1, seed: 7, "odd key": "é" };
    expect((await gateway.chat(key, asked)).status).toBe(200);
    const call = await sent("sim-as-overridden");
    expect(call?.headers).toMatchObject({
      "x-copy": "sim-as-overridden",
      "user-agent": "mine/1",
      authorization: "Bearer sim-as-overridden",
    });
    const { seed: _, ...kept } = asked;
    expect(call?.body).toEqual({ ...chatBody(kept), temperature: 0.5, top_k: 3 });
  });

  test("streams keep asking for usage, and translated calls are overridden in the provider's own format", async () => {
    const name = fresh();
    const config = JSON.stringify({ param_override: { top_k: 5, temperature: null } });
    await gateway.given.channel({ key: "sim-as-translated", type: 14, models: name, config });
    const answer = await gateway.stream(key, { model: name, temperature: 1 });
    expect([answer.status, answer.errors]).toEqual([200, []]);
    const call = await sent("sim-as-translated");
    expect(call?.path).toBe("/v1/messages");
    expect(call?.body).toMatchObject({ model: name, stream: true, top_k: 5 });
    expect(call?.body).not.toHaveProperty("temperature");
  });
});

describe("what providers say of their rate limits", () => {
  let gateway: TestGateway;
  let key: string;
  beforeAll(async () => {
    gateway = await startTestGateway();
    key = (await gateway.given.token()).key;
  });
  afterAll(() => gateway.close());

  test("a channel with nothing left is passed over before it refuses, the trace and its health say why, and alone it is tried", async () => {
    const name = fresh();
    const spent = await gateway.given.channel({ key: "sim-spent-60", models: name, priority: 9 });
    const other = await gateway.given.channel({ key: "sim-ok", models: name });
    const servedBy = async (): Promise<number> => {
      expect((await gateway.chat(key, { model: name })).status).toBe(200);
      return (await gateway.lastLog()).channel_id;
    };
    expect(await servedBy()).toBe(spent.id);
    expect(await servedBy()).toBe(other.id);
    expect(JSON.stringify(await lastTrace(gateway))).toContain("its provider has no requests left");
    expect((await shown(gateway, spent.id)).breaker).toMatchObject([
      { model: name, state: "open", reason: "its provider has no requests left" },
    ]);
    await gateway.api("PUT", "/api/channel/", { id: other.id, status: 2 });
    expect(await servedBy()).toBe(spent.id);
  });
});

describe("limits and conversations", () => {
  let gateway: TestGateway;
  let key: string;
  beforeAll(async () => {
    gateway = await startTestGateway();
    key = (await gateway.given.token()).key;
  });
  afterAll(() => gateway.close());

  test("a channel takes a limited number of calls per key; then the next one serves, and with none left the client learns when to retry", async () => {
    const name = fresh();
    const limited = await gateway.given.channel({
      key: "sim-ok",
      models: name,
      priority: 5,
      ratelimit: 2,
    });
    const spare = await gateway.given.channel({ key: "sim-ok", models: name, ratelimit: 1 });
    const served: number[] = [];
    for (let call = 0; call < 3; call += 1) {
      expect((await gateway.chat(key, { model: name })).status).toBe(200);
      served.push((await gateway.lastLog()).channel_id);
    }
    expect(served).toEqual([limited.id, limited.id, spare.id]);
    expect(
      (await lastTrace(gateway)).candidates.find(({ channel_id }) => channel_id === limited.id),
    ).toMatchObject({
      taken: false,
      reason: expect.stringMatching(
        /^the API key has reached the rate limit of this channel, \d+ s left$/,
      ),
    });
    const refused = await gateway.chat(key, { model: name });
    expect([refused.status, refused.body.error.type]).toEqual([429, "one_api_error"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(100);
    expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(190);
    // Another key has a count of its own.
    const other = await gateway.given.token();
    expect((await gateway.chat(other.key, { model: name })).status).toBe(200);
  });

  test("calls that come together do not slip past the limit", async () => {
    const name = fresh();
    await gateway.given.channel({ key: "sim-slow-100", models: name, ratelimit: 3 });
    const replies = await Promise.all(
      Array.from({ length: 12 }, () => gateway.chat(key, { model: name })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([
      ...Array(3).fill(200),
      ...Array(9).fill(429),
    ]);
    for (const { status, headers } of replies)
      if (status === 429) expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("a conversation stays with the channel that answered it, and leaves it when it fails", async () => {
    const name = fresh();
    const ids = [];
    for (const part of ["a", "b", "c", "d"])
      ids.push((await gateway.given.channel({ key: `sim-as-${name}-${part}`, models: name })).id);
    const turns = [{ role: "user", content: "the story of amber" }];
    const say = async () => {
      const reply = await gateway.chat(key, { model: name, messages: turns });
      expect(reply.status).toBe(200);
      turns.push({ role: "assistant", content: "and then" }, { role: "user", content: "go on" });
      return (await gateway.lastLog()).channel_id;
    };
    const home = await say();
    for (let call = 0; call < 8; call += 1) expect(await say()).toBe(home);
    expect((await lastTrace(gateway)).candidates[0]).toMatchObject({
      channel_id: home,
      reason: "priority 0, answered this conversation last",
    });
    await gateway.simulator.script(`sim-as-${name}-${"abcd"[ids.indexOf(home)]}`, "fail-503");
    const next = await say();
    expect(next).not.toBe(home);
    for (let call = 0; call < 4; call += 1) expect(await say()).toBe(next);
  });

  test("a better channel is never passed over for a conversation", async () => {
    const name = fresh();
    const low = await gateway.given.channel({ key: "sim-ok", models: name });
    const ask = async () => {
      await gateway.chat(key, { model: name, prompt_cache_key: "session-1" });
      return (await gateway.lastLog()).channel_id;
    };
    expect(await ask()).toBe(low.id);
    const high = await gateway.given.channel({ key: "sim-ok", models: name, priority: 1 });
    expect(await ask()).toBe(high.id);
  });

  test("an administrator's pin decides, whatever else speaks against a channel", async () => {
    const name = fresh();
    const first = await gateway.given.channel({ key: "sim-ok", models: name, priority: 9 });
    const failing = await gateway.given.channel({
      key: `sim-fail-503-first-1+as-${name}`,
      models: name,
    });
    await gateway.api("PUT", "/api/channel/?status_only=1", { id: first.id, status: 2 });
    expect((await gateway.chat(key, { model: name })).status).toBe(503);
    await gateway.api("PUT", "/api/channel/?status_only=1", { id: first.id, status: 1 });
    // Suspended by now, and called all the same.
    expect((await gateway.chat(`${key}-${failing.id}`, { model: name })).status).toBe(200);
    expect((await lastTrace(gateway)).candidates).toMatchObject([
      { channel_id: failing.id, taken: true, reason: "pinned by the key" },
    ]);
    // Its success has ended the suspension.
    expect((await shown(gateway, failing.id)).breaker).toEqual([]);
  });
});

describe("breakers", () => {
  let gateway: TestGateway;
  let key: string;
  beforeAll(async () => {
    gateway = await startTestGateway();
    key = (await gateway.given.token()).key;
  });
  afterAll(() => gateway.close());

  test("a channel that failed shows for which model and how long, and is still the last resort", async () => {
    const name = fresh();
    const channel = await gateway.given.channel({
      key: `sim-fail-503-first-2+as-${name}`,
      models: `${name},other-${name}`,
    });
    expect((await gateway.chat(key, { model: name })).status).toBe(503);
    const { breaker } = await shown(gateway, channel.id);
    expect(breaker).toEqual([
      { model: name, state: "open", reason: "status 503", seconds_left: expect.any(Number) },
    ]);
    expect(breaker[0]?.seconds_left).toBeGreaterThan(20);
    expect((await gateway.chat(key, { model: name })).status).toBe(503);
    expect((await lastTrace(gateway)).candidates[0]?.reason).toMatch(
      /^last resort: suspended after status 503, \d+ s left$/,
    );
    expect((await gateway.chat(key, { model: name })).status).toBe(200);
    expect((await shown(gateway, channel.id)).breaker).toEqual([]);
  });

  test("when its time is over one call tries it while the others go elsewhere", {
    tags: ["large"],
  }, async () => {
    const name = fresh();
    const upstreamKey = `half-${name}`;
    const best = await gateway.given.channel({ key: upstreamKey, models: name, priority: 5 });
    const spare = await gateway.given.channel({ key: "sim-ok", models: name });
    // A second is the shortest pause that a provider can name.
    await gateway.simulator.script(upstreamKey, [
      { fail: { status: 429, retryAfter: "1" }, first: 1 },
      { slowMs: 1_500 },
    ]);
    expect((await gateway.chat(key, { model: name })).status).toBe(200);
    await eventually(async () => {
      expect((await shown(gateway, best.id)).breaker).toMatchObject([
        { state: "half_open", seconds_left: 0 },
      ]);
    });
    const trial = gateway.chat(key, { model: name });
    await eventually(async () => {
      const calls = (await gateway.simulator.calls()).filter((call) => call.key === upstreamKey);
      expect(calls).toHaveLength(2);
    });
    const others = await Promise.all(
      Array.from({ length: 5 }, () => gateway.chat(key, { model: name })),
    );
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect((await trial).status).toBe(200);
    await gateway.settled();
    const rows = (await gateway.logs()).filter(
      ({ origin_model_name }) => origin_model_name === name,
    );
    expect(rows.filter(({ channel_id }) => channel_id === best.id)).toHaveLength(1);
    expect(rows.filter(({ channel_id }) => channel_id === spare.id)).toHaveLength(6);
    const taken = rows.find(({ channel_id }) => channel_id === best.id);
    expect((await gateway.trace(taken?.id ?? 0)).candidates[0]?.reason).toBe(
      "priority 5, tried again after status 429",
    );
    expect((await shown(gateway, best.id)).breaker).toEqual([]);
    expect((await gateway.chat(key, { model: name })).status).toBe(200);
    expect((await gateway.lastLog()).channel_id).toBe(best.id);
  });
});

describe.each(ruleDatabaseKinds)("several keys in one channel, on %s", (store) => {
  let gateway: TestGateway;
  let key: string;
  beforeAll(async () => {
    gateway = await startTestGateway({ store });
    await gateway.api("PUT", "/api/option/", {
      key: "AutomaticDisableChannelEnabled",
      value: "true",
    });
    key = (await gateway.given.token()).key;
  });
  afterAll(() => gateway.close());

  const several = (models: string, keys: string[], more = {}) =>
    gateway.given.channel({
      key: keys.join("\n"),
      models,
      config: JSON.stringify({ multi_key: true }),
      ...more,
    });
  const callsWith = async (keys: string[]) => {
    const calls = await gateway.simulator.calls();
    return keys.map((one) => calls.filter((call) => call.key === one).length);
  };

  test("they take turns", async () => {
    const name = fresh();
    const keys = ["x", "y", "z"].map((part) => `sim-as-${name}-${part}`);
    await several(name, keys);
    for (let call = 0; call < 6; call += 1)
      expect((await gateway.chat(key, { model: name })).status).toBe(200);
    expect(await callsWith(keys)).toEqual([2, 2, 2]);
    const { attempts } = await lastTrace(gateway);
    expect(attempts.map(({ key_hint }) => key_hint)).toEqual([`${name}-z`.slice(-4)]);
  });

  test("one that is refused is out of service while the channel goes on; the client notices nothing", async () => {
    const name = fresh();
    const keys = [`sim-fail-401+as-${name}-x`, `sim-as-${name}-y`];
    const channel = await several(name, keys);
    for (let call = 0; call < 3; call += 1)
      expect((await gateway.chat(key, { model: name })).status).toBe(200);
    await eventually(async () => {
      const { keys: states } = await shown(gateway, channel.id);
      expect(states.map(({ status }) => status)).toEqual([3, 1]);
      expect(states[0]?.reason).toMatch(/^The provider refused the key: /);
    });
    expect(await shown(gateway, channel.id)).toMatchObject({ status: 1, breaker: [] });
    expect((await gateway.chat(key, { model: name })).status).toBe(200);
    expect(await callsWith(keys)).toEqual([1, 4]);
  });

  test("with the last one the channel is out of service too, and shows the reason", async () => {
    const name = fresh();
    const channel = await several(name, [`sim-fail-401+as-${name}-x`, `sim-fail-401+as-${name}-y`]);
    expect((await gateway.chat(key, { model: name })).status).toBe(502);
    await eventually(async () => {
      const found = await shown(gateway, channel.id);
      if (found.status !== 3) await gateway.chat(key, { model: name });
      expect(found).toMatchObject({
        status: 3,
        disabled_reason: expect.stringMatching(/^No key is left\. /),
      });
    });
    expect((await gateway.chat(key, { model: name })).status).toBe(503);
  });

  test("one that is rate limited rests; when all are, the next channel serves", async () => {
    const name = fresh();
    const keys = [`sim-fail-429-retry-30+as-${name}-x`, `sim-as-${name}-y`];
    const channel = await several(name, keys, { priority: 5 });
    const spare = await gateway.given.channel({ key: "sim-ok", models: name });
    for (let call = 0; call < 4; call += 1)
      expect((await gateway.chat(key, { model: name })).status).toBe(200);
    expect(await callsWith(keys)).toEqual([1, 4]);
    const { keys: states, breaker } = await shown(gateway, channel.id);
    expect([states.map(({ seconds_left }) => seconds_left > 0), breaker]).toEqual([
      [true, false],
      [],
    ]);
    await gateway.simulator.script(keys[1] ?? "", "fail-429-retry-30");
    expect((await gateway.chat(key, { model: name })).status).toBe(200);
    expect((await gateway.lastLog()).channel_id).toBe(spare.id);
    expect((await shown(gateway, channel.id)).breaker).toMatchObject([
      { model: name, state: "limited" },
    ]);
  });

  test("one that an administrator disabled is not used", async () => {
    const name = fresh();
    const keys = [`sim-as-${name}-x`, `sim-as-${name}-y`];
    const channel = await several(name, keys);
    await gateway.api("PUT", `/api/channel/${channel.id}/key`, { place: 1, status: 2 });
    for (let call = 0; call < 3; call += 1)
      expect((await gateway.chat(key, { model: name })).status).toBe(200);
    expect(await callsWith(keys)).toEqual([0, 3]);
    await gateway.api("PUT", `/api/channel/${channel.id}/key`, { place: 2, status: 2 });
    expect((await gateway.chat(key, { model: name })).status).toBe(503);
    const pinned = await gateway.chat(`${key}-${channel.id}`, { model: name });
    expect([pinned.status, pinned.body.error.message]).toEqual([
      403,
      expect.stringContaining("is disabled"),
    ]);
  });

  test("a conversation stays with its key, which holds its prompt cache", async () => {
    const name = fresh();
    const keys = ["x", "y", "z"].map((part) => `sim-as-${name}-${part}`);
    await several(name, keys);
    for (let call = 0; call < 5; call += 1)
      expect((await gateway.chat(key, { model: name, prompt_cache_key: "s" })).status).toBe(200);
    expect((await callsWith(keys)).sort()).toEqual([0, 0, 5]);
  });
});
