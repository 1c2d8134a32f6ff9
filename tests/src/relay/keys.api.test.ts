// Every way to carry a key, and what a key may see and choose.
import { scopes } from "@tollgate/contract/accounts/scopes.ts";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readReply } from "../harness/api-session.ts";
import { chatBody, model, startTestGateway, type TestGateway } from "../harness/test-gateway.ts";

let gateway: TestGateway;
let key: string;
let first: { id: number; uuid?: string };
let second: { id: number; uuid?: string };
beforeAll(async () => {
  gateway = await startTestGateway();
  first = await gateway.given.channel({
    key: "sim-as-first",
    priority: 5,
    models: `${model},only-first`,
  });
  second = await gateway.given.channel({
    key: "sim-as-second",
    models: `${model},hidden-model`,
    hidden_models: '["hidden-model"]',
  });
  key = (await gateway.given.token()).key;
});
afterAll(() => gateway.close());

const callWith = async (headers: Record<string, string>) =>
  readReply(
    await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers,
      body: JSON.stringify(chatBody()),
    }),
  );
const bare = () => key.replace(/^sk-/, "");

test("new keys begin with sk-", () => expect(key).toMatch(/^sk-[A-Za-z0-9]{48}$/));

const carriers: [name: string, headers: () => Record<string, string>][] = [
  ["Bearer sk-", () => ({ authorization: `Bearer ${key}` })],
  ["bearer in small letters", () => ({ authorization: `bearer ${key}` })],
  ["without Bearer", () => ({ authorization: key })],
  ["without any prefix", () => ({ authorization: bare() })],
  ["Bearer sk-sk-", () => ({ authorization: `Bearer sk-${key}` })],
  ["Bearer laisky-", () => ({ authorization: `Bearer laisky-${bare()}` })],
  ["x-api-key", () => ({ "x-api-key": key })],
  ["api-key", () => ({ "api-key": key })],
  ["x-goog-api-key", () => ({ "x-goog-api-key": key })],
];

test.each(carriers)("a key is accepted: %s", async (_, headers) => {
  expect((await callWith(headers())).status).toBe(200);
  const models = await fetch(`${gateway.url}/v1/models`, { headers: headers() });
  expect(models.status).toBe(200);
  await models.text();
});

test("a management key calls no model, however it is carried", async () => {
  const body = { name: "every scope", scopes: [...scopes], lifetime_days: 1 };
  const made = await gateway.api<{ key: string }>("POST", "/api/management_key/", body);
  for (const headers of [
    { authorization: `Bearer ${made.key}` },
    { authorization: made.key },
    ...["x-api-key", "api-key", "x-goog-api-key"].map((name) => ({ [name]: made.key })),
  ]) {
    expect((await callWith(headers)).status, JSON.stringify(Object.keys(headers))).toBe(401);
    expect((await fetch(`${gateway.url}/v1/models`, { headers })).status).toBe(401);
  }
});

test("the first carrier wins: a wrong Authorization is not saved by a right x-api-key", async () => {
  expect((await callWith({ authorization: "Bearer sk-wrong", "x-api-key": key })).status).toBe(401);
});

test("a key in the address is no key here", async () => {
  const response = await fetch(`${gateway.url}/v1/chat/completions?key=${key}`, {
    method: "POST",
    body: JSON.stringify(chatBody()),
  });
  expect(response.status).toBe(401);
  await response.text();
});

test("secrets in the address do not reach the trace", async () => {
  const response = await fetch(
    `${gateway.url}/v1/chat/completions?api_key=topsecret&x=1&token=alsosecret`,
    {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify(chatBody()),
    },
  );
  expect(response.status).toBe(200);
  await response.text();
  await gateway.settled();
  const { url } = await gateway.trace((await gateway.lastLog()).id);
  expect(url).toContain("x=1");
  expect(url).not.toContain("secret");
});

