// The fields that a translation drops from a request are listed in a header of the answer.
import { afterAll, beforeAll, expect, test } from "vitest";
import { question, startTestGateway, type TestGateway } from "../harness/test-gateway.ts";

const anthropicType = 14;
const compatibleType = 50;

let gateway: TestGateway;
let key: string;
beforeAll(async () => {
  gateway = await startTestGateway();
  const claude = (key: string, models: string, priority = 0) =>
    gateway.given.channel({
      type: anthropicType,
      key: `sim-as-${models}+${key}`,
      models,
      priority,
    });
  const gpt = (key: string, models: string, priority = 0) =>
    gateway.given.channel({
      type: compatibleType,
      key: `sim-as-${models}+${key}`,
      models,
      priority,
    });
  await claude("ok", "claude");
  await claude("fail-400", "claude-refuses");
  await gpt("ok", "gpt");
  await claude("fail-503", "claude-then-gpt", 5);
  await gpt("ok", "claude-then-gpt");
  await gpt("fail-503", "gpt-then-claude", 5);
  await claude("ok", "gpt-then-claude");
  await gpt("cut-0", "gpt-empty-then-claude", 5);
  await claude("ok", "gpt-empty-then-claude");
  ({ key } = await gateway.given.token());
});
afterAll(async () => {
  await gateway.close();
});

const chat = {
  messages: [{ role: "user", content: question, name: "ann" }],
  seed: 1,
  logit_bias: { 1: 2 },
};
const messages = { messages: [{ role: "user", content: question }], max_tokens: 100, top_k: 4 };
const post = (path: string, body: object): Promise<Response> =>
  fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const lostOfChat = "logit_bias, messages.name, seed";

test.each([
  ["/v1/chat/completions", { model: "claude", ...chat }, lostOfChat],
  [
    "/v1/chat/completions",
    { model: "claude", messages: messages.messages, temperature: 0.5 },
    null,
  ],
  ["/v1/chat/completions", { model: "gpt", ...chat }, null],
  ["/v1/chat/completions", { model: "claude-then-gpt", ...chat }, null],
  ["/v1/chat/completions", { model: "gpt-then-claude", ...chat }, lostOfChat],
  ["/v1/messages", { model: "gpt", ...messages }, "top_k"],
  ["/v1/messages", { model: "claude", ...messages }, null],
  [
    "/v1/responses",
    { model: "gpt", input: question, prompt_cache_key: "k", service_tier: "flex" },
    "prompt_cache_key, service_tier",
  ],
  [
    "/v1/responses",
    { model: "claude", input: question, reasoning: { effort: "low" }, temperature: 0.5 },
    "temperature",
  ],
])("%s with %j loses %j, streamed and not", async (path, body, lost) => {
  for (const stream of [false, true]) {
    const reply = await post(path, { ...body, stream });
    await reply.text();
    expect([stream, reply.status, reply.headers.get("x-tollgate-lost")]).toEqual([
      stream,
      200,
      lost,
    ]);
    expect(reply.headers.get("access-control-expose-headers")).toContain("x-tollgate-lost");
  }
});

test("a stream that another channel takes over loses what that one loses", async () => {
  const reply = await post("/v1/chat/completions", {
    model: "gpt-empty-then-claude",
    ...chat,
    stream: true,
  });
  expect(await reply.text()).toContain("[DONE]");
  expect(reply.headers.get("x-tollgate-lost")).toBe(lostOfChat);
});

test("a refusal loses nothing", async () => {
  const reply = await post("/v1/chat/completions", { model: "claude-refuses", ...chat });
  expect([reply.status, reply.headers.get("x-tollgate-lost")]).toEqual([400, null]);
});

test("the header has a length limit, however many fields are dropped", async () => {
  const odd = Object.fromEntries(
    Array.from({ length: 500 }, (_, index) => [`a_member_of_some_length_${index}`, 1]),
  );
  const reply = await post("/v1/chat/completions", { model: "claude", ...chat, ...odd });
  const header = reply.headers.get("x-tollgate-lost") ?? "";
  expect(header.length).toBeLessThan(1_100);
  expect(header).toMatch(/^(a_member_of_some_length_\d+, )+\.\.\.$/);
});
