// Responses over WebSocket: OpenAI's library and raw sockets in front, channels that speak
// Responses, chat and Messages behind.

import { once } from "node:events";
import type { ServerResponse } from "node:http";
import OpenAI from "openai";
import { ResponsesWS } from "openai/resources/responses/ws";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { eventually } from "../harness/eventually.ts";
import { databaseKinds } from "../harness/gateway-database.ts";
import {
  defaultCharge,
  question,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";
import { refusedHandshake } from "../support/refused-handshake.ts";
import { describeVariants } from "../support/variants.ts";
import { type CannedProvider, event, startCannedProvider } from "./canned-provider.ts";

interface SocketEvent {
  type: string;
  status?: number;
  delta?: string;
  error?: { code: string | null; message: string; type: string; headers?: Record<string, string> };
  response?: {
    id: string;
    status: string;
    output: { type: string }[];
    usage: Record<string, number> | null;
  };
}

const anthropicType = 14;
const compatibleType = 50;
const ends = new Set(["response.completed", "response.incomplete", "error"]);

describeVariants(databaseKinds)("Responses over WebSocket on %s", (store) => {
  let gateway: TestGateway;
  let upstream: CannedProvider;
  let key: string;
  beforeAll(async () => {
    upstream = await startCannedProvider();
    gateway = await startTestGateway({ store, upstreams: [upstream.url] });
    await gateway.given.channel({ key: "k", base_url: upstream.url, models: "native" });
    for (const [type, name] of [
      [compatibleType, "gpt"],
      [anthropicType, "claude"],
    ] as const) {
      await gateway.given.channel({ type, key: `sim-as-${name}+ok`, models: name });
      await gateway.given.channel({
        type,
        key: `sim-as-${name}-slow+pace-100`,
        models: `${name}-slow`,
      });
      await gateway.given.channel({
        type,
        key: `sim-as-${name}-cut+cut-3+pace-60`,
        models: `${name}-cut`,
      });
    }
    ({ key } = await gateway.given.token());
  });
  afterAll(async () => {
    expect(await gateway.settled()).toMatchObject({ held: 0, reservations: 0 });
    expect(await gateway.audit()).toBe("The books agree.");
    await gateway.close();
    await upstream.close();
  });

  const open = async (apiKey = key): Promise<WebSocket> => {
    const socket = new WebSocket(`${gateway.url.replace(/^http/, "ws")}/v1/responses`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    await once(socket, "open");
    return socket;
  };
  /** The messages up to the end of an answer. */
  const answer = (socket: WebSocket): Promise<SocketEvent[]> =>
    new Promise((resolve, reject) => {
      const events: SocketEvent[] = [];
      const listen = (data: unknown): void => {
        const one = JSON.parse(String(data)) as SocketEvent;
        events.push(one);
        if (!ends.has(one.type)) return;
        socket.off("message", listen);
        socket.off("close", fail);
        resolve(events);
      };
      const fail = (): void => reject(new Error(`closed after ${JSON.stringify(events)}`));
      socket.on("message", listen);
      socket.once("close", fail);
    });
  const ask = (socket: WebSocket, members: object): Promise<SocketEvent[]> => {
    const answered = answer(socket);
    socket.send(
      JSON.stringify({ type: "response.create", input: question, store: false, ...members }),
    );
    return answered;
  };
  const closed = async (socket: WebSocket): Promise<number> => {
    const [code] = (await once(socket, "close")) as [number];
    return code;
  };
  const refusal = (headers: Record<string, string>) =>
    refusedHandshake(`${gateway.url}/v1/responses`, headers);

  test.each(["gpt", "claude"])(
    "OpenAI's library holds a conversation with %s, each turn a call of its own",
    async (model) => {
      const { rows } = await gateway.settled();
      const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key });
      const socket = new ResponsesWS(client);
      socket.on("error", () => undefined);
      const turn = async (members: object) => {
        const completed = new Promise<{ response: { id: string; output: { type: string }[] } }>(
          (resolve) => socket.once("response.completed", resolve),
        );
        socket.send({ type: "response.create", model, store: false, input: question, ...members });
        return (await completed).response;
      };
      const first = await turn({});
      expect(first.output).toMatchObject([{ type: "message" }]);
      await turn({ previous_response_id: first.id, input: "and then?" });
      const { body } = (await gateway.simulator.calls()).at(-1) ?? {};
      expect(JSON.stringify(body)).toMatch(/assistant.*and then\?/);
      const gone = new Promise((resolve) => socket.once("close", resolve));
      socket.close();
      await gone;
      expect((await gateway.settled()).rows).toBe(rows + 2);
      expect(await gateway.lastLog()).toMatchObject({
        model_name: model,
        is_stream: 1,
        outcome: "success",
      });
    },
  );

  test("a turn is charged as the same call over HTTP, and its trace names the address", async () => {
    const socket = await open();
    const events = await ask(socket, { model: "gpt" });
    expect(events.map(({ type }) => type).slice(0, 3)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
    ]);
    expect(events.at(-1)).toMatchObject({
      response: { status: "completed", usage: { output_tokens: 12 } },
    });
    socket.close();
    await gateway.settled();
    const log = await gateway.lastLog();
    expect(log).toMatchObject({
      quota: defaultCharge,
      prompt_tokens: 6,
      completion_tokens: 12,
      outcome: "success",
    });
    expect(await gateway.trace(log.id)).toMatchObject({
      status: 200,
      method: "GET",
      url: "/v1/responses",
    });
  });

  test("a provider of Responses gets the body of the HTTP call, and the whole conversation in the second turn", async () => {
    const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" };
    const unsigned = { type: "reasoning", id: "rs_2", summary: [] };
    const message = {
      type: "message",
      id: "msg_1",
      role: "assistant",
      content: [{ type: "output_text", text: "so" }],
    };
    const usage = { input_tokens: 5, output_tokens: 2, total_tokens: 7 };
    const output = [reasoning, unsigned, message];
    upstream.answer = (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(
        event({ type: "response.created", response: { id: "resp_1", status: "in_progress" } }),
      );
      response.write(event({ type: "response.output_text.delta", output_index: 2, delta: "so" }));
      for (const [output_index, item] of output.entries())
        response.write(event({ type: "response.output_item.done", output_index, item }));
      const completed = {
        id: "resp_1",
        object: "response",
        status: "completed",
        model: "native",
        output,
        usage,
      };
      response.end(event({ type: "response.completed", response: completed }));
    };
    const socket = await open();
    const [created] = await ask(socket, {
      model: "native",
      instructions: "Be kind.",
      client_metadata: { a: "b" },
    });
    expect(created).toMatchObject({ type: "response.created" });
    expect(upstream.bodies.at(-1)).toEqual({
      model: "native",
      input: question,
      store: false,
      instructions: "Be kind.",
      client_metadata: { a: "b" },
      stream: true,
    });
    const item = { type: "function_call_output", call_id: "c", output: "7" };
    await ask(socket, { model: "native", previous_response_id: "resp_1", input: [item] });
    socket.close();
    const { id: _, ...sent } = reasoning;
    const { id: __, ...said } = message;
    expect(upstream.bodies.at(-1)).toEqual({
      model: "native",
      input: [{ type: "message", role: "user", content: question }, sent, said, item],
      store: false,
      stream: true,
    });
    expect(upstream.requests.at(-1)?.headers).not.toHaveProperty("openai-beta");
  });

  test("a warm-up asks no provider and costs nothing, and the next turn sends its input", async () => {
    const { rows } = await gateway.settled();
    const socket = await open();
    const warm = await ask(socket, { model: "gpt", generate: false, input: "remember me" });
    expect(warm.map(({ type }) => type)).toEqual(["response.created", "response.completed"]);
    expect((await gateway.settled()).rows).toBe(rows);
    await ask(socket, {
      model: "gpt",
      previous_response_id: warm.at(-1)?.response?.id,
      input: "and now",
    });
    const { body } = (await gateway.simulator.calls()).at(-1) ?? {};
    expect(JSON.stringify(body)).toMatch(/remember me.*and now/);
    socket.close();
    expect((await gateway.settled()).rows).toBe(rows + 1);
  });

  test("an id of another connection is not found, and the connection stays open", async () => {
    const [one, other] = [await open(), await open()];
    const { response } = (await ask(one, { model: "gpt" })).at(-1) ?? {};
    const refused = await ask(other, { model: "gpt", previous_response_id: response?.id });
    expect(refused).toMatchObject([{ type: "error", status: expect.any(Number) }]);
    expect((await ask(other, { model: "gpt" })).at(-1)?.type).toBe("response.completed");
    one.close();
    other.close();
  });

  test.each(["gpt-cut", "claude-cut"])(
    "an answer of %s that breaks off ends with an error and costs what came",
    async (model) => {
      const socket = await open();
      const events = await ask(socket, { model });
      expect(events.at(-1)).toMatchObject({
        type: "error",
        status: 502,
        error: { code: "upstream_cut" },
      });
      expect((await ask(socket, { model: "gpt" })).at(-1)?.type).toBe("response.completed");
      socket.close();
      await gateway.settled();
      const cut = (await gateway.logs()).at(-2);
      expect(cut).toMatchObject({ outcome: "cut" });
      expect(cut?.quota).toBeGreaterThan(0);
    },
  );

  test.each(["gpt-slow", "claude-slow"])(
    "a client that leaves in the middle of %s pays for what was delivered",
    async (model) => {
      const socket = await open();
      socket.send(
        JSON.stringify({ type: "response.create", model, input: question, store: false }),
      );
      await new Promise<void>((resolve) =>
        socket.on("message", (data) => {
          if (String(data).includes("output_text.delta")) resolve();
        }),
      );
      socket.terminate();
      const log = await gateway.lastLog();
      expect(log).toMatchObject({ model_name: model, outcome: "client_left" });
      expect(log.quota).toBeGreaterThan(0);
      expect(log.quota).toBeLessThan(defaultCharge);
    },
  );

  test("limits of the key hold for each turn, and a refusal leaves the connection open", async () => {
    const limited = (await gateway.given.token({ rpm_limit: 1 })).key;
    const socket = await open(limited);
    expect((await ask(socket, { model: "gpt" })).at(-1)?.type).toBe("response.completed");
    const [refused] = await ask(socket, { model: "gpt" });
    expect(refused).toMatchObject({ type: "error", status: 429 });
    expect(Number(refused?.error?.headers?.["retry-after"])).toBeGreaterThan(0);
    socket.close();
  });

  test("a key that is disabled while a connection is open makes no further call", async () => {
    const token = await gateway.given.token();
    const socket = await open(token.key);
    expect((await ask(socket, { model: "gpt" })).at(-1)?.type).toBe("response.completed");
    await gateway.api("PUT", "/api/token/?status_only=1", { id: token.id, status: 2 });
    const status = async () => (await ask(socket, { model: "gpt" })).at(-1)?.status;
    await expect.poll(status, { timeout: 20_000 }).toBe(401);
    socket.close();
  });

  test("turns that are sent early wait for the answer in progress, and more than a few are refused", async () => {
    const { rows } = await gateway.settled();
    const socket = await open();
    const refused = Promise.withResolvers<void>();
    upstream.answer = async (response) => {
      await refused.promise;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(event({ type: "response.output_text.delta", output_index: 0, delta: "so" }));
      const usage = { input_tokens: 5, output_tokens: 2, total_tokens: 7 };
      const completed = {
        id: "resp_1",
        object: "response",
        status: "completed",
        model: "native",
        output: [],
        usage,
      };
      response.end(event({ type: "response.completed", response: completed }));
    };
    const kinds: string[] = [];
    const all = new Promise<void>((resolve) => {
      socket.on("message", (data) => {
        const { type } = JSON.parse(String(data)) as SocketEvent;
        if (type === "error") refused.resolve();
        if (ends.has(type)) kinds.push(type);
        if (kinds.length === 6) resolve();
      });
    });
    for (let sent = 0; sent < 6; sent += 1)
      socket.send(
        JSON.stringify({ type: "response.create", model: "native", input: question, store: false }),
      );
    await all;
    socket.close();
    expect(kinds).toEqual(["error", ...Array.from({ length: 5 }, () => "response.completed")]);
    expect((await gateway.settled()).rows).toBe(rows + 5);
  });

  test.each([
    ["no JSON", "{", "invalid_event"],
    ["a list", "[]", "invalid_event"],
    ["bytes", Buffer.from("{}"), "invalid_event"],
    ["another event", '{"type":"response.cancel"}', "unknown_event"],
    ["a lane", '{"type":"response.create","model":"gpt","stream_id":"a"}', "invalid_event"],
    [
      "a later answer",
      '{"type":"response.create","model":"gpt","background":true}',
      "invalid_event",
    ],
    [
      "a model twice",
      '{"type":"response.create","model":"gpt","model":"claude","input":"a"}',
      "invalid_text_request",
    ],
    ["no model", '{"type":"response.create","input":"a"}', "invalid_text_request"],
    [
      "an input of no form",
      '{"type":"response.create","model":"gpt","input":7}',
      "invalid_text_request",
    ],
  ])(
    "a message with %s is refused with the reason, and the next one is answered",
    async (_, message, code) => {
      const socket = await open();
      const answered = answer(socket);
      socket.send(message);
      expect(await answered).toMatchObject([{ type: "error", status: 400, error: { code } }]);
      expect((await ask(socket, { model: "gpt" })).at(-1)?.type).toBe("response.completed");
      socket.close();
    },
  );

  test("a turn that is nested deeper than a stack bears is refused, on a remembered conversation too", async () => {
    const socket = await open();
    const warm = await ask(socket, { model: "gpt", generate: false });
    const continued = { model: "gpt", previous_response_id: warm.at(-1)?.response?.id };
    // With a number as the name of a member, JSON is written by recursion.
    const deep = `${"[".repeat(20_000)}{"0":1}${"]".repeat(20_000)}`;
    for (const members of [{ model: "gpt" }, continued]) {
      const answered = answer(socket);
      const message = JSON.stringify({
        type: "response.create",
        ...members,
        input: [{ content: "deep" }],
      });
      socket.send(message.replace('"deep"', deep));
      expect(await answered).toMatchObject([
        { type: "error", status: 400, error: { code: "invalid_text_request" } },
      ]);
    }
    expect((await ask(socket, continued)).at(-1)?.type).toBe("response.completed");
    socket.close();
  });

  test("a message above the limit ends the connection", async () => {
    const socket = await open();
    socket.on("error", () => undefined);
    const ended = closed(socket);
    socket.send(
      JSON.stringify({
        type: "response.create",
        model: "gpt",
        input: "a".repeat(17 * 1024 * 1024),
      }),
    );
    expect([1006, 1009]).toContain(await ended);
  });

  test("no connection opens without a valid key or with half a handshake", async () => {
    expect(await refusal({})).toMatchObject({ status: 401 });
    expect(await refusal({ authorization: "Bearer sk-none" })).toMatchObject({ status: 401 });
    const half = await refusal({ authorization: `Bearer ${key}`, "sec-websocket-version": "8" });
    expect(half.status).toBe(400);
  });

  test("a page can bring its key in a subprotocol, which is not echoed", async () => {
    const address = `${gateway.url.replace(/^http/, "ws")}/v1/responses`;
    const socket = new WebSocket(address, ["responses", `openai-insecure-api-key.${key}`]);
    await once(socket, "open");
    expect(socket.protocol).toBe("responses");
    expect((await ask(socket, { model: "gpt" })).at(-1)?.type).toBe("response.completed");
    socket.close();
  });

  const completed = (id: string, usage: object): string =>
    event({
      type: "response.completed",
      response: { id, object: "response", status: "completed", model: "native", output: [], usage },
    });
  const delta = (text: string): string =>
    event({ type: "response.output_text.delta", output_index: 0, delta: text });

  test("a client that does not read holds the provider up, and not the gateway's memory", {
    tags: ["large"],
    timeout: 120_000,
  }, async () => {
    const chunk = "word ".repeat(20_000);
    let provider: ServerResponse | undefined;
    upstream.answer = (response) => {
      provider = response;
      response.writeHead(200, { "content-type": "text/event-stream" });
      // Far more than the sockets on the way take.
      for (let sent = 0; sent < 300; sent += 1) response.write(delta(chunk));
      response.end(completed("resp_long", { input_tokens: 5, output_tokens: 7, total_tokens: 12 }));
    };
    const socket = await open();
    const first = once(socket, "message");
    let read = 0;
    socket.on("message", (data) => {
      const { type, delta: text = "" } = JSON.parse(String(data)) as SocketEvent;
      if (type === "response.output_text.delta") read += text.length;
    });
    socket.send(
      JSON.stringify({ type: "response.create", model: "native", input: question, store: false }),
    );
    await first;
    socket.pause();
    const waiting = async (): Promise<number> => provider?.writableLength ?? 0;
    // Until nothing moves any more.
    let last = -1;
    await eventually(
      async () => {
        const now = await waiting();
        const stands = now === last && now > 0;
        last = now;
        if (!stands) throw new Error(`${now} bytes wait`);
      },
      { timeoutMs: 60_000, everyMs: 300 },
    );
    expect(last).toBeGreaterThan(8 * 1024 * 1024);
    socket.resume();
    await expect.poll(() => read, { timeout: 40_000 }).toBe(300 * chunk.length);
    socket.close();
  });

  test("where the gateway stores replies, a turn continues one that it stored, on any connection", async () => {
    await gateway.api("PUT", "/api/option/", { key: "ResponseStoreEnabled", value: "true" });
    const one = await open();
    const { response } =
      (await ask(one, { model: "claude", store: true, input: "my name is Ada" })).at(-1) ?? {};
    one.close();
    const other = await open();
    const answered = await ask(other, {
      model: "claude",
      previous_response_id: response?.id,
      input: "who am I",
    });
    expect(answered.at(-1)?.type).toBe("response.completed");
    other.close();
    const { body } = (await gateway.simulator.calls()).at(-1) ?? {};
    expect(JSON.stringify(body)).toMatch(/my name is Ada.*who am I/);
  });

  test("a stop ends connections between two answers at once, and lets an answer end", {
    tags: ["large"],
  }, async () => {
    const mayEnd = Promise.withResolvers<void>();
    upstream.answer = async (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(delta("so"));
      await mayEnd.promise;
      response.end(completed("resp_1", { input_tokens: 5, output_tokens: 2, total_tokens: 7 }));
    };
    const [idle, busy] = [await open(), await open()];
    const begun = once(busy, "message");
    const answered = ask(busy, { model: "native" });
    await begun;
    const ends = [closed(idle), closed(busy)];
    const restarted = gateway.restart();
    expect(await ends[0]).toBe(1001);
    expect(busy.readyState).toBe(WebSocket.OPEN);
    mayEnd.resolve();
    expect((await answered).at(-1)?.type).toBe("response.completed");
    expect(await ends[1]).toBe(1001);
    await restarted;
    expect(await gateway.lastLog()).toMatchObject({ outcome: "success", quota: 5 + 2 * 4 });
  });
});
