// Guards: what a request may not contain is refused before anything is held or sent, in the shape
// of the client's API.
import type { ServerResponse } from "node:http";
import { logTypes } from "@tollgate/contract/figures/logs.ts";
import { updateOption } from "@tollgate/contract/site/options.ts";
import OpenAI from "openai";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { ApiSession } from "../harness/api-session.ts";
import { eventually } from "../harness/eventually.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { startRecordingProvider } from "./recording-provider.ts";

type RecordingServer = Awaited<ReturnType<typeof startRecordingProvider>>;

let gateway: TestGateway;
let root: ApiSession;
let provider: RecordingServer;
let hook: RecordingServer;
const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

const reply = (body: unknown) => (response: ServerResponse) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
};
const answered = reply({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "fine" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 },
});

beforeAll(async () => {
  provider = await startRecordingProvider();
  provider.answer = answered;
  hook = await startRecordingProvider();
  gateway = await startTestGateway({
    env: { API_RATE_LIMIT: "0", GUARD_PRIVATE_HOSTS: new URL(hook.url).host },
    upstreams: [provider.url],
  });
  root = await gateway.root();
  await gateway.given.channel({
    key: "k",
    models: "m,claude,gemini-pro",
    base_url: provider.url,
    group: "default,vip",
  });
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
  await hook.close();
});

const set = (key: string, value: string) => root.call(updateOption, { body: { key, value } });
const usual = {
  DenyLists: "[]",
  SecretNoteEnabled: "false",
  SecretRefusalEnabled: "false",
  GuardHookEnabled: "false",
  GuardHookOptionalEnabled: "false",
};
afterEach(async () => {
  for (const [key, value] of Object.entries(usual)) await set(key, value);
  provider.calls.length = 0;
  hook.calls.length = 0;
});

const hookOn = async (more: Record<string, string> = {}) => {
  const settings = {
    GuardHookAddress: `${hook.url}/guard`,
    GuardHookSecret: secret,
    ...more,
    GuardHookEnabled: "true",
  };
  for (const [key, value] of Object.entries(settings)) await set(key, value);
};

const post = async (key: string, path: string, body: unknown) => {
  const response = await fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return {
    status: response.status,
    headers: response.headers,
    // biome-ignore lint/suspicious/noExplicitAny: replies of every structure
    body: (await response.json()) as any,
  };
};
const chat = (key: string, content: string) =>
  post(key, "/v1/chat/completions", {
    model: "m",
    max_tokens: 9,
    messages: [{ role: "user", content }],
  });

const secretWord = "zephyr";
const denied = JSON.stringify([{ name: "product names", words: [secretWord] }]);

