// Networks that are slow, lose, cut, reset or go silent between gateway and provider: no client
// takes a part for the whole, what is charged is what came, and the trace says what happened.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startBlackHole } from "../harness/black-hole.ts";
import {
  type ChaosProxy,
  type ConnectionPolicy,
  startChaosProxy,
  type Toxics,
} from "../harness/chaos-proxy.ts";
import {
  chatBody,
  readEvents,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";
import { answerTokens, closeSound, wholeCharge } from "./network-gateway.ts";

const silenceSeconds = 2;

/**
 * `whole`: everything arrived. `cut`: a part arrived, the client gets an error and pays for it.
 * `refused`: the provider broke off before its answer. `lost`: it took the request and said nothing
 * more, so it may bill the prompt.
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
  {
    what: "latency",
    up: { latencyMs: 30 },
    down: { latencyMs: 30 },
    stream: "whole",
    answer: "whole",
  },
  { what: "little bandwidth", down: { bytesPerSecond: 12_000 }, stream: "whole", answer: "whole" },
  {
    what: "pieces of one byte",
    up: { sliceBytes: 1 },
    down: { sliceBytes: 1 },
    stream: "whole",
    answer: "whole",
  },
  {
    what: "a third of the packets lost",
    up: { stalls: { share: 0.3, ms: 60 } },
    down: { stalls: { share: 0.3, ms: 60 } },
    stream: "whole",
    answer: "whole",
  },
  { what: "an end that comes late", down: { slowCloseMs: 500 }, stream: "whole", answer: "whole" },
  {
    what: "a connection that is never answered",
    welcome: "silence",
    stream: "lost",
    answer: "lost",
  },
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

/**
 * Only silence may end a call by time: elsewhere, a busy machine would end one that is merely slow.
 */
const endsInSilence = ({ welcome, up, down }: NetworkFault): boolean =>
  welcome === "silence" || up?.isPaused === true || down?.limit?.end === "stop";

/** `world` waits for providers as long as operators' gateways do. */
let world: TestGateway;
/** `impatient` takes a provider that is silent for two seconds for lost. */
let impatient: TestGateway;
let key: string;
let impatientKey: string;
let blackHole: Awaited<ReturnType<typeof startBlackHole>>;
const proxies: ChaosProxy[] = [];
beforeAll(async () => {
  blackHole = await startBlackHole();
  for (const _ of networkFaults) proxies.push(await startChaosProxy());
  const upstreams = [blackHole.url, ...proxies.map(({ url }) => url)];
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
  for (const gateway of [world, impatient]) await closeSound(gateway);
  for (const proxy of proxies) await proxy.close();
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
        await gateway.given.channel({
          key: `sim-as-n${index}+pace-5+tokens-${answerTokens}`,
          base_url: proxy.url,
          models,
        });
        // Bytes are counted by connection.
        proxy.resetConnections();
        const response = await gateway.send(
          isSilent ? impatientKey : key,
          chatBody({ model: models, stream }),
        );
        const text = await response.text();
        const log = await logOf(gateway, models);
        const { attempts } = await gateway.trace(log.id);
        expect(attempts).toHaveLength(1);
        switch (stream ? problems.stream : problems.answer) {
          case "whole": {
            expect(response.status).toBe(200);
            const reported = stream
              ? readEvents(text).text
              : JSON.parse(text).choices[0].message.content;
            expect(reported.split(" ")).toHaveLength(answerTokens);
            if (stream) expect(readEvents(text).events.at(-1)).toBe("[DONE]");
            expect(log).toMatchObject({ outcome: "success", quota: wholeCharge });
            break;
          }
          case "cut": {
            expect(response.status).toBe(200);
            const { text: reported, errors } = readEvents(text);
            expect(errors).toMatchObject([{ code: "upstream_cut" }]);
            expect(text).not.toContain('"finish_reason":"stop"');
            const words = reported.split(" ").filter((word) => word !== "").length;
            expect(words).toBeGreaterThan(0);
            expect(words).toBeLessThan(answerTokens);
            expect(log.outcome).toBe("cut");
            expect(log.completion_tokens).toBeGreaterThanOrEqual(words);
            expect(log.completion_tokens).toBeLessThan(answerTokens);
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

test("a provider that accepts no connection: another channel answers after the timeout, and without one the client gets an error", {
  tags: ["FT-05"],
}, async () => {
  await impatient.given.channel({
    key: "k",
    base_url: blackHole.url,
    models: "hole,hole-alone",
    priority: 10,
  });
  await impatient.given.channel({ key: "sim-ok", models: "hole" });
  const [reply, alone] = await Promise.all([
    impatient.chat(impatientKey, { model: "hole", max_tokens: 12 }),
    impatient.chat(impatientKey, { model: "hole-alone" }),
  ]);
  expect(reply.status).toBe(200);
  expect(alone.status).toBe(502);
  const log = await logOf(impatient, "hole-alone");
  expect(log).toMatchObject({ outcome: "failed", quota: 0 });
  expect((await impatient.trace(log.id)).attempts).toMatchObject([
    { error: "UND_ERR_CONNECT_TIMEOUT" },
  ]);
});
