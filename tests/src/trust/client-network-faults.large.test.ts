// Networks that are slow, lose or cut between client and gateway: nothing changes, or what went out
// is charged.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startChaosProxy, type Toxics } from "../harness/chaos-proxy.ts";
import {
  chatBody,
  readEvents,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";
import { answerTokens, closeSound, wholeCharge } from "./network-gateway.ts";

interface ClientToxics {
  up?: Toxics;
  down?: Toxics;
}

describe("between client and gateway:", () => {
  let world: TestGateway;
  let key: string;
  beforeAll(async () => {
    world = await startTestGateway({ env: { SHUTDOWN_GRACE_SECONDS: "5" } });
    key = (await world.given.token()).key;
    await world.given.channel({
      key: `sim-as-front+pace-10+tokens-${answerTokens}`,
      models: "front",
    });
  });
  afterAll(() => closeSound(world));

  const ask = async (toxics: ClientToxics, stream: boolean) => {
    const front = await startChaosProxy(world.url);
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
      for await (const piece of response.body ?? [])
        text += decoder.decode(piece, { stream: true });
      hasEnded = true;
    } catch {
      // The connection broke off, so the client knows.
    }
    await world.settled();
    const log = await world.lastLog();
    await front.close();
    return { text, status, hasEnded, log };
  };

  test.each<[string, ClientToxics]>([
    ["latency", { up: { latencyMs: 50 }, down: { latencyMs: 20 } }],
    ["little bandwidth", { up: { bytesPerSecond: 2_000 }, down: { bytesPerSecond: 20_000 } }],
    ["pieces of one byte", { up: { sliceBytes: 1 }, down: { sliceBytes: 1 } }],
    [
      "lost packets",
      { up: { stalls: { share: 0.3, ms: 50 } }, down: { stalls: { share: 0.3, ms: 50 } } },
    ],
  ])("%s changes nothing", { tags: ["FT-28"] }, async (_what, toxics) => {
    for (const stream of [true, false]) {
      const { text, status, hasEnded, log } = await ask(toxics, stream);
      expect({ status, hasEnded }).toEqual({ status: 200, hasEnded: true });
      if (stream) expect(readEvents(text).events.at(-1)).toBe("[DONE]");
      expect(log).toMatchObject({ outcome: "success", quota: wholeCharge });
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
      expect(log.quota).toBeLessThan(wholeCharge);
    },
  );

  test("a call whose end is cut off counts as no call, and costs nothing", async () => {
    const before = (await world.settled()).rows;
    const { hasEnded } = await ask({ up: { limit: { bytes: 250, end: "close" } } }, true);
    expect(hasEnded).toBe(false);
    expect((await world.settled()).rows).toBe(before);
  });
});
