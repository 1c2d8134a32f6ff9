// SIGTERM with many streams that last up to a minute: each reaches its end and is charged, and the
// exit code is 0.
import { setTimeout as pause } from "node:timers/promises";
import { findIdFromRequestId } from "@tollgate/gateway/storage/time-ids.ts";
import { eventually } from "@tollgate/tests/harness/eventually.ts";
import { readEvents } from "@tollgate/tests/harness/test-gateway.ts";
import {
  chunk,
  done,
  startCannedProvider,
  usageEvent,
} from "@tollgate/tests/relay/canned-provider.ts";
import { difference, type Race, retryingCaller, withRaceGateway } from "./race-support.ts";

const longestMs = 60_000;
/** Longer than the longest stream, so that only the end of the streams ends the gateway. */
const graceSeconds = "120";
const wordEveryMs = 500;
const promptTokens = 6;
const answerRate = 4;

interface FinishedStream {
  id: number | undefined;
  words: number;
  isWhole: boolean;
}

/** The streams end evenly spread over a minute after the signal. */
export const stopRace: Race = async (options, count) => {
  const canned = await startCannedProvider();
  try {
    const env = { SHUTDOWN_GRACE_SECONDS: graceSeconds };
    return await withRaceGateway(options, { upstreams: [canned.url], env }, async (runGateway) => {
      await runGateway.world.given.channel({ key: "canned", base_url: canned.url, models: "long" });
      const { key } = await runGateway.world.given.token();
      const retrying = retryingCaller(runGateway);
      const stopped = Promise.withResolvers<void>();
      const reported = new Map<number, number>();
      let started = 0;
      canned.answer = async (response, _, body) => {
        const n = markOf(body);
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(chunk("word"));
        started += 1;
        await stopped.promise;
        const words = Math.ceil(((n + 1) * longestMs) / count / wordEveryMs);
        for (let word = 0; word < words; word += 1) {
          await pause(wordEveryMs);
          response.write(chunk(" word"));
        }
        reported.set(n, words + 1);
        response.write(chunk("", { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }));
        response.write(usageEvent({ prompt_tokens: promptTokens, completion_tokens: words + 1 }));
        response.end(done);
      };
      const reading = Array.from({ length: count }, (_, n) => readToEnd(retrying, key, n));
      await eventually(
        async () => {
          const { reservations } = await runGateway.world.books();
          if (started < count || reservations < count)
            throw new Error(`${started} streams of ${count} have begun`);
        },
        { timeoutMs: 100_000, everyMs: 200 },
      );
      const { process: gateway } = runGateway.world;
      gateway.kill("SIGTERM");
      await eventually(() => {
        if (!gateway.output().includes('"stopping"'))
          throw new Error("the gateway has not begun to stop");
      });
      const stoppedAt = performance.now();
      stopped.resolve();
      const finished = await Promise.all(reading);
      const { code, signal } = await gateway.exited;
      const tookMs = performance.now() - stoppedAt;

      const problems = difference("the end of the gateway", `${code} ${signal}`, "0 null");
      const charged = new Map(
        (await runGateway.world.logs()).map(({ id, quota, outcome }) => [
          id,
          `${outcome} ${quota}`,
        ]),
      );
      for (const [n, { id, words, isWhole }] of finished.entries()) {
        const expected = reported.get(n) ?? 0;
        if (!isWhole) problems.push(`stream ${n} did not reach its end`);
        problems.push(
          ...difference(`words of stream ${n}`, words, expected),
          ...difference(
            `the row of stream ${n}`,
            charged.get(id ?? 0),
            `success ${promptTokens + expected * answerRate}`,
          ),
        );
      }
      const whole = finished.filter(({ isWhole }) => isWhole).length;
      return {
        size: count,
        figures: `SIGTERM with ${count} live streams: ${whole} complete over ${(tookMs / 1000).toFixed(0)} s, ${charged.size} charged, exit code ${code}${retrying.told()}`,
        problems,
      };
    });
  } finally {
    await canned.close();
  }
};

async function readToEnd(
  retrying: ReturnType<typeof retryingCaller>,
  key: string,
  n: number,
): Promise<FinishedStream> {
  const messages = [{ role: "user", content: `mark-${n}` }];
  try {
    const response = await retrying.call(key, { model: "long", stream: true, messages });
    const id = findIdFromRequestId(response.headers.get("x-oneapi-request-id") ?? "");
    const { text, events, errors } = readEvents(await response.text());
    const words = text.split(" ").length;
    return {
      id,
      words,
      isWhole: response.status === 200 && errors.length === 0 && events.at(-1) === "[DONE]",
    };
  } catch {
    return { id: undefined, words: 0, isWhole: false };
  }
}

const markOf = (body: string): number => Number(/"mark-(\d+)"/.exec(body)?.[1]);
