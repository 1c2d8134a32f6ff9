// Providers with protocols of their own, for clients that speak chat completions alone. The
// upstream checks what each of them would check: signatures, access tokens, keys.
import { createHash, createHmac, generateKeyPairSync } from "node:crypto";
import type { IncomingMessage } from "node:http";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  promptEstimate,
  question,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";
import {
  baiduAnswer,
  baiduExpired,
  baiduRefused,
  baiduStream,
  baiduToken,
  baiduVectors,
} from "../support/baidu-fixture.ts";
import {
  cozeFailedStream,
  cozeStream,
  cozeToken,
  cozeUnauthorized,
} from "../support/coze-fixture.ts";
import {
  replicateAnswer,
  replicateFailed,
  replicateStarting,
  replicateUnauthorized,
} from "../support/replicate-fixture.ts";
import {
  tencentAnswer,
  tencentFailed,
  tencentStream,
  tencentVectors,
} from "../support/tencent-fixture.ts";
import { type CannedProvider, startCannedProvider } from "./canned-provider.ts";

const ids = { baidu: 15, aiProxy: 21, tencent: 23, coze: 34, deepl: 38, replicate: 46 };
const secrets = {
  baidu: "the-secret-of-baidu",
  tencent: "the-secret-of-tencent",
  coze: "pat_the-secret-of-coze",
  replicate: "r8_the-secret-of-replicate",
  deepl: "the-secret-of-deepl:fx",
  aiProxy: "the-secret-of-ai-proxy",
};
const cozeApp = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});
/** `failingPrompt` is what the upstream is to refuse. */
const failingPrompt = "make trouble";

let gateway: TestGateway;
let upstream: CannedProvider;
let openai: OpenAI;
let key: string;
/** Access tokens that Baidu gave so far; the last is valid. */
let baiduTokens: string[] = [];
/** Ways to its own address that a prediction was followed. */
let polls = 0;

interface ProtocolReply {
  status: number;
  type: string;
  body: string;
}

const json = (body: unknown, status = 200): ProtocolReply => ({
  status,
  type: "application/json",
  body: JSON.stringify(body),
});
const events = (body: string): ProtocolReply => ({ status: 200, type: "text/event-stream", body });

interface ProtocolRequest {
  request: IncomingMessage;
  url: URL;
  body: string;
  authorization: string;
}

function beBaidu({ url, body }: ProtocolRequest): ProtocolReply {
  if (url.pathname === "/oauth/2.0/token") {
    const isKnown =
      url.searchParams.get("client_id") === "the-id" &&
      url.searchParams.get("client_secret") === secrets.baidu;
    if (!isKnown)
      return json({ error: "invalid_client", error_description: "unknown client id" }, 401);
    baiduTokens.push(`24.access-token-${baiduTokens.length}`);
    return json({ ...baiduToken, access_token: baiduTokens.at(-1) });
  }
  if (url.searchParams.get("access_token") !== baiduTokens.at(-1)) return json(baiduExpired);
  if (url.pathname.endsWith("/embeddings/embedding-v1")) return json(baiduVectors);
  if (body.includes(failingPrompt)) return json(baiduRefused);
  if (JSON.parse(body).stream) return events(baiduStream);
  return json(baiduAnswer);
}

/** The signature, worked out anew from what arrived. */
function isSigned({ request, body, authorization }: ProtocolRequest): boolean {
  const { host, "content-type": type, "x-tc-timestamp": at } = request.headers;
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  const hmac = (key: Buffer | string, text: string) =>
    createHmac("sha256", key).update(text).digest();
  const date = new Date(Number(at) * 1000).toISOString().slice(0, 10);
  const canonical = `POST\n/\n\ncontent-type:${type}\nhost:${host}\n\ncontent-type;host\n${hash(body)}`;
  const stated = `TC3-HMAC-SHA256\n${at}\n${date}/hunyuan/tc3_request\n${hash(canonical)}`;
  const key = hmac(hmac(hmac(`TC3${secrets.tencent}`, date), "hunyuan"), "tc3_request");
  return authorization.endsWith(`Signature=${hmac(key, stated).toString("hex")}`);
}

function beTencent(asked: ProtocolRequest): ProtocolReply {
  const { request, body } = asked;
  if (!isSigned(asked))
    return json(tencentFailed("AuthFailure.SignatureFailure", "The signature is wrong"));
  if (request.headers["x-tc-action"] === "GetEmbedding") return json(tencentVectors);
  if (body.includes(failingPrompt))
    return json(tencentFailed("InvalidParameterValue.Model", "There is no such model"));
  if (JSON.parse(body).Stream) return events(tencentStream);
  return json(tencentAnswer);
}

