// Realtime: a WebSocket from end to end, with OpenAI's libraries in front and a provider that we
// script behind.

import { once } from "node:events";
import { connect } from "node:net";
import OpenAI from "openai";
import { OpenAIRealtimeWebSocket } from "openai/realtime/websocket";
import { OpenAIRealtimeWS } from "openai/realtime/ws";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { eventually } from "../harness/eventually.ts";
import { ruleDatabaseKinds } from "../harness/gateway-database.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { refusedHandshake } from "../support/refused-handshake.ts";
import {
  type CannedRealtimeEvent,
  type CannedRealtimeProvider,
  type CannedSession,
  responseCreated,
  sendResponse,
  sendTranscript,
  startCannedRealtimeProvider,
  textDelta,
  transcriptionUsage,
  usage,
} from "./canned-realtime-provider.ts";

/** Text at 1 and 4 units a token, sound at 2 and 6. */
const answerCharge = 8 + 4 * 2 + 10 * 4 + 8 * 6;

describe.each(ruleDatabaseKinds)("realtime on %s", (store) => {
  let gateway: TestGateway;
  let upstream: CannedRealtimeProvider;
  let key: string;
  beforeAll(async () => {
    upstream = await startCannedRealtimeProvider();
    gateway = await startTestGateway({ store, upstreams: [upstream.url] });
    const base_url = upstream.url;
    const rates = (name: string) =>
      JSON.stringify({ [name]: { ratio: 1, completion_ratio: 4, ...audio } });
    const audio = { audio: { prompt_ratio: 2, completion_ratio: 3 }, cached_input_ratio: 1 };
    for (const models of ["gpt-realtime", "dear"]) {
      await gateway.given.channel({
        key: "provider-key",
        base_url,
        models,
        model_configs: rates(models),
      });
    }
    const model_mapping = JSON.stringify({ mine: "gpt-realtime-mapped" });
    await gateway.given.channel({ key: "provider-key", base_url, models: "mine", model_mapping });
    const transcribers = "gpt-4o-transcribe,whisper-1";
    await gateway.given.channel({ key: "provider-key", base_url, models: transcribers });
    const deployments = JSON.stringify({
      "azure-voice": "my-voice",
      "azure-transcribe": "my-transcriber",
    });
    const azure = { type: 3, key: "azure-key", base_url, model_mapping: deployments };
    await gateway.given.channel({ ...azure, models: "azure-voice,azure-transcribe" });
    // On a site with one user, what the gateway does not know is that user's.
    await gateway.given.user("another");
    ({ key } = await gateway.given.token());
  });
  afterAll(async () => {
    expect(await gateway.settled()).toMatchObject({ held: 0, reservations: 0 });
    expect(await gateway.audit()).toBe("The books agree.");
    await gateway.close();
    await upstream.close();
  });
  beforeEach(() => {
    upstream.refuse = undefined;
    upstream.sessions.length = 0;
    upstream.onEvent = (session, { type }) => {
      if (type === "response.create") sendResponse(session);
    };
  });

  /** The library insists on TLS, which ends in front of the gateway. */
  const plainly = () =>
    ({ createConnection: () => connect(Number(new URL(gateway.url).port), "127.0.0.1") }) as object;
  const open = (model = "gpt-realtime", apiKey = key): OpenAIRealtimeWS => {
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey });
    const session = new OpenAIRealtimeWS({ model, options: plainly() }, client);
    session.on("error", () => undefined);
    return session;
  };
  const next = <Type extends "session.created" | "response.done">(
    session: OpenAIRealtimeWS,
    type: Type,
  ) =>
    new Promise<CannedRealtimeEvent>((resolve) =>
      session.once(type, (event: unknown) => resolve(event as CannedRealtimeEvent)),
    );
  const closing = async (session: OpenAIRealtimeWS): Promise<[number, string]> => {
    const [code, reason] = (await once(session.socket, "close")) as [number, Buffer];
    return [code, reason.toString()];
  };
  const provider = (): Promise<CannedSession> =>
    eventually(async () => {
      const [session] = upstream.sessions;
      if (!session) throw new Error("no session was opened");
      return session;
    });
  /** `refusal` says how a handshake is refused. */
  const refusal = (path: string, headers: Record<string, string>) =>
    refusedHandshake(`${gateway.url}${path}`, headers);
  const realtime = "/v1/realtime?model=gpt-realtime";

  test("a prompt or connection of the operator's account is named by no event", {
    tags: ["S2-12"],
  }, async () => {
    const session = open();
    await next(session, "session.created");
    const refusals: string[] = [];
    session.on("error", ({ error }) => refusals.push(error?.code ?? ""));
    const tools = [{ type: "mcp", server_label: "mail", connector_id: "connector_gmail" }];
    for (const event of [
      {
        type: "session.update",
        session: { type: "realtime", prompt: { id: "pmpt_of_the_operator" } },
      },
      { type: "response.create", response: { prompt: { id: "pmpt_of_the_operator" } } },
      { type: "session.update", session: { type: "realtime", tools } },
    ])
      session.send(event as never);
    await eventually(() => expect(refusals).toEqual(Array(3).fill("stored_object_not_found")));
    const done = next(session, "response.done");
    session.send({
      type: "response.create",
      response: { input: [{ type: "item_reference", id: "item_1" }] },
    } as never);
    await done;
    expect(upstream.sessions[0]?.received.map(({ type }) => type)).toEqual(["response.create"]);
    session.close();
  });

  test("OpenAI's library holds a conversation, and pays for every answer once", async () => {
    const session = open();
    const created = await next(session, "session.created");
    expect(created).toMatchObject({ session: { model: "gpt-realtime" } });
    let text = "";
    session.on("response.output_text.delta", ({ delta }) => {
      text += delta;
    });
    for (let turn = 0; turn < 2; turn += 1) {
      session.send({ type: "response.create" });
      expect(await next(session, "response.done")).toMatchObject({ response: { usage } });
    }
    const gone = closing(session);
    session.close();
    await gone;
    expect(text).toBe("so it isso it is");
    const log = await gateway.lastLog();
    expect(log).toMatchObject({
      origin_model_name: "gpt-realtime",
      quota: 2 * answerCharge,
      prompt_tokens: 24,
      cached_prompt_tokens: 4,
      completion_tokens: 36,
      outcome: "success",
      is_stream: 1,
      content: "",
    });
    expect(log.ttft_ms).toBeGreaterThan(0);
    const trace = await gateway.trace(log.id);
    expect(trace).toMatchObject({ status: 101, method: "GET", url: realtime });
    expect(trace.attempts).toMatchObject([{ status: 101, outcome: "success", error: null }]);
    const { headers, url, closed } = await provider();
    expect(url).toBe("/v1/realtime?model=gpt-realtime");
    expect(headers.authorization).toBe("Bearer provider-key");
    expect(JSON.stringify(headers)).not.toContain(key);
    expect(await closed).toBe(1000);
  });

  test("browsers bring their key in a subprotocol, which goes no further", async () => {
    const usual = globalThis.WebSocket;
    globalThis.WebSocket = class extends usual {
      constructor(address: string | URL, protocols?: ConstructorParameters<typeof usual>[1]) {
        super(String(address).replace(/^wss:/, "ws:"), protocols);
      }
    };
    try {
      const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key });
      const session = new OpenAIRealtimeWebSocket(
        { model: "gpt-realtime", dangerouslyAllowBrowser: true },
        client,
      );
      session.on("error", () => undefined);
      await new Promise<void>((resolve) => session.once("session.created", () => resolve()));
      expect(session.socket.protocol).toBe("realtime");
      session.close();
    } finally {
      globalThis.WebSocket = usual;
    }
    const { headers } = await provider();
    expect(headers["sec-websocket-protocol"]).toBeUndefined();
    expect(headers.authorization).toBe("Bearer provider-key");
    expect(await gateway.lastLog()).toMatchObject({ quota: 0, outcome: "success" });
  });

  test("a session shows the requested name of the model, and an update cannot change the model that is charged", async () => {
    const session = open("mine");
    expect(await next(session, "session.created")).toMatchObject({ session: { model: "mine" } });
    session.send({
      type: "session.update",
      session: { type: "realtime", model: "a dearer one", instructions: "Be kind." },
    });
    const { received, url } = await provider();
    expect(url).toBe("/v1/realtime?model=gpt-realtime-mapped");
    await expect
      .poll(() => received)
      .toEqual([
        {
          type: "session.update",
          session: { type: "realtime", model: "gpt-realtime-mapped", instructions: "Be kind." },
        },
      ]);
    session.close();
  });

  test("Azure is reached at the address of its reference, with its own authentication", async () => {
    const session = open("azure-voice");
    expect(await next(session, "session.created")).toMatchObject({
      session: { model: "azure-voice" },
    });
    session.send({ type: "response.create" });
    await next(session, "response.done");
    const gone = closing(session);
    session.close();
    await gone;
    const { headers, url } = await provider();
    expect(url).toBe("/openai/v1/realtime?model=my-voice");
    expect(headers["api-key"]).toBe("azure-key");
    expect(headers.authorization).toBeUndefined();
    expect(await gateway.lastLog()).toMatchObject({
      prompt_tokens: 12,
      completion_tokens: 18,
      outcome: "success",
    });
  });

  describe("a session that only transcribes", () => {
    const rawSession = (model?: string): Promise<WebSocket> => {
      const query = `intent=transcription${model === undefined ? "" : `&model=${model}`}`;
      const headers = { authorization: `Bearer ${key}` };
      const socket = new WebSocket(`${gateway.url.replace(/^http/, "ws")}/v1/realtime?${query}`, {
        headers,
      });
      return new Promise((resolve, reject) => {
        socket.once("message", () => resolve(socket));
        socket.once("error", reject);
      });
    };
    const said = (socket: WebSocket, type: string): Promise<CannedRealtimeEvent> =>
      new Promise((resolve) => {
        socket.on("message", (data) => {
          const event = JSON.parse(String(data)) as CannedRealtimeEvent;
          if (event.type === type) resolve(event);
        });
      });
    const completed = "conversation.item.input_audio_transcription.completed";
    /** 400 ms. */
    const append = JSON.stringify({ type: "input_audio_buffer.append", audio: "A".repeat(25_600) });
    const commit = JSON.stringify({ type: "input_audio_buffer.commit" });
    const transcribes = (counted?: object) => {
      upstream.onEvent = (opened, { type }) => {
        if (type === "input_audio_buffer.commit") sendTranscript(opened, counted);
      };
    };

    test("is held by OpenAI's library, and costs what was heard and written", async () => {
      transcribes(transcriptionUsage);
      const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key });
      const session = new OpenAIRealtimeWS({ intent: "transcription", options: plainly() }, client);
      session.on("error", () => undefined);
      await next(session, "session.created");
      session.send({
        type: "session.update",
        session: {
          type: "transcription",
          audio: { input: { transcription: { model: "whisper-1", language: "en" } } },
        },
      });
      session.send({ type: "input_audio_buffer.append", audio: "A".repeat(25_600) });
      session.send({ type: "input_audio_buffer.commit" });
      const written = await new Promise((resolve) => session.once(completed, resolve));
      expect(written).toMatchObject({ transcript: "so it is", usage: transcriptionUsage });
      const gone = closing(session);
      session.close();
      await gone;
      const { received, url } = await provider();
      expect(url).toBe("/v1/realtime?intent=transcription");
      // The model is the one that is paid for.
      expect(received[0]).toMatchObject({
        session: {
          audio: { input: { transcription: { model: "gpt-4o-transcribe", language: "en" } } },
        },
      });
      const log = await gateway.lastLog();
      expect(log).toMatchObject({
        origin_model_name: "gpt-4o-transcribe",
        prompt_tokens: 22,
        completion_tokens: 4,
        outcome: "success",
        content: "",
      });
      expect(log.ttft_ms).toBeGreaterThan(0);
      expect(log.quota).toBeGreaterThan(0);
    });

    test("costs its seconds where the model is paid by time", async () => {
      transcribes({ type: "duration", seconds: 2.4 });
      const socket = await rawSession("whisper-1");
      const written = said(socket, completed);
      for (const event of [append, commit]) socket.send(event);
      await written;
      socket.close();
      const log = await gateway.lastLog();
      // Three seconds of ten tokens.
      expect(log).toMatchObject({ origin_model_name: "whisper-1", quota: 30, outcome: "success" });
    });

    test("reaches Azure without a model in its address, and the client's name stands for the deployment", async () => {
      transcribes(transcriptionUsage);
      const socket = await rawSession("azure-transcribe");
      upstream.onEvent = (opened, event) => {
        if (event.type === "transcription_session.update")
          opened.send({ ...event, type: "transcription_session.updated" });
      };
      const updated = said(socket, "transcription_session.updated");
      const session = { input_audio_transcription: { model: "azure-transcribe", prompt: "names" } };
      socket.send(JSON.stringify({ type: "transcription_session.update", session }));
      expect(await updated).toMatchObject({ session });
      const { headers, received, url } = await provider();
      expect(url).toBe("/openai/v1/realtime?intent=transcription");
      expect(headers["api-key"]).toBe("azure-key");
      expect(received).toMatchObject([
        { session: { input_audio_transcription: { model: "my-transcriber", prompt: "names" } } },
      ]);
      socket.close();
      await gateway.settled();
    });

    test("is estimated where the provider counts nothing, and marked as such", async () => {
      transcribes();
      const socket = await rawSession();
      const written = said(socket, completed);
      for (const event of [append, commit]) socket.send(event);
      await written;
      socket.close();
      expect(await gateway.lastLog()).toMatchObject({
        prompt_tokens: 4,
        completion_tokens: 2,
        content: expect.stringContaining("usage estimated"),
      });
    });
  });

  test.each([
    ["no key", {}, realtime, 401],
    ["a wrong key", { authorization: "Bearer sk-nobody" }, realtime, 401],
    [
      "a wrong key in a subprotocol",
      { "sec-websocket-protocol": "realtime, openai-insecure-api-key.sk-nobody" },
      realtime,
      401,
    ],
    ["no model", { authorization: "KEY" }, "/v1/realtime", 400],
    ["a model without a channel", { authorization: "KEY" }, "/v1/realtime?model=nobody", 404],
    ["half a handshake", { authorization: "KEY", "sec-websocket-key": "x" }, realtime, 400],
    ["another address", { authorization: "KEY" }, "/v1/elsewhere", 404],
  ])("%s is refused before the provider hears of it", async (_what, headers, path, status) => {
    const before = (await gateway.settled()).rows;
    const sent = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replace("KEY", `Bearer ${key}`)]),
    );
    const refused = await refusal(path, sent);
    expect(refused.status).toBe(status);
    expect(JSON.parse(refused.body)).toMatchObject({ error: { message: expect.any(String) } });
    expect(upstream.sessions).toEqual([]);
    expect((await gateway.settled()).rows).toBe(before);
  });

  test("without the quota for an answer no session begins", async () => {
    const poor = await gateway.given.token({ unlimited_quota: false, remain_quota: 10 });
    const refused = await refusal(realtime, { authorization: `Bearer ${poor.key}` });
    expect(refused.status).toBe(403);
    expect(upstream.sessions).toEqual([]);
  });

  test("a provider's refusal of a session reaches the client, and nothing is charged", async () => {
    upstream.refuse = (response) => {
      const error = {
        message: "No such model",
        type: "invalid_request_error",
        code: "model_not_found",
      };
      response
        .writeHead(400, { "content-type": "application/json" })
        .end(JSON.stringify({ error }));
    };
    const refused = await refusal(realtime, { authorization: `Bearer ${key}` });
    expect(refused.status).toBe(400);
    expect(refused.body).toContain("No such model");
    const log = await gateway.lastLog();
    expect(log).toMatchObject({
      quota: 0,
      outcome: "failed",
      content: "status 400: No such model",
    });
    expect((await gateway.trace(log.id)).attempts).toMatchObject([
      { status: 400, outcome: "failed" },
    ]);
  });

  test("a provider that closes ends the session with its code", async () => {
    upstream.onEvent = ({ socket }) => socket.close(4001, "session_expired");
    const session = open();
    await next(session, "session.created");
    session.send({ type: "input_audio_buffer.clear" });
    expect(await closing(session)).toEqual([4001, "session_expired"]);
    expect(await gateway.lastLog()).toMatchObject({ quota: 0, outcome: "success" });
  });

  test("a provider that breaks off inside an answer cuts it, and what came is charged", async () => {
    upstream.onEvent = (opened) => {
      opened.send(responseCreated);
      for (let word = 0; word < 3; word += 1) opened.send(textDelta("four"));
      setTimeout(() => opened.socket.terminate(), 50);
    };
    const session = open();
    await next(session, "session.created");
    session.send({ type: "response.create" });
    expect((await closing(session))[0]).toBe(1011);
    expect(await gateway.lastLog()).toMatchObject({
      outcome: "cut",
      completion_tokens: 3,
      quota: 12,
      content: expect.stringMatching(/upstream closed with 1006.*usage estimated/),
    });
  });

  test("an event that is nested deeper than a stack bears never reaches the other side", async () => {
    // With a number as the name of a member, JSON is written by recursion.
    const nested = (levels: number) => `${"[".repeat(levels)}{"0":1}${"]".repeat(levels)}`;
    const update = (levels: number) =>
      `{"type":"session.update","session":{"model":"mine","instructions":${nested(levels)}}}`;
    const session = open("mine");
    await next(session, "session.created");
    const errors: unknown[] = [];
    session.on("error", (error) => errors.push(error.error?.code));
    const depths = [101, 4_000, 20_000];
    for (const levels of depths) session.socket.send(update(levels));
    session.socket.send(JSON.stringify({ type: "response.create" }));
    await next(session, "response.done");
    expect(errors).toEqual(depths.map(() => "invalid_event"));
    expect(upstream.sessions[0]?.received.map(({ type }) => type)).toEqual(["response.create"]);
    upstream.sessions[0]?.socket.send(update(20_000).replace("update", "updated"));
    expect((await closing(session))[0]).toBe(1011);
    expect(await gateway.lastLog()).toMatchObject({ outcome: "cut" });
  });

  test("a binary message, or one that is ambiguous or no JSON, never reaches the provider: it could name another model", {
    tags: ["S2-14"],
  }, async () => {
    const session = open();
    await next(session, "session.created");
    const update = JSON.stringify({ type: "session.update", session: { model: "dear" } });
    const errors: unknown[] = [];
    session.on("error", (error) => errors.push(error.error?.code));
    session.socket.send(Buffer.from(update), { binary: true });
    session.socket.send(update.replace("}}", '},"x":NaN}'));
    session.socket.send("[]");
    session.socket.send(update.replace("}}", '},"session":{}}'));
    session.socket.send(update.replace('"dear"', '"dear","model":"m"'));
    session.socket.send(JSON.stringify({ type: "response.create" }));
    await next(session, "response.done");
    expect(errors).toEqual(errors.map(() => "invalid_event"));
    expect(errors).toHaveLength(5);
    expect(upstream.sessions[0]?.received.map(({ type }) => type)).toEqual(["response.create"]);
    session.close();
  });

  test("a provider's binary message ends the session: its usage could not be read", {
    tags: ["S2-14"],
  }, async () => {
    upstream.onEvent = (session) =>
      session.socket.send(Buffer.from('{"type":"response.done"}'), { binary: true });
    const session = open();
    await next(session, "session.created");
    const closed = closing(session);
    session.socket.send(JSON.stringify({ type: "response.create" }));
    expect((await closed)[0]).toBe(1011);
  });

  test("when a client leaves inside an answer, it is cancelled and the provider's usage is charged", async () => {
    upstream.onEvent = (opened, { type }) => {
      if (type === "response.create")
        for (const event of [responseCreated, textDelta("so ")]) opened.send(event);
      else if (type === "response.cancel")
        opened.send({ type: "response.done", response: { id: "resp_1", usage } });
    };
    const session = open();
    await next(session, "session.created");
    const spoken = new Promise<void>((resolve) =>
      session.once("response.output_text.delta", () => resolve()),
    );
    session.send({ type: "response.create" });
    await spoken;
    session.socket.terminate();
    const { closed, received } = await provider();
    expect(await closed).toBe(1000);
    expect(received.map(({ type }) => type)).toEqual(["response.create", "response.cancel"]);
    expect(await gateway.lastLog()).toMatchObject({ outcome: "client_left", quota: answerCharge });
  });

  test("a session ends when the balance cannot follow", async () => {
    // Enough to begin with, not for what comes.
    const { key: poor } = await gateway.given.token({
      unlimited_quota: false,
      remain_quota: 12_000,
    });
    const dear = { ...usage, input_tokens: 20_000, total_tokens: 20_018 };
    upstream.onEvent = (opened) => {
      for (const event of [
        responseCreated,
        textDelta("so "),
        { type: "response.done", response: { id: "resp_1", usage: dear } },
      ]) {
        opened.send(event);
      }
    };
    const session = open("dear", poor);
    const errors: unknown[] = [];
    session.on("error", ({ error }) => errors.push(error));
    await next(session, "session.created");
    const gone = closing(session);
    session.send({ type: "response.create" });
    expect((await gone)[0]).toBe(1008);
    expect(errors).toMatchObject([
      { code: "streaming_billing_failed", type: "insufficient_quota" },
    ]);
    expect(await gateway.lastLog()).toMatchObject({
      outcome: "quota_ran_out",
      prompt_tokens: 20_000,
    });
  });

  test("a message beyond every limit ends the session, not the gateway", async () => {
    const session = open();
    await next(session, "session.created");
    const gone = closing(session);
    session.socket.send("x".repeat(17 * 1024 * 1024));
    expect((await gone)[0]).toBe(1009);
    expect(await gateway.lastLog()).toMatchObject({ quota: 0 });
  });

  test("a side that does not read holds the other up, and not the gateway's memory", async () => {
    const session = open();
    await next(session, "session.created");
    const opened = await provider();
    session.socket.pause();
    const chunk = "A".repeat(256 * 1024);
    // Far more than the sockets on the way take.
    for (let sent = 0; sent < 256; sent += 1) opened.send(textDelta(chunk));
    await expect
      .poll(() => opened.socket.bufferedAmount, { interval: 100 })
      .toBeGreaterThan(8 * 1024 * 1024);
    let read = 0;
    session.on("response.output_text.delta", ({ delta }) => {
      read += delta.length;
    });
    session.socket.resume();
    await expect.poll(() => read, { timeout: 20_000 }).toBe(256 * chunk.length);
    session.close();
  });

  test("a stop ends sessions between two answers at once, and lets an answer end", async () => {
    upstream.onEvent = (opened, { type }) => {
      if (type === "response.create")
        for (const event of [responseCreated, textDelta("so ")]) opened.send(event);
    };
    const idle = open();
    await next(idle, "session.created");
    const busy = open();
    await next(busy, "session.created");
    busy.send({ type: "response.create" });
    await new Promise<void>((resolve) => busy.once("response.output_text.delta", () => resolve()));
    const busySession = upstream.sessions[1] as CannedSession;
    const restarted = gateway.restart();
    expect((await closing(idle))[0]).toBe(1001);
    expect(busy.socket.readyState).toBe(WebSocket.OPEN);
    busySession.send({ type: "response.done", response: { id: "resp_1", usage } });
    expect((await closing(busy))[0]).toBe(1001);
    await restarted;
    expect((await gateway.lastLog()).quota).toBe(answerCharge);
    expect(await gateway.settled()).toMatchObject({ held: 0, reservations: 0 });
  });
});