describe("an administrator's pin", () => {
  const uuidOf = async (id: number) =>
    (await gateway.api<{ uuid: string }>("GET", `/api/channel/${id}`)).uuid;
  const servedBy = async () => {
    await gateway.settled();
    return (await gateway.lastLog()).channel_id;
  };

  test("chooses a channel by id and by uuid, whatever its priority", async () => {
    expect((await gateway.chat(key)).status).toBe(200);
    expect(await servedBy()).toBe(first.id);
    expect((await gateway.chat(`${key}-${second.id}`)).status).toBe(200);
    expect(await servedBy()).toBe(second.id);
    expect((await gateway.chat(`${key}-${await uuidOf(second.id)}`)).status).toBe(200);
    expect(await servedBy()).toBe(second.id);
  });

  test("reaches a hidden model, which no other key does", async () => {
    expect((await gateway.chat(key, { model: "hidden-model" })).status).toBe(404);
    expect((await gateway.chat(`${key}-${second.id}`, { model: "hidden-model" })).status).toBe(200);
  });

  test("on a channel that does not exist is 400, on one without the model 400, on a disabled one 403", async () => {
    expect((await gateway.chat(`${key}-999999`)).status).toBe(400);
    expect((await gateway.chat(`${key}-01940000-0000-7000-8000-000000000001`)).status).toBe(400);
    expect((await gateway.chat(`${key}-${second.id}`, { model: "only-first" })).status).toBe(400);
    const third = await gateway.given.channel({ key: "sim-as-third", status: 2 });
    expect((await gateway.chat(`${key}-${third.id}`)).status).toBe(403);
  });

  test("means no other channel: a failure is not tried elsewhere", async () => {
    const broken = await gateway.given.channel({ key: "sim-fail-500+as-pinned", priority: -5 });
    expect((await gateway.chat(`${key}-${broken.id}`)).status).toBe(500);
    await gateway.settled();
    expect((await gateway.trace((await gateway.lastLog()).id)).attempts).toHaveLength(1);
  });
});

describe("the list of models", () => {
  const listOf = async (bearer: string) => {
    const list = await new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: bearer }).models.list();
    return list.data;
  };

  test("names what the key can ask for, and neither hidden models nor those of disabled channels", async () => {
    await gateway.given.channel({ key: "sim-as-off", status: 2, models: "sleeping-model" });
    await gateway.given.channel({ key: "sim-as-vip", group: "vip", models: "vip-model" });
    const names = (await listOf(key)).map(({ id }) => id);
    expect(names).toContain(model);
    expect(names).toContain("only-first");
    expect(names).not.toContain("hidden-model");
    expect(names).not.toContain("sleeping-model");
    expect(names).not.toContain("vip-model");
    expect(names).toEqual([...new Set(names)].sort());
    for (const entry of await listOf(key))
      expect(entry).toMatchObject({ object: "model", created: expect.any(Number) });
  });

  test("is cut to the token's own list, and each can be read alone", async () => {
    const limited = await gateway.given.token({ models: "only-first,unheard-of" });
    expect((await listOf(limited.key)).map(({ id }) => id)).toEqual(["only-first"]);
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: limited.key });
    expect(await client.models.retrieve("only-first")).toMatchObject({
      id: "only-first",
      object: "model",
    });
  });

  test("works for names with a slash", async () => {
    await gateway.given.channel({ key: "sim-as-slash", models: "vendor/model-1" });
    const response = await fetch(`${gateway.url}/v1/models/vendor%2Fmodel-1`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(await response.json()).toMatchObject({ id: "vendor/model-1" });
  });
});

test("an ordinary user's key cannot choose a channel", async () => {
  // There is no other user yet but the one that we make of root, past the gateway's API.
  const ordinary = await startTestGateway();
  try {
    const channel = await ordinary.given.channel({ key: "sim-ok" });
    const token = await ordinary.given.token();
    await ordinary.process.stop();
    const { DatabaseSync } = await import("node:sqlite");
    const file = new DatabaseSync(`${ordinary.dataDir}/tollgate.db`);
    file.exec(
      "update users set role = 1; insert into users (uuid, username, display_name, email, password_hash, role, status, \"group\", wallet_id, must_change_password, created_at, updated_at) select 'u', 'root2', '', '', password_hash, 100, status, \"group\", wallet_id, 0, created_at, updated_at from users",
    );
    file.close();
    await ordinary.restart();
    expect((await ordinary.chat(token.key)).status).toBe(200);
    expect((await ordinary.chat(`${token.key}-${channel.id}`)).status).toBe(403);
  } finally {
    await ordinary.close();
  }
});