function beCoze({ url, body, authorization }: ProtocolRequest): ProtocolReply {
  const isApp = authorization.startsWith("Bearer eyJ");
  if (url.pathname === "/api/permission/oauth2/token") {
    const expires_in = Math.floor(Date.now() / 1000) + 3600;
    return isApp ? json({ ...cozeToken, expires_in }) : json({ error_code: "access_deny" }, 401);
  }
  const known = [`Bearer ${secrets.coze}`, `Bearer ${cozeToken.access_token}`];
  if (!known.includes(authorization)) return json(cozeUnauthorized);
  return events(body.includes(failingPrompt) ? cozeFailedStream : cozeStream);
}

function beReplicate({ request, body, authorization }: ProtocolRequest): ProtocolReply {
  if (authorization !== `Bearer ${secrets.replicate}`) return json(replicateUnauthorized, 401);
  if (request.method === "POST") {
    return json(
      body.includes(failingPrompt)
        ? replicateFailed(upstream.url)
        : replicateStarting(upstream.url),
      201,
    );
  }
  polls += 1;
  return json(polls % 2 === 0 ? replicateAnswer(upstream.url) : replicateStarting(upstream.url));
}

function beDeepl({ body, authorization }: ProtocolRequest): ProtocolReply {
  if (authorization !== `DeepL-Auth-Key ${secrets.deepl}`)
    return json({ message: "Forbidden" }, 403);
  if (body.includes(failingPrompt))
    return json({ message: "Value for 'target_lang' not supported." }, 400);
  return json({ translations: [{ detected_source_language: "EN", text: "eins, zwei drei" }] });
}

function beAiProxy({ body, authorization }: ProtocolRequest): ProtocolReply {
  const isKnown = authorization === `Bearer ${secrets.aiProxy}` && !body.includes(failingPrompt);
  if (!isKnown)
    return json({ success: false, errorCode: 100, message: "There is no such library" });
  return json({ success: true, errorCode: 0, answer: "As the library has it.", documents: [] });
}

const players: readonly (readonly [RegExp, (asked: ProtocolRequest) => ProtocolReply])[] = [
  [/^\/(?:oauth|rpc)\//, beBaidu],
  [/^\/(?:v3\/chat|api\/permission\/oauth2\/token)$/, beCoze],
  [/^\/v1\/(?:models|predictions)\//, beReplicate],
  [/^\/v2\/translate$/, beDeepl],
  [/^\/api\/library\/ask$/, beAiProxy],
  [/^\/$/, beTencent],
];

beforeAll(async () => {
  upstream = await startCannedProvider();
  upstream.answer = (response, request, body) => {
    const url = new URL(request.url ?? "", upstream.url);
    const play = players.find(([path]) => path.test(url.pathname))?.[1];
    if (!play) throw new Error(`no provider is at ${url.pathname}`);
    const played = play({ request, url, body, authorization: request.headers.authorization ?? "" });
    response.writeHead(played.status, { "content-type": played.type });
    response.end(played.body);
  };
  gateway = await startTestGateway({ upstreams: [upstream.url] });
  const channel = (
    type: number,
    key: string,
    models: string,
    config: object = {},
    base_url = upstream.url,
  ) => gateway.given.channel({ type, key, models, base_url, config: JSON.stringify(config) });
  await channel(ids.baidu, `the-id|${secrets.baidu}`, "ERNIE-4.0-8K,Embedding-V1");
  await channel(ids.baidu, "the-id|wrong", "ernie-wrong");
  await channel(
    ids.tencent,
    `1250000000|an-id|${secrets.tencent}`,
    "hunyuan-turbo,hunyuan-embedding",
  );
  await channel(ids.tencent, "1250000000|an-id|wrong", "hunyuan-wrong");
  await channel(ids.tencent, "no parts", "hunyuan-misread");
  await channel(ids.coze, secrets.coze, "bot-1", {
    auth_type: "personal_access_token",
    user_id: "the-operator",
  });
  await channel(ids.coze, "pat_wrong", "bot-wrong");
  const app = {
    client_type: "jwt",
    client_id: "1",
    public_key_id: "k",
    private_key: cozeApp.privateKey,
    coze_www_base: upstream.url,
    coze_api_base: upstream.url,
  };
  await channel(ids.coze, JSON.stringify(app), "bot-2", { auth_type: "oauth_jwt" });
  await channel(ids.replicate, secrets.replicate, "meta/llama", {}, `${upstream.url}/v1/models/`);
  await channel(ids.replicate, "wrong", "meta/wrong", {}, `${upstream.url}/v1/models/`);
  await channel(ids.deepl, secrets.deepl, "deepl-de");
  await channel(ids.deepl, "wrong:fx", "deepl-fr");
  await channel(ids.aiProxy, secrets.aiProxy, "library", { library_id: "7" });
  await channel(ids.aiProxy, secrets.aiProxy, "no-library");
  key = (await gateway.given.token()).key;
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key, maxRetries: 0 });
});
afterAll(async () => {
  expect(await gateway.audit()).toBe("The books agree.");
  await gateway.close();
  await upstream.close();
});

