// Connections to a provider that are kept open and break: a call is sent once more only where it
// cannot have been answered.
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type ChaosProxy, startChaosProxy } from "../harness/chaos-proxy.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import {
  type CannedProvider,
  completion,
  startCannedProvider,
  whole,
} from "../relay/canned-provider.ts";
import { closeSound } from "./network-gateway.ts";

describe("a connection that the provider keeps open", () => {
  let world: TestGateway;
  let key: string;
  /** `proxy` is in front of the provider that each test has for itself. */
  let proxy: ChaosProxy;
  beforeAll(async () => {
    proxy = await startChaosProxy();
    world = await startTestGateway({
      upstreams: [proxy.url],
      env: { SHUTDOWN_GRACE_SECONDS: "5" },
    });
    key = (await world.given.token()).key;
  });
  afterAll(async () => {
    await closeSound(world);
    await proxy.close();
  });

  /** The number of calls per connection. */
  const served = new WeakMap<Socket, number>();
  let calls: number[] = [];
  let canned: CannedProvider;
  beforeEach(async () => {
    canned = await startCannedProvider();
    proxy.target = canned.url;
    proxy.resetConnections();
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
      await world.given.channel({ key: "k", base_url: proxy.url, models });
      breaksAt(2, how);
      for (const stream of [false, false]) {
        const reply = await world.chat(key, { model: models, stream });
        expect([reply.status, reply.body?.choices[0].message.content]).toEqual([200, "one"]);
      }
      // The second call used the first one's connection, was lost, and was sent again on another.
      expect(calls).toEqual([1, 2, 1]);
      await world.settled();
      const logs = (await world.logs()).filter(
        ({ origin_model_name }) => origin_model_name === models,
      );
      expect(logs.map(({ quota, outcome }) => ({ quota, outcome }))).toEqual([
        { quota: 10, outcome: "success" },
        { quota: 10, outcome: "success" },
      ]);
    },
  );

  test("and that breaks on its first call is no such case: nothing is sent again", async () => {
    const models = "fresh";
    await world.given.channel({ key: "k", base_url: proxy.url, models });
    canned.answer = (_response, request) => void request.socket.destroy();
    // Uses up connections that an earlier test has left open.
    await world.chat(key, { model: models });
    const before = canned.requests.length;
    expect((await world.chat(key, { model: models })).status).toBe(502);
    expect(canned.requests.length).toBe(before + 1);
  });

  test("and that breaks after the first byte is no such case either", async () => {
    const models = "begun";
    await world.given.channel({ key: "k", base_url: proxy.url, models });
    breaksAt(0, "destroy");
    await world.chat(key, { model: models });
    calls = [];
    canned.answer = async (response) => {
      calls.push(0);
      response
        .writeHead(200, { "content-type": "application/json", "content-length": 500 })
        .write("{");
      await pause(50);
      response.destroy();
    };
    expect((await world.chat(key, { model: models })).status).toBe(502);
    expect(calls).toEqual([0]);
  });
});
