// The response cache: the same answer for the same request of the same account, for its share of
// the price.
import type { ServerResponse } from "node:http";
import { updateOption } from "@tollgate/contract/site/options.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ruleDatabaseKinds } from "../harness/gateway-database.ts";
import { chatBody, startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { startRecordingProvider } from "./recording-provider.ts";

const allowed = { cache_seconds: 3_600 };

describe.each(ruleDatabaseKinds)("the response cache on %s", (store) => {
  let gateway: TestGateway;
  let provider: Awaited<ReturnType<typeof startRecordingProvider>>;
  let answers = 0;

  const words = () => `answer ${answers}`;
  const usage = { prompt_tokens: 100, completion_tokens: 7, total_tokens: 107 };
  const whole = (response: ServerResponse) => {
    const choices = [
      { index: 0, message: { role: "assistant", content: words() }, finish_reason: "stop" },
    ];
    response.writeHead(200, { "content-type": "application/json" });
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
  const streamed = (response: ServerResponse) => {
    const chunk = (delta: object, finish_reason: string | null, more = {}) =>
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`;
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const word of words().split(" ")) response.write(chunk({ content: word }, null));
    response.end(`${chunk({}, "stop", { usage })}data: [DONE]\n\n`);
  };

  beforeAll(async () => {
    provider = await startRecordingProvider();
    gateway = await startTestGateway({
      store,
      env: { API_RATE_LIMIT: "0" },
      upstreams: [provider.url],
    });
    await gateway.given.channel({ key: "k", models: "m", base_url: provider.url });
    await put("ResponseCacheEnabled", "true");
  });
  afterAll(async () => {
    await gateway.close();
    await provider.close();
  });
  beforeEach(() => {
    provider.calls.length = 0;
    provider.answer = (response) => {
      answers += 1;
      whole(response);
    };
  });

  const put = async (key: string, value: string) =>
    await (await gateway.root()).call(updateOption, { body: { key, value } });
  /** `costs` are as each answer states it. */
  const costs: (string | null)[] = [];
  const ask = async (key: string, content: string, more: object = {}, cache = "max-age=600") => {
    const body = chatBody({
      model: "m",
      max_tokens: 20,
      messages: [{ role: "user", content }],
      ...more,
    });
    const response = await gateway.send(key, body, {
      headers: cache === "" ? {} : { "x-tollgate-cache": cache },
    });
    const { status, headers } = response;
    costs.push(headers.get("x-litellm-response-cost"));
    return { status, cache: headers.get("x-tollgate-cache"), text: await response.text() };
  };

  test("gives the answer again, free and marked in header, row and trace", async () => {
    const { key } = await gateway.given.token(allowed);
    const first = await ask(key, "one");
    expect([first.status, first.cache]).toEqual([200, "miss"]);
    const paid = (await gateway.lastLog()).quota;
    expect(paid).toBeGreaterThan(0);
    const again = await ask(key, "one");
    expect(again).toEqual({ ...first, cache: "hit" });
    expect(provider.calls).toHaveLength(1);
    expect(costs.slice(-2)).toEqual([String(paid / 500_000), "0"]);
    const row = await gateway.lastLog();
    expect(row).toMatchObject({
      quota: 0,
      outcome: "success",
      prompt_tokens: 0,
      completion_tokens: 0,
      channel_id: 0,
    });
    expect(row.content).toMatch(/^answered from the response cache: \d+ s old$/);
    const trace = await gateway.trace(row.id);
    expect(trace).toMatchObject({ status: 200, attempts: [], notes: [row.content] });
    expect(await gateway.books()).toMatchObject({ charged: paid, held: 0, reservations: 0 });
  });

  test("gives a stream again as the stream that it was, byte by byte", async () => {
    provider.answer = (response) => {
      answers += 1;
      streamed(response);
    };
    const { key } = await gateway.given.token(allowed);
    const first = await ask(key, "stream", { stream: true });
    await gateway.settled();
    const again = await ask(key, "stream", { stream: true });
    expect([first.cache, again.cache]).toEqual(["miss", "hit"]);
    expect(again.text).toBe(first.text);
    expect(again.text).toMatch(/data: \[DONE\]\n\n$/);
    expect(provider.calls).toHaveLength(1);
    // Whole, it is another request.
    provider.answer = whole;
    expect((await ask(key, "stream")).cache).toBe("miss");
  });

  test("charges the share that the operator sets, to the unit", async () => {
    const { key } = await gateway.given.token(allowed);
    await ask(key, "shared");
    const first = (await gateway.lastLog()).quota;
    const { charged } = await gateway.books();
    await put("CacheHitRatio", "0.3");
    expect((await ask(key, "shared")).cache).toBe("hit");
    const hit = await gateway.lastLog();
    await put("CacheHitRatio", "0");
    expect(hit.quota).toBe(Math.ceil((first * 3) / 10));
    expect((await gateway.books()).charged).toBe(charged + hit.quota);
  });

  test("gives no account what another one asked, nothing to clients that do not ask, and nothing with tools", async () => {
    const { key } = await gateway.given.token(allowed);
    const other = await gateway.given.user(`other${store}`, { quota: 1_000_000 });
    const otherKey = (await other.token(allowed)).key;
    await ask(key, "mine");
    const tools = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }];
    const seen = [];
    for (const [by, more, cache] of [
      [otherKey, {}, "max-age=600"],
      [key, {}, ""],
      [key, { temperature: 0.5 }, "max-age=600"],
      [key, { tools }, "max-age=600"],
      [key, { tools }, "max-age=600"],
    ] as const)
      seen.push((await ask(by, "mine", more, cache)).cache);
    expect(seen).toEqual(["miss", null, "miss", null, null]);
    expect(provider.calls).toHaveLength(6);
  });

  test("is for keys that allow it alone, and gives no key an answer of a model that it may not use", async () => {
    const { key } = await gateway.given.token(allowed);
    const { key: closed } = await gateway.given.token();
    const { key: limited } = await gateway.given.token({ ...allowed, models: "another" });
    const { key: second } = await gateway.given.token({ ...allowed, models: "m" });
    expect((await ask(closed, "by key")).cache).toBeNull();
    expect((await ask(key, "by key")).cache).toBe("miss");
    expect((await ask(closed, "by key")).cache).toBeNull();
    expect(await ask(limited, "by key")).toMatchObject({ status: 403, cache: null });
    expect((await ask(second, "by key")).cache).toBe("hit");
    expect(provider.calls).toHaveLength(3);
  });

  test("keeps no error and no broken stream", { tags: ["large"] }, async () => {
    const { key } = await gateway.given.token(allowed);
    const broken = [
      (response: ServerResponse) => response.writeHead(400).end('{"error":{"message":"no"}}'),
      (response: ServerResponse) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write('data: {"id":"c","choices":[{"index":0,"delta":{"content":"half"}}]}\n\n');
        setTimeout(() => response.destroy(), 50);
      },
    ];
    for (const answer of broken) {
      provider.answer = answer;
      await ask(key, "broken", { stream: true });
    }
    provider.answer = streamed;
    expect((await ask(key, "broken", { stream: true })).cache).toBe("miss");
    await gateway.settled();
  });

  test("does nothing while it is off", async () => {
    const { key } = await gateway.given.token(allowed);
    await ask(key, "off");
    await put("ResponseCacheEnabled", "false");
    expect((await ask(key, "off")).cache).toBeNull();
    await put("ResponseCacheEnabled", "true");
  });
});
