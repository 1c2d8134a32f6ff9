// Refusals of the relay: the status, the body and the request id, for every error of a client.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readReply, type TestReply } from "../harness/api-session.ts";
import { eventually } from "../harness/eventually.ts";
import {
  chatBody,
  model,
  question,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";
import { libraryAddresses } from "../support/library-addresses.ts";

let gateway: TestGateway;
let key: string;
beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.given.channel({ key: "sim-ok", models: `${model},other-model` });
  key = (await gateway.given.token()).key;
});
afterAll(() => gateway.close());

const ask = async (path: string, init: RequestInit = {}) =>
  readReply(await fetch(gateway.url + path, init));
const withKey = (bearer: string, init: RequestInit = {}): RequestInit => ({
  ...init,
  headers: { authorization: `Bearer ${bearer}`, ...init.headers },
});

/** The id is in a header of its own and at the end of the message. */
function expectRequestId({ headers, body }: TestReply): void {
  const id = headers.get("x-oneapi-request-id") ?? "";
  expect(id).toMatch(/^\d{21}$/);
  expect(id.length).toBeLessThanOrEqual(31);
  expect(body.error.message).toMatch(new RegExp(`\\(request id: ${id}\\)$`));
}

/** Authentication, selection and rate limits name neither `param` nor `code`. */
function expectPlainRefusal(reply: TestReply, status: number): void {
  expect(reply.status).toBe(status);
  expect(Object.keys(reply.body.error).sort()).toEqual(["message", "type"]);
  expect(reply.body.error.type).toBe("one_api_error");
  expectRequestId(reply);
}

function expectRelayRefusal(reply: TestReply, status: number, code: unknown): void {
  expect(reply.status).toBe(status);
  expect(Object.keys(reply.body.error).sort()).toEqual(["code", "message", "param", "type"]);
  expect(reply.body.error.code).toBe(code);
  expect(reply.headers.get("content-type")).toMatch(/^application\/json/);
  expectRequestId(reply);
}

