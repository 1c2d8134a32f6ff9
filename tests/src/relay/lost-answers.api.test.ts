// Providers that took the whole request and whose answer is lost: no second generation, and the
// prompt is charged.
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  promptEstimate,
  question,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";
import { type CannedProvider, completion, startCannedProvider, whole } from "./canned-provider.ts";

let gateway: TestGateway;
let upstream: CannedProvider;
let key: string;
beforeAll(async () => {
  upstream = await startCannedProvider();
  gateway = await startTestGateway({
    upstreams: [upstream.url],
    env: { UPSTREAM_TIMEOUT_SECONDS: "1" },
  });
  key = (await gateway.given.token()).key;
});
afterAll(async () => {
  expect(await gateway.audit()).toBe("The books agree.");
  await gateway.close();
  await upstream.close();
});
beforeEach(() => {
  upstream.requests.length = 0;
});

/** Four channels: as many attempts as the default setting allows. */
async function fourChannels(models: string): Promise<void> {
  for (let n = 0; n < 4; n += 1)
    await gateway.given.channel({ type: 50, key: `key-${n}`, base_url: upstream.url, models });
}
const silent = (): void => undefined;
/** The gateway keeps at most 64 MiB of an answer. */
function endless(response: ServerResponse): void {
  const piece = Buffer.alloc(1024 * 1024, "x");
  response.writeHead(200, { "content-type": "application/json" });
  response.write('{"choices":[{"message":{"content":"');
  const more = (): void => {
    while (!response.destroyed && response.write(piece));
  };
  response.on("drain", more);
  more();
}
test("S2-07 a silence is no reason for another generation, and the prompt is charged", {
  tags: ["S2-07"],
}, async () => {
  await fourChannels("silent");
  upstream.answer = silent;
  const { status, headers, body } = await gateway.chat(key, { model: "silent" });
  expect([status, body.error.code, headers.get("x-should-retry")]).toEqual([
    504,
    "upstream_silent",
    "false",
  ]);
  await gateway.settled();
  expect(upstream.requests).toHaveLength(1);
  const row = await gateway.lastLog();
  expect(row).toMatchObject({
    outcome: "cut",
    prompt_tokens: promptEstimate,
    completion_tokens: 0,
    quota: promptEstimate,
  });
  expect(row.content).toContain(
    "the request was taken, so the prompt and what arrived are charged",
  );
  expect((await gateway.trace(row.id)).attempts).toMatchObject([
    { status: 0, outcome: "failed", error: "UND_ERR_HEADERS_TIMEOUT" },
  ]);
});

test("S2-07 a stream that never begins is asked for once, and its prompt is charged", {
  tags: ["S2-07"],
}, async () => {
  await fourChannels("quiet-stream");
  upstream.answer = (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
  };
  await gateway.stream(key, { model: "quiet-stream" });
  await gateway.settled();
  expect(upstream.requests).toHaveLength(1);
  expect(await gateway.lastLog()).toMatchObject({ outcome: "cut", quota: promptEstimate });
});

test("S2-07 an answer that is too large is asked for once, and charged as far as its hold", {
  tags: ["S2-07"],
}, async () => {
  await fourChannels("endless");
  upstream.answer = endless;
  const { status, body } = await gateway.chat(key, { model: "endless", max_tokens: 50 });
  expect([status, body.error.code]).toEqual([502, "upstream_answer_too_large"]);
  await gateway.settled();
  expect(upstream.requests).toHaveLength(1);
  expect(await gateway.lastLog()).toMatchObject({
    outcome: "cut",
    prompt_tokens: promptEstimate,
    completion_tokens: 50,
    quota: promptEstimate + 4 * 50,
  });
});

test("S2-07 an operator may have such a call sent once more; a lost one is charged if no other answers", {
  tags: ["S2-07"],
}, async () => {
  await fourChannels("again");
  await fourChannels("again-lost");
  await gateway.api("PUT", "/api/option/", { key: "RetryLostAnswerEnabled", value: "true" });
  upstream.answer = () => {
    upstream.answer = whole(completion("two", { prompt_tokens: 6, completion_tokens: 1 }));
    return silent();
  };
  expect((await gateway.chat(key, { model: "again" })).status).toBe(200);
  await gateway.settled();
  expect(upstream.requests).toHaveLength(2);
  expect(await gateway.lastLog()).toMatchObject({ outcome: "success", quota: 6 + 4 });
  upstream.answer = silent;
  expect((await gateway.chat(key, { model: "again-lost" })).status).toBe(504);
  await gateway.settled();
  expect(upstream.requests).toHaveLength(4);
  expect(await gateway.lastLog()).toMatchObject({ outcome: "cut", quota: promptEstimate });
  await gateway.api("PUT", "/api/option/", { key: "RetryLostAnswerEnabled", value: "false" });
});