test("a deny list refuses a call in each dialect, costs nothing, and leaves a row without the text", async () => {
  await set("DenyLists", denied);
  const { key } = await gateway.given.token();
  const user = { role: "user", content: "hi" };
  const calls: [
    string,
    object,
    (body: { error: { code?: unknown; type?: unknown; status?: unknown } }) => unknown,
  ][] = [
    [
      "/v1/chat/completions",
      { model: "m", messages: [user, { role: "tool", tool_call_id: "c", content: "ZEPHYR" }] },
      ({ error }) => error.code,
    ],
    [
      "/v1/responses",
      { model: "m", instructions: "speak of zephyr", input: "hi" },
      ({ error }) => error.code,
    ],
    [
      "/v1/messages",
      { model: "claude", max_tokens: 9, system: "zephyr", messages: [user] },
      ({ error }) => error.type,
    ],
    [
      "/v1beta/models/gemini-pro:generateContent",
      { contents: [{ role: "user", parts: [{ text: "Zephyr?" }] }] },
      ({ error }) => error.status,
    ],
    ["/v1/embeddings", { model: "m", input: ["a", "zephyr"] }, ({ error }) => error.code],
    ["/v1/images/generations", { model: "m", prompt: "a zephyr" }, ({ error }) => error.code],
    [
      "/v1/messages/count_tokens",
      { model: "claude", messages: [{ role: "user", content: "zephyr" }] },
      ({ error }) => error.type,
    ],
  ];
  const replies = [];
  for (const [path, body, code] of calls) {
    const { status, headers, body: answer } = await post(key, path, body);
    replies.push([path, status, headers.get("x-should-retry"), code(answer)]);
    expect(JSON.stringify(answer)).toContain("product names");
  }
  expect(replies).toEqual([
    ["/v1/chat/completions", 400, "false", "content_refused"],
    ["/v1/responses", 400, "false", "content_refused"],
    ["/v1/messages", 400, "false", "invalid_request_error"],
    ["/v1beta/models/gemini-pro:generateContent", 400, "false", "INVALID_ARGUMENT"],
    ["/v1/embeddings", 400, "false", "content_refused"],
    ["/v1/images/generations", 400, "false", "content_refused"],
    ["/v1/messages/count_tokens", 400, "false", "invalid_request_error"],
  ]);
  expect(provider.calls).toEqual([]);
  expect(await gateway.books()).toMatchObject({ held: 0, charged: 0, reservations: 0, rows: 0 });
  const rows = await eventually(async () => {
    const found = await gateway.rows<{ content: string; outcome: string; quota: number }>(
      `select content, outcome, quota from logs where type = ${logTypes.refused}`,
    );
    // Counting tokens leaves none.
    if (found.length < calls.length - 1) throw new Error(`${found.length} rows`);
    return found;
  });
  expect(new Set(rows.map(({ outcome, quota }) => `${outcome} ${quota}`))).toEqual(
    new Set(["refused 0"]),
  );
  expect(rows.filter(({ content }) => content.toLowerCase().includes(secretWord))).toEqual([]);
});

test("a list of a group or a key refuses no other call", async () => {
  const [one, other] = [await gateway.given.token(), await gateway.given.token()];
  const vip = await gateway.given.user("important", { group: "vip", quota: 1_000_000 });
  const ofVip = await vip.token();
  await set(
    "DenyLists",
    JSON.stringify([{ name: "a", words: [secretWord], groups: ["vip"], keys: [one.id] }]),
  );
  const statuses = [];
  for (const { key } of [one, other, ofVip]) statuses.push((await chat(key, secretWord)).status);
  expect(statuses).toEqual([400, 200, 400]);
});

test("what a guard cannot read is refused, where a guard must read it", async () => {
  await set("DenyLists", denied);
  const { key } = await gateway.given.token();
  const ids = await post(key, "/v1/completions", { model: "m", prompt: [1, 2, 3] });
  expect([ids.status, ids.body.error.code]).toEqual([400, "content_refused"]);
  const form = new FormData();
  form.append("purpose", "user_data");
  form.append("file", new File([secretWord], "plans.txt"));
  const upload = await fetch(`${gateway.url}/v1/files`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: form,
  });
  expect([upload.status, await upload.text()]).toEqual([
    400,
    expect.stringContaining("content_refused"),
  ]);
  // Another key of the user may have stored its lines.
  const stored = {
    input_file_id: "file-1",
    endpoint: "/v1/chat/completions",
    completion_window: "24h",
  };
  const batch = await post(key, "/v1/batches", JSON.stringify(stored));
  expect([batch.status, batch.body.error.code]).toEqual([400, "content_refused"]);
  // A provider might read the first of two members, where JavaScript reads the last.
  const body = (content: string) =>
    `{"model":"m","max_tokens":9,"seed":9007199254740993,"messages":[{"role":"user",${content}}]}`;
  const twice = await post(
    key,
    "/v1/chat/completions",
    body(`"content":"${secretWord}","content":"hi"`),
  );
  expect([twice.status, twice.body.error.code]).toEqual([400, "invalid_text_request"]);
  expect((await post(key, "/v1/chat/completions", body('"content":"hi"'))).status).toBe(200);
  expect(provider.calls).toHaveLength(1);
  expect(String(provider.calls[0]?.body)).toContain("9007199254740993");
});

