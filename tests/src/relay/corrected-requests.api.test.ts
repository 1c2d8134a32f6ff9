// A provider that refuses one member by its name gets the request once more without it, and no more
// than once.
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { model, question, startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { startRecordingProvider } from "./recording-provider.ts";

let provider: Awaited<ReturnType<typeof startRecordingProvider>>;
let gateway: TestGateway;
let key: string;
/** Members that the provider refuses. */
let refused: string[] = [];

const answer = {
  id: "c",
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
};
const sentBodies = (): Record<string, unknown>[] =>
  provider.calls.map(({ body }) => JSON.parse(body.toString("utf8")));

beforeAll(async () => {
  provider = await startRecordingProvider();
  provider.answer = (response: ServerResponse) => {
    const sent = sentBodies().at(-1) ?? {};
    const name = refused.find((member) => member in sent);
    const error = {
      message: `Unsupported parameter: '${name}' is not supported here.`,
      type: "invalid_request_error",
    };
    response.writeHead(name ? 400 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(name ? { error } : answer));
  };
  gateway = await startTestGateway({ upstreams: [provider.url] });
  await gateway.given.channel({ key: "k", base_url: provider.url });
  ({ key } = await gateway.given.token());
});
beforeEach(() => {
  provider.calls.length = 0;
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});

test("the second try is charged once, told in the trace and in a header", async () => {
  refused = ["seed"];
  const { status, headers } = await gateway.chat(key, { seed: 7, temperature: 0.5 });
  expect([status, headers.get("x-tollgate-lost")]).toEqual([200, "seed"]);
  expect(sentBodies().map(({ seed, temperature }) => [seed, temperature])).toEqual([
    [7, 0.5],
    [undefined, 0.5],
  ]);
  const row = await gateway.lastLog();
  expect(row).toMatchObject({
    quota: 18,
    prompt_tokens: 10,
    completion_tokens: 2,
    outcome: "success",
  });
  const trace = await gateway.trace(row.id);
  expect(trace.attempts.map(({ status: one, outcome }) => [one, outcome])).toEqual([
    [400, "failed"],
    [200, "success"],
  ]);
  expect(trace.notes?.join()).toContain("refused seed");
  expect(await gateway.books()).toMatchObject({ held: 0, charged: 18 });
});

test("a second refusal is told to the client, and costs nothing", async () => {
  refused = ["seed", "user"];
  const { status, body } = await gateway.chat(key, { seed: 7, user: "u" });
  expect(status).toBe(400);
  expect(body.error.message).toContain("'user'");
  expect(provider.calls).toHaveLength(2);
  expect(await gateway.lastLog()).toMatchObject({ quota: 0, outcome: "failed" });
});

test("what two accounts have seen is left out at once", async () => {
  refused = ["logit_bias"];
  const other = await gateway.given.user("second", { quota: 1_000_000 });
  const keys = [key, key, (await other.token()).key];
  for (const one of keys)
    expect((await gateway.chat(one, { logit_bias: { 1: 1 } })).status).toBe(200);
  expect(provider.calls).toHaveLength(6);
  const { status, headers } = await gateway.chat(key, { logit_bias: { 1: 1 } });
  expect([status, headers.get("x-tollgate-lost"), provider.calls.length]).toEqual([
    200,
    "logit_bias",
    7,
  ]);
});

test("a client of another format learns it by its own name", async () => {
  refused = ["stop"];
  const reply = await fetch(`${gateway.url}/v1/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model,
      max_tokens: 9,
      messages: [{ role: "user", content: question }],
      stop_sequences: ["x"],
    }),
  });
  expect([reply.status, reply.headers.get("x-tollgate-lost")]).toEqual([200, "stop_sequences"]);
});
