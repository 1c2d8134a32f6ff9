import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { bodyOf, callOf, headersOf, settingsOf } from "@tollgate/tests/support/provider-adapter.ts";
import { translatedBody } from "@tollgate/tests/support/translate-request.ts";
import { describe, expect, test } from "vitest";
import { anthropicMessages, messagesCounter } from "../formats/anthropic-messages.ts";
import type { ClientFormat, RelayCall } from "../formats/api-format.ts";
import { gemini } from "../formats/gemini.ts";
import { findGeminiCounter } from "../formats/gemini-endpoints.ts";
import { embeddingsToVertex } from "../translations/embeddings-to-cloud.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import type { ProviderSettings } from "./provider.ts";
import { buildUpstreamRequest } from "./upstream-request.ts";
import { vertex } from "./vertex.ts";

// The requests are those of Google's references of Vertex AI
// (cloud.google.com/vertex-ai/generative-ai/docs: "Generate content", "Claude models: request
// predictions", "Text embeddings API") and of service accounts
// (developers.google.com/identity/protocols/oauth2/service-account), modelled.

const settings = settingsOf(42, "", { region: "europe-west1", vertex_ai_project_id: "my-project" });
const below =
  "https://europe-west1-aiplatform.googleapis.com/v1/projects/my-project/locations/europe-west1";
const { privateKey, publicKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});
const account: JsonRecord = {
  type: "service_account",
  project_id: "my-project",
  private_key_id: "kid|1",
  private_key: privateKey,
  client_email: "gateway@my-project.iam.gserviceaccount.com",
  client_id: "103584839216539",
  token_uri: "https://oauth2.googleapis.com/token",
};
const keyOf = (json: JsonRecord, region = "europe-west1") =>
  `${region}|my-project|${JSON.stringify(json, null, 2)}`;
const now = Date.UTC(2026, 10, 21, 12, 0, 0);

const urls = (model: string, more: Partial<ProviderSettings> = {}) =>
  Object.fromEntries(
    Object.entries(vertex.endpoints({ ...settings, ...more }, model)).map(([entry, url]) => [
      entry,
      String(url),
    ]),
  );

describe("the address of a model", () => {
  test.each([
    ["gemini-2.5-pro", "gemini", "/publishers/google/models"],
    [
      "claude-sonnet-4-5@20250929",
      "claude_messages",
      "/publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict",
    ],
    [
      "claude-sonnet-4-5-20250929",
      "claude_messages",
      "/publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict",
    ],
    [
      "claude-3-5-sonnet-20241022",
      "claude_messages",
      "/publishers/anthropic/models/claude-3-5-sonnet-v2@20241022:rawPredict",
    ],
    [
      "claude-opus-4-6",
      "claude_messages",
      "/publishers/anthropic/models/claude-opus-4-6:rawPredict",
    ],
    [
      "text-embedding-005",
      "vertex_embeddings",
      "/publishers/google/models/text-embedding-005:predict",
    ],
    [
      "gemini-embedding-001",
      "vertex_embeddings",
      "/publishers/google/models/gemini-embedding-001:predict",
    ],
    [
      "meta/llama-4-maverick-17b-128e-instruct-maas",
      "chat_completions",
      "/endpoints/openapi/chat/completions",
    ],
  ])("%s is by %s at %s", (model, entry, path) => {
    expect(urls(model)).toEqual({ [entry]: below + path });
  });

  test("follows the region, which may be all of them, or the channel's own address", () => {
    expect(
      urls("gemini-2.5-pro", { config: { region: "global", vertex_ai_project_id: "p" } }).gemini,
    ).toBe(
      "https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/google/models",
    );
    expect(urls("gemini-2.5-pro", { base: "https://psc.example" }).gemini).toBe(
      "https://psc.example/v1/projects/my-project/locations/europe-west1/publishers/google/models",
    );
  });

  test.each([
    {},
    { region: "europe-west1" },
    { vertex_ai_project_id: "p" },
    { region: "evil.example/", vertex_ai_project_id: "p" },
    { region: 7, vertex_ai_project_id: "p" },
  ])("is nowhere with %j", (config) => {
    expect(urls("gemini-2.5-pro", { config })).toEqual({});
  });
});