const refuses =
  (status: number, error: unknown) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ error }));
  };
const account = "org-4711, billing at finance.example";

test.each([
  [401, { message: account, code: "invalid_api_key" }, 502],
  [402, { message: account }, 503],
  [403, { message: account }, 502],
  [429, { message: account, type: "tokens", code: "rate_limit_exceeded" }, 429],
  [500, { message: account, type: account }, 500],
  [400, { message: `Your credit balance is too low: ${account}` }, 503],
  [404, { message: account, code: "model_not_found" }, 404],
])(
  "S2-19 of a %i with %j the client gets %i and none of the provider's words, nor does the user's log",
  {
    tags: ["S2-19"],
  },
  async (status, error, shown) => {
    const model = `account-${status}`;
    await gateway.given.channel({ type: 50, key: "k", base_url: upstream.url, models: model });
    upstream.answer = refuses(status, error);
    const reply = await gateway.chat(key, { model });
    expect(reply.status).toBe(shown);
    expect(JSON.stringify(reply.body)).not.toMatch(/4711|finance/);
    await gateway.settled();
    const row = await gateway.lastLog();
    expect(row.content).not.toMatch(/4711|finance/);
    // Administrators read what the provider said in the trace.
    expect((await gateway.trace(row.id)).attempts[0]?.error).toContain("4711");
  },
);

test("S2-19 an error inside a stream tells a user nothing of the account, before its first word and after it", {
  tags: ["S2-19"],
}, async () => {
  const broken = `data: ${JSON.stringify({ error: { message: account, code: "insufficient_quota" } })}\n\n`;
  const word = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "one" } }] })}\n\n`;
  for (const [model, text] of Object.entries({
    "broken-first": broken,
    "broken-later": word + broken,
  })) {
    await gateway.given.channel({ type: 50, key: "k", base_url: upstream.url, models: model });
    upstream.answer = (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(text);
    };
    const { raw } = await gateway.stream(key, { model });
    expect(raw).not.toMatch(/4711|finance/);
    await gateway.settled();
    const row = await gateway.lastLog();
    expect(row.content).not.toMatch(/4711|finance/);
    expect((await gateway.trace(row.id)).attempts[0]?.error).toContain("4711");
  }
});

test("what a provider says about the request itself reaches the client word by word, without the key", async () => {
  for (const status of [400, 409, 413, 422]) {
    const model = `words-${status}`;
    await gateway.given.channel({
      type: 50,
      key: "upstream-key-4711",
      base_url: upstream.url,
      models: model,
    });
    upstream.answer = refuses(status, {
      message: "messages.1: too long for upstream-key-4711",
      code: "c",
    });
    const { status: shown, body } = await gateway.chat(key, { model });
    expect(body.error.message).toContain("messages.1: too long for [key]");
    // A body that is too large is a conversation that is: agents shorten it at this code.
    const code = status === 413 ? "context_length_exceeded" : "c";
    expect([shown, body.error.code]).toEqual([status, code]);
    if (status !== 413) expect(body.error.message).toMatch(/^messages\.1: /);
  }
});

test("a model that one provider lacks is asked of the next, unless the request names state of the provider", async () => {
  const [lacking, other] = ["lacking", "serving"];
  await gateway.given.channel({
    type: 1,
    key: lacking,
    base_url: upstream.url,
    models: "somewhere",
    priority: 9,
  });
  await gateway.given.channel({ type: 1, key: other, base_url: upstream.url, models: "somewhere" });
  upstream.answer = (response, request) => {
    if (request.headers.authorization === `Bearer ${other}`)
      whole({
        object: "response",
        id: "r",
        output: [],
        usage: { input_tokens: 6, output_tokens: 1 },
      })(response);
    else refuses(404, { message: "no resp_1 here", code: "model_not_found" })(response);
  };
  const ask = async (more: object) => {
    const response = await fetch(`${gateway.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "somewhere", input: question, ...more }),
    });
    return { status: response.status, text: await response.text() };
  };
  const named = await ask({ previous_response_id: "resp_1" });
  expect(named.status).toBe(404);
  expect(named.text).toContain("no resp_1 here");
  expect((await ask({})).status).toBe(200);
});