describe("401 and 403", () => {
  test.each([
    ["no key", {}],
    ["an empty key", { authorization: "Bearer " }],
    ["an unknown key", { authorization: "Bearer sk-unknownunknownunknown" }],
    ["an overlong key", { authorization: `Bearer ${"x".repeat(5_000)}` }],
    ["SQL for a key", { authorization: "Bearer ' or 1=1 --" }],
  ])("%s", async (_, headers: Record<string, string>) => {
    const init = { method: "POST", headers, body: JSON.stringify(chatBody()) };
    expectPlainRefusal(await ask("/v1/chat/completions", init), 401);
    expectPlainRefusal(await ask("/v1/models", { headers }), 401);
  });

  test("a token that is disabled, and works again when it is enabled", async () => {
    const token = await gateway.given.token();
    expect((await gateway.chat(token.key)).status).toBe(200);
    await gateway.api("PUT", "/api/token/?status_only=1", { id: token.id, status: 2 });
    expectPlainRefusal(await gateway.chat(token.key), 401);
    await gateway.api("PUT", "/api/token/?status_only=1", { id: token.id, status: 1 });
    expect((await gateway.chat(token.key)).status).toBe(200);
  });

  test("a token that was deleted", async () => {
    const token = await gateway.given.token();
    expect((await gateway.chat(token.key)).status).toBe(200);
    await gateway.api("DELETE", `/api/token/${token.id}`);
    expectPlainRefusal(await gateway.chat(token.key), 401);
  });

  test("a token that expires", async () => {
    const token = await gateway.given.token({ expired_time: Math.floor(Date.now() / 1000) + 2 });
    expect((await gateway.chat(token.key)).status).toBe(200);
    await eventually(async () => expectPlainRefusal(await gateway.chat(token.key), 401));
  });

  test("a token without quota, and one whose last unit is spent", async () => {
    const empty = await gateway.given.token({ unlimited_quota: false, remain_quota: 0 });
    const none = await gateway.chat(empty.key);
    expect([none.status, none.body.error.type]).toEqual([401, "one_api_error"]);
    expect(none.body.error.message).toMatch(
      /^The quota of the API key is used up: \$0\.00 is left/,
    );
    const small = await gateway.given.token({ unlimited_quota: false, remain_quota: 60 });
    expect((await gateway.chat(small.key, { max_tokens: 12 })).status).toBe(200);
    await gateway.settled();
    // 6 units are left: less than any call holds.
    const next = await gateway.chat(small.key, { max_tokens: 12 });
    expect([next.status, next.body.error.code]).toEqual([403, "pre_consume_token_quota_failed"]);
    // The id stands in the header alone: agents search the words for digits.
    expect(next.body.error.message).toMatch(
      / does not cover this call: it needs \$0\.000\d+, and \$0\.000012 is left$/,
    );
    expect(next.headers.get("x-should-retry")).toBe("false");
    // Twenty words of one letter: 23 prompt tokens and 12 of answer at 4 units, which is a little
    // more than their hold.
    const exact = await gateway.given.token({ unlimited_quota: false, remain_quota: 23 + 12 * 4 });
    const messages = [{ role: "user", content: Array(20).fill("a").join(" ") }];
    expect((await gateway.chat(exact.key, { max_tokens: 12, messages })).status).toBe(200);
    await gateway.settled();
    await eventually(async () => expect((await gateway.chat(exact.key)).status).toBe(401));
  });

  test("a token outside its addresses", { tags: ["F-14"] }, async () => {
    const away = await gateway.given.token({ subnet: "10.0.0.0/8,2001:db8::/32" });
    expectPlainRefusal(await gateway.chat(away.key), 403);
    const home = await gateway.given.token({ subnet: "10.0.0.0/8,127.0.0.0/8" });
    expect((await gateway.chat(home.key)).status).toBe(200);
    // No proxy is configured, so no forwarded header counts.
    const lying = await gateway.send(away.key, chatBody(), {
      headers: { "x-forwarded-for": "10.1.1.1" },
    });
    expect(lying.status).toBe(403);
    await lying.text();
  });

  test("a model that the token may not use, by its exact name", async () => {
    const token = await gateway.given.token({ models: "other-model" });
    expectPlainRefusal(await gateway.chat(token.key), 403);
    expectPlainRefusal(await gateway.chat(token.key, { model: "OTHER-MODEL" }), 403);
    expectPlainRefusal(await gateway.chat(token.key, { model: "other-model " }), 403);
    expect((await gateway.chat(token.key, { model: "other-model" })).status).toBe(200);
  });
});

describe("400", () => {
  const bad: [string, unknown, string?][] = [
    ["no JSON", "{"],
    ["an empty body", ""],
    ["a list", []],
    ["null", null],
    ["text", '"hello"'],
    ["no model", { messages: [{ role: "user", content: question }] }, "model"],
    ["an empty model", chatBody({ model: "" }), "model"],
    ["a number for a model", chatBody({ model: 7 }), "model"],
    ["no messages", { model }, "messages"],
    ["empty messages", chatBody({ messages: [] }), "messages"],
    ["text for messages", chatBody({ messages: "hi" }), "messages"],
    ["a message without a role", chatBody({ messages: [{ content: "x" }] }), "messages.0"],
    ["text for stream", chatBody({ stream: "yes" }), "stream"],
    ...[-1, 1.5, 2 ** 31, 2 ** 53, "1e3", true, [1]].flatMap(
      (value): [string, unknown, string][] => [
        [`max_tokens ${JSON.stringify(value)}`, chatBody({ max_tokens: value }), "max_tokens"],
        [
          `max_completion_tokens ${JSON.stringify(value)}`,
          chatBody({ max_completion_tokens: value }),
          "max_completion_tokens",
        ],
      ],
    ),
    ...[0, -1, 1.5, 2 ** 31, "2", true, [1]].map((value): [string, unknown, string] => [
      `n ${JSON.stringify(value)}`,
      chatBody({ n: value }),
      "n",
    ]),
  ];
  test.each(bad)("%s", async (_, body, param) => {
    const before = await gateway.settled();
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const reply = await readReply(await gateway.send(key, text));
    expectRelayRefusal(reply, 400, "invalid_text_request");
    expect(reply.body.error.type).toBe("invalid_request_error");
    if (param !== undefined) expect(reply.body.error.param).toContain(param);
    expect(await gateway.books()).toEqual(before);
  });

  test.each(["1e400", "-1e400", "NaN", "Infinity"])(
    "max_tokens %s",
    { tags: ["F-58"] },
    async (value) => {
      const text = JSON.stringify(chatBody()).replace("{", `{"max_tokens":${value},`);
      expectRelayRefusal(
        await readReply(await gateway.send(key, text)),
        400,
        "invalid_text_request",
      );
    },
  );

  test("a member that is there twice, because two readers may read two things", {
    tags: ["FT-25"],
  }, async () => {
    const text = JSON.stringify(chatBody()).replace("{", '{"model":"other-model",');
    expectRelayRefusal(await readReply(await gateway.send(key, text)), 400, "invalid_text_request");
  });
});