test("a credential is noted in the row, or refused", async () => {
  const { key } = await gateway.given.token();
  const words = `use AKIA${"QZ3JX7LM2NB5VTRW"} for it`;
  await set("SecretNoteEnabled", "true");
  expect((await chat(key, words)).status).toBe(200);
  const row = await gateway.lastLog();
  expect(row.content).toContain("the request holds what looks like an AWS access key");
  expect((await gateway.trace(row.id)).notes).toEqual([
    "the request holds what looks like an AWS access key",
  ]);
  await set("SecretRefusalEnabled", "true");
  const refused = await chat(key, words);
  expect([refused.status, refused.body.error.code]).toEqual([400, "content_refused"]);
  expect(refused.body.error.message).not.toContain("QZ3JX7LM2NB5VTRW");
  expect(provider.calls).toHaveLength(1);
});

test("the hook reads the texts, signed, and allows, denies or replaces them", async () => {
  await hookOn();
  const { key } = await gateway.given.token({ name: "of the app" });
  hook.answer = reply({ action: "allow" });
  expect((await chat(key, "Dear Ms Muster")).status).toBe(200);
  const [question] = hook.calls;
  const headers = new Headers(
    Object.entries(question?.headers ?? {}).map(([name, value]) => [name, String(value)]),
  );
  // OpenAI's library verifies by the same standard.
  await new OpenAI({ apiKey: "none" }).webhooks.verifySignature(
    String(question?.body),
    headers,
    secret,
  );
  const asked: unknown = JSON.parse(String(question?.body));
  expect(asked).toMatchObject({
    user: "root",
    group: "default",
    key: "of the app",
    model: "m",
    texts: ["Dear Ms Muster"],
  });

  hook.answer = reply({ action: "replace", texts: ["Dear [NAME]"] });
  expect((await chat(key, "Dear Ms Muster")).status).toBe(200);
  expect(String(provider.calls[1]?.body)).toContain("Dear [NAME]");
  expect(String(provider.calls[1]?.body)).not.toContain("Muster");
  expect((await gateway.lastLog()).content).toContain("the guard hook replaced texts");

  hook.answer = reply({ action: "deny", message: "no names,\nplease" });
  const refused = await chat(key, "Dear Ms Muster");
  expect([refused.status, refused.body.error.code]).toEqual([400, "content_refused"]);
  expect(refused.body.error.message).toMatch(/^no names, please/);
  expect(provider.calls).toHaveLength(2);
});

test("without a valid answer of the hook no call passes, unless the operator says so", async () => {
  await hookOn();
  const { key } = await gateway.given.token();
  const answers = [
    (response: ServerResponse) => response.writeHead(500).end(),
    (response: ServerResponse) =>
      response.writeHead(302, { location: `${hook.url}/elsewhere` }).end(),
    (response: ServerResponse) => response.destroy(),
    reply({ action: "replace", texts: [] }),
    reply({ action: "Allow" }),
  ];
  for (const answer of answers) {
    hook.answer = answer;
    const { status, body } = await chat(key, "hi");
    expect([status, body.error.code]).toEqual([503, "guard_unavailable"]);
  }
  // A private address that the operator does not name cannot be set.
  await expect(set("GuardHookAddress", "http://127.0.0.1:1/guard")).rejects.toThrow(
    "is a private address; to allow it, add 127.0.0.1:1 to GUARD_PRIVATE_HOSTS",
  );
  expect(provider.calls).toEqual([]);

  await set("GuardHookOptionalEnabled", "true");
  expect((await chat(key, "hi")).status).toBe(200);
  expect((await gateway.lastLog()).content).toContain("the guard hook did not answer");
});