const messages = [{ role: "user" as const, content: question }];
const troubled = [{ role: "user" as const, content: failingPrompt }];

describe.each([
  {
    model: "ERNIE-4.0-8K",
    whole: ["您好，我是文心一言。", 7, 9],
    streamed: ["当然可以，以下是北京。", 5, 6],
  },
  { model: "hunyuan-turbo", whole: ["你好，我是混元。", 4, 8], streamed: ["你好，世界", 4, 4] },
  { model: "bot-1", whole: ["星期六是晴天。", 6114, 19], streamed: ["星期六是晴天。", 6114, 19] },
  { model: "bot-2", whole: ["星期六是晴天。", 6114, 19], streamed: ["星期六是晴天。", 6114, 19] },
  { model: "meta/llama", whole: ["Hello there!", 12, 3], streamed: ["Hello there!", 12, 3] },
  {
    model: "deepl-de",
    whole: ["eins, zwei drei", promptEstimate, 4],
    streamed: ["eins, zwei drei", promptEstimate, 4],
  },
  {
    model: "library",
    whole: ["As the library has it.", promptEstimate, 6],
    streamed: ["As the library has it.", promptEstimate, 6],
  },
] as const)("a chat with $model", ({ model, whole, streamed }) => {
  test("is answered whole, counted and charged", async () => {
    const [content, prompt_tokens, completion_tokens] = whole;
    const answer = await openai.chat.completions.create({ model, messages });
    expect(answer).toMatchObject({
      object: "chat.completion",
      model,
      choices: [{ message: { role: "assistant", content }, finish_reason: "stop" }],
      usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
    });
    const quota = prompt_tokens + 4 * completion_tokens;
    expect(await gateway.lastLog()).toMatchObject({
      quota,
      prompt_tokens,
      completion_tokens,
      outcome: "success",
    });
  });

  test("streams, counted and charged, and its trace names the channel", async () => {
    const [content, prompt_tokens, completion_tokens] = streamed;
    const asked = {
      model,
      messages,
      stream: true as const,
      stream_options: { include_usage: true },
    };
    const answer = await openai.chat.completions.stream(asked).finalChatCompletion();
    expect(answer).toMatchObject({
      choices: [{ message: { content }, finish_reason: "stop" }],
      usage: { prompt_tokens, completion_tokens },
    });
    const log = await gateway.lastLog();
    const quota = prompt_tokens + 4 * completion_tokens;
    expect(log).toMatchObject({
      quota,
      prompt_tokens,
      completion_tokens,
      outcome: "success",
      is_stream: 1,
    });
    const { attempts, timestamps } = await gateway.trace(log.id);
    expect(attempts).toMatchObject([{ outcome: "success", error: null }]);
    expect(timestamps.upstream_completed).toBeGreaterThan(0);
  });
});

test("Anthropic's interface reaches them, too", async () => {
  const response = await fetch(`${gateway.url}/v1/messages`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-api-key": key,
      "anthropic-version": "2023-06-01",
    },
    body: JSON.stringify({ model: "hunyuan-turbo", max_tokens: 50, messages }),
  });
  expect(await response.json()).toMatchObject({
    content: [{ type: "text", text: "你好，我是混元。" }],
    usage: { input_tokens: 4 },
  });
});

test.each([
  ["Embedding-V1", 12, [0.018314, 0.25]],
  ["hunyuan-embedding", 6, [0.25, -0.5]],
] as const)("embeddings of %s are listed and charged", async (model, prompt_tokens, first) => {
  const { data, usage } = await openai.embeddings.create({ model, input: ["one", "two"] });
  expect(usage).toEqual({ prompt_tokens, total_tokens: prompt_tokens });
  expect(data).toHaveLength(2);
  expect(data[0]?.embedding.map((one) => Number(one.toFixed(6)))).toEqual(first);
  expect(await gateway.lastLog()).toMatchObject({ quota: prompt_tokens });
});