describe("signing in", () => {
  const request = (json: JsonRecord, base = "") =>
    vertex.tokenExchange?.request(keyOf(json), { ...settings, base }, now);

  test("names the account, signed with its key, for the token endpoint", () => {
    const asked = request(account);
    expect(String(asked?.url)).toBe("https://oauth2.googleapis.com/token");
    const form = new URLSearchParams(asked?.body.toString());
    expect(form.get("grant_type")).toBe("urn:ietf:params:oauth:grant-type:jwt-bearer");
    const [header = "", claims = "", signature = ""] = (form.get("assertion") ?? "").split(".");
    const part = (text: string) =>
      JSON.parse(Buffer.from(text, "base64url").toString()) as JsonRecord;
    expect(part(header)).toEqual({ alg: "RS256", typ: "JWT", kid: "kid|1" });
    expect(part(claims)).toEqual({
      iss: "gateway@my-project.iam.gserviceaccount.com",
      scope: "https://www.googleapis.com/auth/cloud-platform",
      aud: "https://oauth2.googleapis.com/token",
      iat: now / 1000,
      exp: now / 1000 + 3600,
    });
    const signedPart = Buffer.from(`${header}.${claims}`);
    expect(
      verify(
        "RSA-SHA256",
        signedPart,
        createPublicKey(publicKey),
        Buffer.from(signature, "base64url"),
      ),
    ).toBe(true);
  });

  test("reads the token and how long it lives", () => {
    const answer = { access_token: "ya29.c.b0", expires_in: 3599, token_type: "Bearer" };
    expect(vertex.tokenExchange?.read(answer, now)).toEqual({
      secret: "ya29.c.b0",
      livesMs: 3_599_000,
    });
    for (const odd of [
      {},
      { access_token: "x" },
      { access_token: "", expires_in: 1 },
      { access_token: 7, expires_in: 1 },
    ]) {
      expect(vertex.tokenExchange?.read(odd, now)).toBeUndefined();
    }
  });

  test.each([
    ["https://evil.example/token", ""],
    ["https://oauth2.googleapis.com.evil.example/token", ""],
    ["http://oauth2.googleapis.com/token", ""],
    ["https://oauth2.googleapis.com:8443/token", ""],
    ["https://other.example/token", "https://psc.example"],
    ["not an address", ""],
  ])("is never told to %s by a channel at %j", (token_uri, base) => {
    expect(() => request({ ...account, token_uri }, base)).toThrow("no address of Google");
  });

  test("goes to the channel's own address if the account names it", () => {
    const token_uri = "https://psc.example/token";
    expect(String(request({ ...account, token_uri }, "https://psc.example/vertex")?.url)).toBe(
      token_uri,
    );
    expect(String(request({ ...account, token_uri: undefined })?.url)).toBe(
      "https://oauth2.googleapis.com/token",
    );
  });

  test.each(["", "region|project|", "region|project|{}", 'r|p|{"client_email":"a"}', "nonsense"])(
    "refuses the key %j in words",
    (key) => {
      expect(() => vertex.tokenExchange?.request(key, settings, now)).toThrow(
        "JSON key of a service account",
      );
    },
  );

  test("refuses a private key that is none", () => {
    expect(() => request({ ...account, private_key: "-----BEGIN" })).toThrow("private key");
  });
});

const channel = {
  id: 1,
  provider: vertex,
  settings,
  urlsFor: (model: string) => vertex.endpoints(settings, model),
  systemPrompt: null,
  key: "k",
};
const sent = (format: ClientFormat, body: object, model: string, more: Partial<RelayCall> = {}) => {
  const call = callOf(
    {},
    { client: format, upstream: format.upstream, body: Buffer.from(JSON.stringify(body)), ...more },
  );
  return buildUpstreamRequest(
    call,
    channel as unknown as Parameters<typeof buildUpstreamRequest>[1],
    model,
    "ya29.c.b0",
    now,
  );
};
const claude = "claude-sonnet-4-5@20250929";
const messages = [{ role: "user", content: "hi" }];

