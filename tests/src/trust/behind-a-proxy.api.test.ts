// The gateway behind nginx and behind Caddy as docs/operations.md configures them: most
// installations have such a proxy.

import { request } from "node:http";
import { connect } from "node:net";
import OpenAI from "openai";
import { OpenAIRealtimeWS } from "openai/realtime/ws";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import type { FrontingProxy } from "../harness/fronting-proxy.ts";
import {
  chatBody,
  defaultCharge,
  question,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";
import {
  type CannedRealtimeProvider,
  sendResponse,
  startCannedRealtimeProvider,
} from "../relay/canned-realtime-provider.ts";
import { rawConnection } from "../relay/raw-clients.ts";
import { frontingProxies, type StartFrontingProxy } from "./fronting-proxies.ts";
import { rawFamilies, rawRequests } from "./raw-requests.ts";

for (const { name, possible, start, tags } of frontingProxies)
  describe.skipIf(!possible.available)(
    `behind ${name}${possible.available ? "" : ` (${possible.reason})`}`,
    { tags },
    () => showCalls(start),
  );

function showCalls(start: StartFrontingProxy): void {
  let world: TestGateway;
  let proxy: FrontingProxy;
  let voice: CannedRealtimeProvider;
  let key: string;
  beforeAll(async () => {
    voice = await startCannedRealtimeProvider();
    voice.onEvent = (session, { type }) => {
      if (type === "response.create") sendResponse(session);
    };
    world = await startTestGateway({
      upstreams: [voice.url],
      env: { TRUSTED_PROXIES: "127.0.0.1" },
    });
    await world.given.channel({ key: "sim-ok" });
    await world.given.channel({ key: "sim-pace-100+tokens-40", models: "slow" });
    await world.given.channel({ key: "provider-key", base_url: voice.url, models: "gpt-realtime" });
    ({ key } = await world.given.token());
    proxy = await start(world.url);
  });
  afterAll(async () => {
    await proxy.stop();
    expect(await world.settled()).toMatchObject({ held: 0, reservations: 0 });
    expect(await world.audit()).toBe("The books agree.");
    await world.close();
    await voice.close();
  });

  const client = () => new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: key, maxRetries: 0 });
  const messages = [{ role: "user" as const, content: question }];

  test("a library gets its answer, charged once", async () => {
    const before = await world.settled();
    const { choices } = await client().chat.completions.create({ model: "sim-model", messages });
    expect(choices[0]?.message.content).not.toBe("");
    const after = await world.settled();
    expect([after.rows - before.rows, after.charged - before.charged]).toEqual([1, defaultCharge]);
  });

  test("a stream arrives word by word, and a client that disconnects ends it at the provider", async () => {
    const stream = await client().chat.completions.create({
      model: "slow",
      stream: true,
      messages,
    });
    let words = 0;
    for await (const { choices } of stream) {
      if (choices[0]?.delta.content) words += 1;
      // Four seconds before its end: nothing between us has gathered it.
      if (words === 3) break;
    }
    expect(words).toBe(3);
    const log = await world.lastLog();
    expect(log.outcome).toBe("client_left");
    expect(log.completion_tokens).toBeLessThan(40);
  });

  test("a realtime session is opened, holds a conversation and is charged", async () => {
    const before = await world.settled();
    const options = {
      createConnection: () => connect(Number(new URL(proxy.url).port), "127.0.0.1"),
    } as object;
    const session = new OpenAIRealtimeWS({ model: "gpt-realtime", options }, client());
    const done = new Promise((resolve) => session.once("response.done", resolve));
    session.once("session.created", () => session.send({ type: "response.create" }));
    await done;
    session.close();
    await eventually(async () => expect((await world.settled()).rows).toBe(before.rows + 1));
  });

  test("the client's own address counts, and none that it claims", async () => {
    const { key: near } = await world.given.token({ subnet: "127.0.0.2/32" });
    const { key: far } = await world.given.token({ subnet: "203.0.113.0/24" });
    const ask = (token: string, headers: Record<string, string> = {}) =>
      new Promise<number>((resolve, reject) => {
        const asked = request(`${proxy.url}/v1/models`, {
          // Of the machine as well, and not the address of the proxy.
          localAddress: "127.0.0.2",
          headers: { authorization: `Bearer ${token}`, ...headers },
        });
        asked
          .on("error", reject)
          .on("response", (response) => resolve(response.resume().statusCode ?? 0));
        asked.end();
      });
    expect(await ask(near)).toBe(200);
    expect(await ask(far)).toBe(403);
    expect(await ask(far, { "x-forwarded-for": "203.0.113.7" })).toBe(403);
    expect(await ask(near, { "x-forwarded-for": "203.0.113.7" })).toBe(200);
  });

  test("a body as large as the gateway takes comes through; a larger one is refused and not charged", async () => {
    const before = await world.settled();
    const ask = (megabytes: number) =>
      fetch(`${proxy.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(chatBody({ user: "x".repeat(megabytes * 1024 * 1024) })),
      });
    expect((await ask(20)).status).toBe(200);
    expect((await ask(40)).status).toBe(413);
    expect((await world.settled()).rows).toBe(before.rows + 1);
  });

  test.each(rawFamilies)(
    "F-81 raw requests, %s: we see no call that the proxy has not seen",
    { tags: ["F-81"] },
    async (family) => {
      const requests = rawRequests({ key, body: JSON.stringify(chatBody({ max_tokens: 12 })) });
      const waiting = requests.filter((request) => request.family === family);
      const [asked, passed] = [(await world.simulator.stats()).calls, proxy.passed()];
      await Promise.all(
        Array.from({ length: 10 }, async () => {
          for (let next = waiting.shift(); next; next = waiting.shift()) {
            const { socket, closed } = await rawConnection(proxy.url);
            // A proxy waits for the rest of a request as it has parsed it, and there is no rest.
            socket.setTimeout(300, () => socket.destroy());
            socket[next.isCutOff ? "end" : "write"](next.bytes, "latin1");
            await closed;
          }
        }),
      );
      await world.settled();
      await eventually(async () =>
        expect((await world.simulator.stats()).calls - asked).toBeLessThanOrEqual(
          proxy.passed() - passed,
        ),
      );
      // Nothing is left on the upstream connections that the proxy shares among its clients.
      for (let n = 0; n < 5; n += 1) {
        const other = await fetch(`${proxy.url}/v1/models/none`, {
          headers: { authorization: "Bearer wrong" },
        });
        expect(other.status).toBe(401);
      }
    },
  );
}