test("pictures of a model on Replicate are waited for, listed and charged one by one", async () => {
  const configs = { "meta/draws": { image: { price_per_image_usd: 0.01 } } };
  const more = { base_url: `${upstream.url}/v1/models/`, model_configs: JSON.stringify(configs) };
  await gateway.given.channel({
    type: ids.replicate,
    key: secrets.replicate,
    models: "meta/draws",
    ...more,
  });
  const { data } = await openai.images.generate({ model: "meta/draws", prompt: "a cat", n: 3 });
  expect(data?.map(({ url }) => url)).toEqual(["Hello", " there", "!"]);
  expect(await gateway.lastLog()).toMatchObject({ quota: 3 * 5_000, outcome: "success" });
});

test("an access token is requested once, and again when the provider has revoked it", async () => {
  const before = baiduTokens.length;
  await openai.chat.completions.create({ model: "ERNIE-4.0-8K", messages });
  expect(baiduTokens).toHaveLength(before);
  baiduTokens = [...baiduTokens, "24.another"];
  await expect(
    openai.chat.completions.create({ model: "ERNIE-4.0-8K", messages }),
  ).rejects.toMatchObject({
    status: 502,
    code: "upstream_credentials",
  });
  expect(await openai.chat.completions.create({ model: "ERNIE-4.0-8K", messages })).toMatchObject({
    model: "ERNIE-4.0-8K",
  });
});

describe("what goes wrong", () => {
  test.each([
    ["ERNIE-4.0-8K", 400, "the length of messages must be an odd number"],
    ["hunyuan-turbo", 400, "There is no such model"],
    ["bot-1", 500, "event interval error"],
    ["meta/llama", 500, "CUDA out of memory"],
    ["deepl-de", 400, "Value for 'target_lang' not supported."],
    ["library", 502, "There is no such library"],
  ])(
    "at %s is reported with status %i, whole and streamed, and costs nothing",
    async (model, status, message) => {
      // A failure of the provider concerns its operator, who reads its words in the trace.
      const errorBody = {
        message: expect.stringContaining(status >= 500 ? "The provider failed" : message),
      };
      await expect(
        openai.chat.completions.create({ model, messages: troubled }),
      ).rejects.toMatchObject({
        status,
        ...errorBody,
      });
      const stream = openai.chat.completions.create({ model, messages: troubled, stream: true });
      await expect(stream).rejects.toMatchObject({
        status: model === "bot-1" ? 502 : status,
        ...errorBody,
      });
      const log = await gateway.lastLog();
      expect(log).toMatchObject({ quota: 0, outcome: "failed" });
      expect((await gateway.trace(log.id)).attempts[0]?.error).toContain(message);
    },
  );

  test.each(["ernie-wrong", "hunyuan-wrong", "bot-wrong", "meta/wrong", "deepl-fr"])(
    "with the key of %s is an error for the operator to fix",
    async (model) => {
      await expect(openai.chat.completions.create({ model, messages })).rejects.toMatchObject({
        status: 502,
        code: "upstream_credentials",
      });
    },
  );

  test("with a key of another format is recorded in the trace", async () => {
    await expect(
      openai.chat.completions.create({ model: "hunyuan-misread", messages }),
    ).rejects.toMatchObject({
      status: 502,
    });
    const [attempt] = (await gateway.trace((await gateway.lastLog()).id)).attempts;
    expect(attempt?.error).toContain("AppId|SecretId|SecretKey");
  });

  test("without a library is refused before a channel is called", async () => {
    await expect(
      openai.chat.completions.create({ model: "no-library", messages }),
    ).rejects.toMatchObject({
      status: 400,
    });
  });
});

test("the test of a channel reports its result, also where errors come with status 200", async () => {
  const asked = async (model: string) => {
    const [row] = await gateway.rows<{ id: number }>(
      `select id from channels where models like '%${model}%'`,
    );
    return await gateway.api("POST", `/api/channel/test/${row?.id}?model=${model}`);
  };
  for (const model of ["hunyuan-turbo", "bot-1", "ERNIE-4.0-8K"])
    expect(await asked(model)).toBeNull();
  await expect(asked("hunyuan-wrong")).rejects.toThrow("The signature is wrong");
});

test("no secret and no access token is in a trace, a log row or the program's own log", async () => {
  await gateway.settled();
  const written = [
    ...(await gateway.rows<object>("select * from traces")),
    ...(await gateway.rows<object>("select * from logs")),
  ].map((row) => JSON.stringify(row));
  expect(written.length).toBeGreaterThan(20);
  const everything = [...written, gateway.process.output()].join("\n");
  expect(everything).toContain("hunyuan-turbo");
  const kept = [
    ...Object.values(secrets),
    ...baiduTokens,
    String(cozeToken.access_token),
    "BEGIN PRIVATE KEY",
    "eyJ",
  ];
  for (const secret of kept) expect(everything).not.toContain(secret);
});
