// Networks that are slow, lose, cut, reset or go silent, on each of the three sides of a gateway: no client takes a part for
// the whole, what is charged is what came, and the trace says what happened.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { consoleHeader } from "@tollgate/contract/envelope.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readReply } from "../harness/api-session.ts";
import { type ChaosProxy, type ConnectionPolicy, startChaosProxy, type Toxics } from "../harness/chaos-proxy.ts";
import { startProgram } from "../harness/child-process.ts";
import { eventually } from "../harness/eventually.ts";
import { databaseKinds } from "../harness/gateway-database.ts";
import { chatBody, defaultCharge, readEvents, startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { type CannedProvider, completion, startCannedProvider, whole } from "../relay/canned-provider.ts";
import { keepCalling } from "./keep-calling.ts";

const tokens = 40;
const fullCharge = 6 + tokens * 4;
const silenceSeconds = 2;

/**
 * `whole`: everything arrived. `cut`: a part arrived, the client gets an error and pays for it. `refused`: the provider broke off
 * before its answer. `lost`: it took the request and said nothing more, so it may bill the prompt.
 */
type StreamEnding = "whole" | "cut" | "refused" | "lost";

interface NetworkFault {
  what: string;
  welcome?: ConnectionPolicy;
  up?: Toxics;
  down?: Toxics;
  stream: StreamEnding;
  answer: StreamEnding;
}

/** More than a response head, and less than a complete response. */
const partBytes = { stream: 3_000, answer: 400 };

const networkFaults: NetworkFault[] = [
  { what: "latency", up: { latencyMs: 30 }, down: { latencyMs: 30 }, stream: "whole", answer: "whole" },
  { what: "little bandwidth", down: { bytesPerSecond: 12_000 }, stream: "whole", answer: "whole" },
  { what: "pieces of one byte", up: { sliceBytes: 1 }, down: { sliceBytes: 1 }, stream: "whole", answer: "whole" },
  {
    what: "a third of the packets lost",
    up: { stalls: { share: 0.3, ms: 60 } },
    down: { stalls: { share: 0.3, ms: 60 } },
    stream: "whole",
    answer: "whole",
  },
  { what: "an end that comes late", down: { slowCloseMs: 500 }, stream: "whole", answer: "whole" },
  { what: "a connection that is never answered", welcome: "silence", stream: "lost", answer: "lost" },
  { what: "a connection that is reset", welcome: "reset", stream: "refused", answer: "refused" },
  { what: "a call that never arrives", up: { isPaused: true }, stream: "lost", answer: "lost" },
  ...(["close", "reset", "stop"] as const).map(
    (end): NetworkFault => ({
      what: `a part of the answer, then ${end === "stop" ? "silence" : `a ${end}`}`,
      down: { limit: { bytes: partBytes.stream, end } },
      stream: "cut",
      answer: "whole",
    }),
  ),
  ...(["close", "reset", "stop"] as const).map(
    (end): NetworkFault => ({
      what: `the head of the answer, then ${end === "stop" ? "silence" : `a ${end}`}`,
      down: { limit: { bytes: partBytes.answer, end } },
      stream: end === "stop" ? "lost" : "refused",
      answer: end === "stop" ? "lost" : "refused",
    }),
  ),
];

/** Only silence may end a call by time: elsewhere, a busy machine would end one that is merely slow. */
const endsInSilence = ({ welcome, up, down }: NetworkFault): boolean =>
  welcome === "silence" || up?.isPaused === true || down?.limit?.end === "stop";

/** It waits for providers as long as operators' gateways do. */
let world: TestGateway;
/** It takes a provider that is silent for two seconds for lost. */
let impatient: TestGateway;
/** In front of an upstream that each test has for itself. */
let spare: ChaosProxy;
let key: string;
let impatientKey: string;
let blackHole: Awaited<ReturnType<typeof startBlackHole>>;
const proxies: ChaosProxy[] = [];
beforeAll(async () => {
  spare = await startChaosProxy();
  blackHole = await startBlackHole();
  for (const _ of networkFaults) proxies.push(await startChaosProxy());
  const upstreams = [spare.url, blackHole.url, ...proxies.map(({ url }) => url)];
  const env = { SHUTDOWN_GRACE_SECONDS: "5" };
  const hurry = { UPSTREAM_TIMEOUT_SECONDS: String(silenceSeconds), UPSTREAM_CONNECT_SECONDS: "1" };
  [world, impatient] = await Promise.all([
    startTestGateway({ upstreams, env }),
    startTestGateway({ upstreams, env: { ...env, ...hurry } }),
  ]);
  key = (await world.given.token()).key;
  impatientKey = (await impatient.given.token()).key;
});
afterAll(async () => {
  for (const gateway of [world, impatient]) {
    expect(gateway.process.output()).not.toMatch(/unhandledRejection|uncaughtException|"level":60/);
    expect(await gateway.settled()).toMatchObject({ held: 0, reservations: 0 });
    expect(await gateway.audit()).toBe("The books agree.");
    await gateway.close();
  }
  for (const proxy of proxies) await proxy.close();
  await spare.close();
  await blackHole.close();
});

const logOf = async (gateway: TestGateway, model: string) => {
  await gateway.settled({ timeoutMs: 20_000 });
  const log = (await gateway.logs()).find(({ origin_model_name }) => origin_model_name === model);
  if (!log) throw new Error(`no call of ${model} is logged`);
  return log;
};

describe.concurrent("between gateway and provider:", { tags: ["FT-28"] }, () => {
  test.each(networkFaults.map((problems, index) => ({ ...problems, index })))(
    "$what",
    async (problems) => {
      const { index, welcome = "pass", up = {}, down = {} } = problems;
      const proxy = proxies[index];
      if (!proxy) throw new Error("there is no proxy");
      const isSilent = endsInSilence(problems);
      const gateway = isSilent ? impatient : world;
      Object.assign(proxy, { target: gateway.simulator.url, connectionPolicy: welcome, up, down });
      for (const stream of [true, false]) {
        const models = `network-${index}-${stream}`;
        await gateway.given.channel({ key: `sim-as-n${index}+pace-5+tokens-${tokens}`, base_url: proxy.url, models });
        // Bytes are counted by connection.
        proxy.resetConnections();
        const response = await gateway.send(isSilent ? impatientKey : key, chatBody({ model: models, stream }));
        const text = await response.text();
        const log = await logOf(gateway, models);
        const { attempts } = await gateway.trace(log.id);
        expect(attempts).toHaveLength(1);
        switch (stream ? problems.stream : problems.answer) {
          case "whole": {
            expect(response.status).toBe(200);
            const reported = stream ? readEvents(text).text : JSON.parse(text).choices[0].message.content;
            expect(reported.split(" ")).toHaveLength(tokens);
            if (stream) expect(readEvents(text).events.at(-1)).toBe("[DONE]");
            expect(log).toMatchObject({ outcome: "success", quota: fullCharge });
            break;
          }
          case "cut": {
            expect(response.status).toBe(200);
            const { text: reported, errors } = readEvents(text);
            expect(errors).toMatchObject([{ code: "upstream_cut" }]);
            expect(text).not.toContain('"finish_reason":"stop"');
            const words = reported.split(" ").filter((word) => word !== "").length;
            expect(words).toBeGreaterThan(0);
            expect(words).toBeLessThan(tokens);
            expect(log.outcome).toBe("cut");
            expect(log.completion_tokens).toBeGreaterThanOrEqual(words);
            expect(log.completion_tokens).toBeLessThan(tokens);
            expect(log.quota).toBe(log.prompt_tokens + log.completion_tokens * 4);
            expect(log.content).not.toBe("");
            break;
          }
          case "lost":
            expect(response.status).toBe(504);
            expect(log.outcome).toBe("cut");
            expect(log.prompt_tokens).toBeGreaterThan(0);
            // Bytes of the head count as output.
            expect(log.quota).toBe(log.prompt_tokens + log.completion_tokens * 4);
            break;
          case "refused":
            expect(response.status).toBe(502);
            expect(JSON.parse(text).error.code).toBe("do_request_failed");
            expect(log).toMatchObject({ outcome: "failed", quota: 0, completion_tokens: 0 });
            expect(attempts[0]).toMatchObject({
              outcome: "failed",
              error: expect.stringMatching(/UND_ERR|ECONNRESET|cut|early/),
            });
        }
      }
    },
    60_000,
  );
});

describe("between client and gateway:", () => {
  let front: ChaosProxy;
  beforeAll(async () => {
    await world.given.channel({ key: `sim-as-front+pace-10+tokens-${tokens}`, models: "front" });
  });

  const ask = async (toxics: Pick<NetworkFault, "up" | "down">, stream: boolean) => {
    front = await startChaosProxy(world.url);
    Object.assign(front, toxics);
    let text = "";
    let status = 0;
    let hasEnded = false;
    try {
      const response = await fetch(`${front.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(chatBody({ model: "front", stream })),
      });
      status = response.status;
      const decoder = new TextDecoder();
      for await (const piece of response.body ?? []) text += decoder.decode(piece, { stream: true });
      hasEnded = true;
    } catch {
      // The connection broke off, so the client knows.
    }
    await world.settled();
    const log = await world.lastLog();
    await front.close();
    return { text, status, hasEnded, log };
  };

  test.each<[string, Pick<NetworkFault, "up" | "down">]>([
    ["latency", { up: { latencyMs: 50 }, down: { latencyMs: 20 } }],
    ["little bandwidth", { up: { bytesPerSecond: 2_000 }, down: { bytesPerSecond: 20_000 } }],
    ["pieces of one byte", { up: { sliceBytes: 1 }, down: { sliceBytes: 1 } }],
    ["lost packets", { up: { stalls: { share: 0.3, ms: 50 } }, down: { stalls: { share: 0.3, ms: 50 } } }],
  ])("%s changes nothing", { tags: ["FT-28"] }, async (_what, toxics) => {
    for (const stream of [true, false]) {
      const { text, status, hasEnded, log } = await ask(toxics, stream);
      expect({ status, hasEnded }).toEqual({ status: 200, hasEnded: true });
      if (stream) expect(readEvents(text).events.at(-1)).toBe("[DONE]");
      expect(log).toMatchObject({ outcome: "success", quota: fullCharge });
    }
  });

  test.each(["close", "reset"] as const)(
    "a %s in the middle is no end, and what went out is charged",
    { tags: ["FT-28"] },
    async (end) => {
      const { text, hasEnded, log } = await ask({ down: { limit: { bytes: 2_500, end } } }, true);
      expect(hasEnded).toBe(false);
      expect(text).not.toContain("[DONE]");
      expect(log.outcome).toBe("client_left");
      expect(log.completion_tokens).toBeGreaterThan(0);
      expect(log.quota).toBeLessThan(fullCharge);
    },
  );

  test("a call whose end is cut off counts as no call, and costs nothing", async () => {
    const before = (await world.settled()).rows;
    const { hasEnded } = await ask({ up: { limit: { bytes: 250, end: "close" } } }, true);
    expect(hasEnded).toBe(false);
    expect((await world.settled()).rows).toBe(before);
  });
});

describe("a connection that the provider keeps open", () => {
  /** The number of calls per connection. */
  const served = new WeakMap<Socket, number>();
  let calls: number[] = [];
  let canned: CannedProvider;
  beforeEach(async () => {
    canned = await startCannedProvider();
    spare.target = canned.url;
    spare.resetConnections();
  });
  afterEach(() => canned.close());
  const breaksAt = (call: number, how: "destroy" | "resetAndDestroy") => {
    calls = [];
    canned.answer = (response, request) => {
      const count = (served.get(request.socket) ?? 0) + 1;
      served.set(request.socket, count);
      calls.push(count);
      if (count === call) request.socket[how]();
      else whole(completion("one", { prompt_tokens: 6, completion_tokens: 1 }))(response);
    };
  };

  test.each(["destroy", "resetAndDestroy"] as const)(
    "and ends just as the next call goes out on it (%s): that call is sent once more, and billed once",
    { tags: ["FT-28"] },
    async (how) => {
      const models = `kept-${how}`;
      await world.given.channel({ key: "k", base_url: spare.url, models });
      breaksAt(2, how);
      for (const stream of [false, false]) {
        const reply = await world.chat(key, { model: models, stream });
        expect([reply.status, reply.body?.choices[0].message.content]).toEqual([200, "one"]);
      }
      // The second call used the first one's connection, was lost, and was sent again on another.
      expect(calls).toEqual([1, 2, 1]);
      await world.settled();
      const logs = (await world.logs()).filter(({ origin_model_name }) => origin_model_name === models);
      expect(logs.map(({ quota, outcome }) => ({ quota, outcome }))).toEqual([
        { quota: 10, outcome: "success" },
        { quota: 10, outcome: "success" },
      ]);
    },
  );

  test("and that breaks on its first call is no such case: nothing is sent again", async () => {
    const models = "fresh";
    await world.given.channel({ key: "k", base_url: spare.url, models });
    canned.answer = (_response, request) => void request.socket.destroy();
    // Uses up connections that an earlier test has left open.
    await world.chat(key, { model: models });
    const before = canned.requests.length;
    expect((await world.chat(key, { model: models })).status).toBe(502);
    expect(canned.requests.length).toBe(before + 1);
  });

  test("and that breaks after the first byte is no such case either", async () => {
    const models = "begun";
    await world.given.channel({ key: "k", base_url: spare.url, models });
    breaksAt(0, "destroy");
    await world.chat(key, { model: models });
    calls = [];
    canned.answer = async (response) => {
      calls.push(0);
      response.writeHead(200, { "content-type": "application/json", "content-length": 500 }).write("{");
      await pause(50);
      response.destroy();
    };
    expect((await world.chat(key, { model: models })).status).toBe(502);
    expect(calls).toEqual([0]);
  });
});

test("a provider that accepts no connection: another channel answers after the timeout, and without one the client gets an error", {
  tags: ["FT-05"],
}, async () => {
  await impatient.given.channel({ key: "k", base_url: blackHole.url, models: "hole,hole-alone", priority: 10 });
  await impatient.given.channel({ key: "sim-ok", models: "hole" });
  const [reply, alone] = await Promise.all([
    impatient.chat(impatientKey, { model: "hole", max_tokens: 12 }),
    impatient.chat(impatientKey, { model: "hole-alone" }),
  ]);
  expect(reply.status).toBe(200);
  expect(alone.status).toBe(502);
  const log = await logOf(impatient, "hole-alone");
  expect(log).toMatchObject({ outcome: "failed", quota: 0 });
  expect((await impatient.trace(log.id)).attempts).toMatchObject([{ error: "UND_ERR_CONNECT_TIMEOUT" }]);
});

describe.skipIf(!databaseKinds.includes("postgres"))("between gateway and PostgreSQL:", () => {
  test("lost packets and connections that break repeatedly: no call is served unbilled", {
    tags: ["FT-14", "FT-28"],
    timeout: 180_000,
  }, async () => {
    const limited = { max_tokens: 12 };
    const proxy = await startChaosProxy(process.env.TEST_POSTGRES_URL);
    const proxied = new URL(process.env.TEST_POSTGRES_URL ?? "");
    proxied.host = proxy.host;
    const own = await startTestGateway({
      store: "postgres",
      postgresUrl: proxied.href,
      env: { SHUTDOWN_GRACE_SECONDS: "5" },
    });
    try {
      const { pid } = own.process;
      await own.given.channel({ key: "sim-ok" });
      const { key: ownKey } = await own.given.token();
      const lossy: Toxics = { stalls: { share: 0.3, ms: 30 } };
      Object.assign(proxy, { up: lossy, down: lossy });
      const load = keepCalling(own, ownKey, 8, limited);
      for (let round = 0; round < 8; round += 1) {
        const answered = load.statuses.length;
        await eventually(() => expect(load.statuses.length).toBeGreaterThan(answered + 4), { timeoutMs: 30_000 });
        proxy.resetConnections();
      }
      await load.stop();
      proxy.clearToxics();
      await eventually(async () => expect((await own.chat(ownKey, limited)).status).toBe(200));
      expect(new Set(load.statuses)).toEqual(expect.toBeOneOf([new Set([200]), new Set([200, 503])]));
      const { rows, charged, succeeded, held } = await own.settled({ timeoutMs: 90_000 });
      expect(held).toBe(0);
      expect(succeeded).toBeGreaterThanOrEqual(load.statuses.filter((status) => status === 200).length + 1);
      expect(charged).toBe(succeeded * defaultCharge);
      expect(rows).toBe(succeeded);
      expect(own.process.pid).toBe(pid);
      expect(await own.audit()).toBe("The books agree.");
    } finally {
      await own.close();
      await proxy.close();
    }
  });

  test("a single connection to it is enough: calls wait for their turn", {
    tags: ["FT-14"],
    timeout: 120_000,
  }, async () => {
    const own = await startTestGateway({
      store: "postgres",
      env: { DATABASE_CONNECTIONS: "1", SHUTDOWN_GRACE_SECONDS: "5" },
    });
    try {
      await own.given.channel({ key: "sim-ok" });
      const { key: ownKey } = await own.given.token();
      const replies = await Promise.all(Array.from({ length: 40 }, () => own.chat(ownKey, { max_tokens: 12 })));
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
      expect(await own.settled()).toMatchObject({ rows: 40, charged: 40 * defaultCharge });
      expect(await readReply(await fetch(`${own.url}/readyz`))).toMatchObject({ status: 200 });
      expect(await own.audit()).toBe("The books agree.");
    } finally {
      await own.close();
    }
  });
});

test("a mail server that accepts the connection and stays silent delays no request", {
  tags: ["FT-29"],
  timeout: 60_000,
}, async () => {
  const mute = await startChaosProxy();
  mute.connectionPolicy = "silence";
  const own = await startTestGateway({
    env: {
      SMTP_URL: `smtp://${mute.host}?from=gateway@example.org`,
      PUBLIC_URL: "http://127.0.0.1",
      SHUTDOWN_GRACE_SECONDS: "5",
    },
  });
  try {
    await own.api("PUT", "/api/option/", { key: "RegisterEnabled", value: "true" });
    const ask = async () => {
      const response = await fetch(`${own.url}/api/verification`, {
        method: "POST",
        headers: { "content-type": "application/json", [consoleHeader.name]: consoleHeader.value },
        body: JSON.stringify({ email: "mira@example.org" }),
      });
      return { status: response.status, ...((await response.json()) as { success: boolean }) };
    };
    const answer = await Promise.race([ask(), pause(8_000).then(() => "still waiting")]);
    expect(answer).toMatchObject({ status: 200, success: true });
    await eventually(() => expect(mute.connections).toBeGreaterThan(0));
    expect((await fetch(`${own.url}/readyz`)).status).toBe(200);
  } finally {
    // Ends the connections that still wait.
    mute.resetConnections();
    await own.close();
    await mute.close();
  }
});

/** A listener with a full queue that never accepts a connection: connecting hangs. */
async function startBlackHole() {
  const source =
    "require('net').createServer().listen({port: 0, host: '127.0.0.1', backlog: 1}, function () { console.log(this.address().port) })";
  const program = startProgram({ file: process.execPath, args: ["-e", source], env: { PATH: process.env.PATH } });
  const port = await program.waitForLine((line) => Number(line) || undefined, 20_000);
  program.kill("SIGSTOP");
  const knocking: Socket[] = [];
  // Those that are let in fill the queue; the first that is not shows that it is full.
  for (let isFull = false; !isFull; ) {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    knocking.push(socket);
    isFull = await Promise.race([once(socket, "connect").then(() => false), pause(300).then(() => true)]);
    if (knocking.length > 600) throw new Error("the queue is never full");
  }
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      for (const socket of knocking) socket.destroy();
      program.kill("SIGKILL");
      await program.exited;
    },
  };
}