describe("a request", () => {
  test("to Gemini is Gemini's own, with the token", async () => {
    const body = { contents: [{ role: "user", parts: [{ text: "hi" }] }] };
    const request = await sent(gemini, body, "gemini-2.5-pro");
    expect(String(request.url)).toBe(
      `${below}/publishers/google/models/gemini-2.5-pro:generateContent`,
    );
    expect(headersOf(request).authorization).toBe("Bearer ya29.c.b0");
    expect(bodyOf(request)).toEqual(body);
    expect(String((await sent(gemini, body, "gemini-2.5-pro", { isStream: true })).url)).toBe(
      `${below}/publishers/google/models/gemini-2.5-pro:streamGenerateContent?alt=sse`,
    );
  });

  test("to Claude has the version in its body, and the model in its address alone", async () => {
    const headers = [
      "anthropic-version",
      "2023-06-01",
      "anthropic-beta",
      "a-2025-01-01, b-2025-01-02,fast-mode-2026-02-01",
    ];
    const asked = { model: "claude-sonnet-4-5", max_tokens: 9, stream: true, messages };
    const request = await sent(anthropicMessages, asked, claude, { headers, isStream: true });
    expect(String(request.url)).toBe(
      `${below}/publishers/anthropic/models/${claude}:streamRawPredict`,
    );
    expect(bodyOf(request)).toEqual({
      anthropic_version: "vertex-2023-10-16",
      max_tokens: 9,
      stream: true,
      messages,
    });
    expect(headersOf(request)).toMatchObject({
      "anthropic-beta": "a-2025-01-01,b-2025-01-02",
      authorization: "Bearer ya29.c.b0",
    });
    expect(headersOf(request)).not.toHaveProperty("anthropic-version");
    expect(String((await sent(anthropicMessages, { messages }, claude)).url)).toBe(
      `${below}/publishers/anthropic/models/${claude}:rawPredict`,
    );
  });

  test("that counts for Claude goes to the one who counts, and names the model", async () => {
    const request = await sent(
      messagesCounter.format,
      { model: "mapped", messages },
      "claude-sonnet-4-5-20250929",
    );
    expect(String(request.url)).toBe(
      `${below}/publishers/anthropic/models/count-tokens:rawPredict`,
    );
    expect(bodyOf(request)).toEqual({
      anthropic_version: "vertex-2023-10-16",
      model: claude,
      messages,
    });
  });

  test("that counts for Gemini says the prompt alone", async () => {
    const counter = findGeminiCounter("/v1beta/models/gemini-2.5-pro:countTokens");
    if (!counter) throw new Error("the provider counts no tokens");
    const contents = [{ parts: [{ text: "hi" }] }];
    const address = `${below}/publishers/google/models/gemini-2.5-pro:countTokens`;
    const plain = await sent(counter.format, { contents }, "gemini-2.5-pro");
    expect([String(plain.url), bodyOf(plain)]).toEqual([address, { contents }]);
    const generateContentRequest = { model: "models/x", contents, tools: [], safetySettings: [] };
    const whole = await sent(counter.format, { generateContentRequest }, "gemini-2.5-pro");
    expect([String(whole.url), bodyOf(whole)]).toEqual([address, { contents, tools: [] }]);
  });
});

test("embeddings are asked for and answered in Vertex's words", () => {
  expect(
    translatedBody(
      embeddingsToVertex,
      { input: ["a", "b"], dimensions: 256 },
      "text-embedding-005",
    ),
  ).toEqual({
    instances: [{ content: "a" }, { content: "b" }],
    parameters: { outputDimensionality: 256 },
  });
  const prediction = (values: number[], token_count: number) => ({
    embeddings: { statistics: { truncated: false, token_count }, values },
  });
  const answer = {
    predictions: [prediction([0.5], 3), prediction([1], 4)],
    metadata: { billableCharacterCount: 9 },
  };
  expect(embeddingsToVertex.target.readReply(answer)).toMatchObject({
    usage: { usage: { input: 7 } },
    text: "",
  });
  expect(embeddingsToVertex.createReplyTranslator(callOf()).translateReply(answer)).toMatchObject({
    data: [
      { index: 0, embedding: [0.5] },
      { index: 1, embedding: [1] },
    ],
    usage: { prompt_tokens: 7, total_tokens: 7 },
  });
  expect(embeddingsToVertex.target.readReply({ error: {} })).toBeUndefined();
});