describe("the others", () => {
  test("404: what is not there, and what does not take this method", async () => {
    for (const [method, path] of [
      ["POST", "/v1/nothing"],
      ["GET", "/v1/chat/completions"],
      ["GET", "/v1"],
      ["DELETE", "/v1/chat/completions"],
    ] as const) {
      const reply = await ask(path, withKey(key, { method }));
      expect([method, path, reply.status]).toEqual([method, path, 404]);
      expect(reply.body.error).toMatchObject({
        type: "invalid_request_error",
        param: null,
        code: "unknown_path",
      });
      expectRequestId(reply);
    }
  });

  test.each([
    ["POST", "/v1/fine_tuning/jobs"],
    ["POST", "/v1/assistants"],
    ["POST", "/v1/threads/t/runs"],
    ["POST", "/v1/images/variations"],
    ["DELETE", "/v1/models/sim-model"],
    ["POST", "/v1/uploads"],
    ["POST", "/v1/videos/edits"],
    ["POST", "/v1/responses/resp_1/cancel"],
    ["GET", "/v1/chat/completions/chatcmpl-1"],
    ["GET", "/v1/organization/usage/completions"],
    ["POST", "/suno/submit/music"],
    ["POST", "/mj/submit/imagine"],
    ["GET", "/mj-fast/mj/task/1/fetch"],
    ["POST", "/v1/search/tavily"],
    ["GET", "/v1/memories"],
    ["GET", "/v1/providers"],
    ["GET", "/v1/usage"],
  ])("501: %s %s", async (method, path) => {
    const reply = await ask(path, withKey(key, { method }));
    expect(reply.status).toBe(501);
    expect(reply.body.error).toMatchObject({ type: "server_error", code: "api_not_implemented" });
    expectRequestId(reply);
  });

  test.each([
    ["POST", "/v1beta/batches/abc:cancel"],
    ["POST", "/v1beta/models/m:batchGenerateContent"],
  ])("501: %s %s, in Google's format", async (method, path) => {
    const reply = await ask(path, withKey(key, { method }));
    expect(reply.status).toBe(501);
    expect(reply.body.error).toMatchObject({
      code: 501,
      status: "UNIMPLEMENTED",
      message: expect.stringMatching(/: .+;?/),
    });
  });

  test("501: Anthropic's files, in its format and with the reason", async () => {
    const reply = await ask(
      "/v1/files",
      withKey(key, { headers: { "anthropic-version": "2023-06-01" } }),
    );
    expect(reply.status).toBe(501);
    const message = expect.stringMatching(/not offered by this gateway: .*at one provider/);
    expect(reply.body).toMatchObject({ type: "error", error: { type: "api_error", message } });
  });

  test("every address that the official libraries know is served, or says why it is not", async () => {
    const addresses = libraryAddresses();
    expect(addresses.length).toBeGreaterThan(100);
    for (const address of addresses) {
      const answers = [];
      for (const method of ["GET", "POST"])
        answers.push(await ask(address, withKey(key, { method })));
      expect(
        answers.some(
          ({ status, body }) => status !== 404 || !body.error.message.startsWith("There is no "),
        ),
        address,
      ).toBe(true);
      for (const { status, body } of answers)
        if (status === 501)
          expect(body.error.message, address).toContain(" is not offered by this gateway: ");
    }
  });

  test("404: no channel has the model", async () => {
    const reply = await gateway.chat(key, { model: "nobody-has-this" });
    expectRelayRefusal(reply, 404, "model_not_found");
    expect(reply.body.error.param).toBe("model");
    expect(reply.body.error.message).toContain("nobody-has-this");
  });

  test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
    "404: a model named %s",
    { tags: ["F-66"] },
    async (name) => {
      expectRelayRefusal(await gateway.chat(key, { model: name }), 404, "model_not_found");
    },
  );

  test("415: a compressed body", { tags: ["FT-23"] }, async () => {
    const body = process.getBuiltinModule("node:zlib").gzipSync(JSON.stringify(chatBody()));
    for (const encoding of ["gzip", "br", "zstd"]) {
      const init = withKey(key, {
        method: "POST",
        body,
        headers: { "content-encoding": encoding },
      });
      const reply = await ask("/v1/chat/completions", init);
      expect(reply.status).toBe(415);
      expectRequestId(reply);
    }
  });

  test.each([400, 404, 409, 422])(
    "an upstream's own refusal %i reaches the client with its message and is not retried",
    async (status) => {
      const name = `refusing-${status}`;
      await gateway.given.channel({ key: `refusing-${status}`, models: name, priority: 9 });
      const second = await gateway.given.channel({ key: `sim-as-second-${status}`, models: name });
      await gateway.simulator.script(`refusing-${status}`, {
        fail: { status, message: "that is not how", type: "invalid_request_error", code: "wrong" },
      });
      for (const stream of [false, true]) {
        const reply = stream
          ? await readReply(await gateway.send(key, chatBody({ model: name, stream })))
          : await gateway.chat(key, { model: name });
        expectRelayRefusal(reply, status, "wrong");
        expect(reply.body.error.message).toContain("that is not how");
      }
      const log = await gateway.lastLog();
      expect(log.channel_id).not.toBe(second.id);
      expect(log).toMatchObject({ outcome: "failed", quota: 0 });
    },
  );

  test.each([401, 403])(
    "an upstream that refuses the operator's key (%i) is not reported as an error of the client",
    { tags: ["FT-08"] },
    async (status) => {
      const name = `locked-${status}`;
      await gateway.given.channel({ key: `sim-fail-${status}`, models: name });
      const reply = await gateway.chat(key, { model: name });
      expect([502, 503]).toContain(reply.status);
      expect(reply.text).not.toMatch(/sim-|platform\.openai\.com/);
      expectRequestId(reply);
    },
  );

  test("GET /v1/models/{id} of an unknown model is an error object under 200", async () => {
    const reply = await ask("/v1/models/nobody", withKey(key));
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      error: {
        message: expect.any(String),
        type: "invalid_request_error",
        param: "model",
        code: "model_not_found",
      },
    });
  });

  test("every answer carries a request id, and browsers may call", async () => {
    const reply = await gateway.chat(key);
    expect(reply.headers.get("x-oneapi-request-id")).toMatch(/^\d{21}$/);
    expect(reply.headers.get("access-control-allow-origin")).toBe("*");
    const preflight = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "OPTIONS",
      headers: { origin: "https://example.org", "access-control-request-method": "POST" },
    });
    expect(preflight.status).toBe(204);
    const log = await gateway.lastLog();
    const rows = await gateway.api<{ request_id: string }[]>("GET", "/api/log/?type=2&size=1");
    expect(rows[0]?.request_id).toMatch(/^\d{21}$/);
    expect(log.origin_model_name).toBe(model);
  });
});
