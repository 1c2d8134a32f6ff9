// Marks for the prompt cache over a running gateway: on the channel whose operator wants them, on
// the way to Claude, and told in the row.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getDashboardInsight } from "@tollgate/contract/figures/dashboard.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";

const received: { cache_control?: unknown; system?: unknown; messages: { content: unknown }[] }[] =
  [];
const answer = {
  ...{
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5",
    stop_reason: "end_turn",
  },
  content: [{ type: "text", text: "Done" }],
  usage: {
    input_tokens: 10,
    output_tokens: 2,
    cache_read_input_tokens: 4_000,
    cache_creation_input_tokens: 100,
  },
};
const provider = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    received.push(JSON.parse(Buffer.concat(chunks).toString("utf8")));
    response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
  });
});
let gateway: TestGateway;
let key: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  const base_url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  gateway = await startTestGateway({ upstreams: [base_url] });
  const channel = { key: "k", type: 14, base_url, model_configs: "" };
  const models = "claude-sonnet-4-5";
  await gateway.given.channel({
    ...channel,
    models,
    group: "vip",
    config: '{"mark_prompt_cache":true}',
  });
  await gateway.given.channel({ ...channel, models });
  key = (await gateway.given.token()).key;
});
afterAll(async () => {
  await gateway.close();
  provider.close();
});

const system = "You are helpful. ".repeat(400);
const messages = [
  { role: "user", content: "One" },
  { role: "assistant", content: "Two" },
  { role: "user", content: "Three" },
];
const mark = { type: "ephemeral" };
const send = async (path: string, by: string, body: object) => {
  const headers = { authorization: `Bearer ${by}`, "content-type": "application/json" };
  const sent = { model: "claude-sonnet-4-5", max_tokens: 16, ...body };
  const response = await fetch(gateway.url + path, {
    method: "POST",
    headers,
    body: JSON.stringify(sent),
  });
  expect(response.status, await response.text()).toBe(200);
  return { sent, got: received.at(-1), row: await gateway.lastLog() };
};

test("a channel that wants marks sets them for clients of both formats, and the row says what they saved", async () => {
  const user = await gateway.given.user("marking", { quota: 1_000_000, group: "vip" });
  const { key: own } = await user.token();
  const direct = await send("/v1/messages", own, { system, messages });
  expect(direct.got).toMatchObject({
    system: [{ type: "text", text: system, cache_control: mark }],
    messages: [
      { content: [{ type: "text", text: "One", cache_control: mark }] },
      { content: "Two" },
      { content: [{ type: "text", text: "Three", cache_control: mark }] },
    ],
  });
  // 4,000 tokens read at $0.30 instead of $3, and 100 written at $3.75, for a million.
  expect(direct.row.content).toBe(
    "the gateway set 3 marks for the prompt cache, which saved $0.010724",
  );
  const translated = await send("/v1/chat/completions", own, {
    messages: [{ role: "system", content: system }, ...messages],
  });
  expect(JSON.stringify(translated.got).split('"cache_control"')).toHaveLength(4);

  const marked = [{ type: "text", text: system, cache_control: mark }];
  const asSent = await send("/v1/messages", own, { system: marked, messages });
  expect(asSent.got).toEqual(asSent.sent);
  expect(asSent.row.content).toBe("");
});

test("other channels send what the client wrote", async () => {
  const { sent, got, row } = await send("/v1/messages", key, { system, messages });
  expect(got).toEqual(sent);
  expect(row.content).toBe("");
});

test("a key wins over its channel, and the dashboard sums up what its marks saved", async () => {
  const user = await gateway.given.user("choosing", { quota: 1_000_000, group: "vip" });
  const { key: never } = await user.token({ prompt_marks: "off" });
  const spared = await send("/v1/messages", never, { system, messages });
  expect(spared.got).toEqual(spared.sent);

  const other = await gateway.given.user("wishing", { quota: 1_000_000 });
  const insight = async () => (await other.call(getDashboardInsight)).data.prompt_marks;
  expect(await insight()).toBeNull();
  const { key: always } = await other.token({ prompt_marks: "on" });
  for (const call of [1, 2]) {
    const marked = await send("/v1/messages", always, { system, messages });
    expect(JSON.stringify(marked.got), `call ${call}`).toContain('"cache_control"');
  }
  expect(await insight()).toEqual({ requests: 2, saved: 2 * 5_362 });
});
