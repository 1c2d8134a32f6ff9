// F-122: the database server restarts repeatedly while calls run; the gateway stays the same
// process, answers soon after each restart, breaks off no answer, and charges every response once.
import { setTimeout as pause } from "node:timers/promises";
import { findIdFromRequestId } from "@tollgate/gateway/storage/time-ids.ts";
import { eventually } from "@tollgate/tests/harness/eventually.ts";
import { defaultCharge, readEvents } from "@tollgate/tests/harness/test-gateway.ts";
import { randomFrom } from "@tollgate/tests/support/seeded-random.ts";
import type { RunGateway } from "../runs/run-gateway.ts";
import { median } from "../runs/statistics.ts";
import { difference, type Race, withRaceGateway } from "./race-support.ts";

const callers = 12;
const answerMsMax = 5_000;
/** The time between two restarts, so that each meets other work. */
const loadMs = { least: 500, more: 1_500 } as const;
const refusedPauseMs = 20;

export const restartRace: Race = ({ restartServer, ...use }, count) =>
  withRaceGateway(use, { env: { SHUTDOWN_GRACE_SECONDS: "10" } }, async (runGateway) => {
    if (!restartServer) throw new Error("there is no server to restart");
    await runGateway.world.given.channel({ key: "sim-slow-5-60", models: "whole" });
    await runGateway.world.given.channel({ key: "sim-pace-10", models: "stream" });
    const { key } = await runGateway.world.given.token();
    const random = randomFrom(use.seed);
    const { pid } = runGateway.world.process;
    let hasEnded = false;
    void runGateway.world.process.exited.then(() => {
      hasEnded = true;
    });

    const load = keepAsking(runGateway, key);
    const answeredMs: number[] = [];
    const problems: string[] = [];
    for (let round = 0; round < count; round += 1) {
      await pause(loadMs.least + random() * loadMs.more);
      await restartServer();
      const upAt = performance.now();
      await eventually(
        async () => {
          const { status } = await runGateway.world.chat(key, { model: "whole", max_tokens: 12 });
          if (status !== 200) throw new Error(`still ${status}`);
        },
        { timeoutMs: 60_000 },
      );
      answeredMs.push(performance.now() - upAt);
    }
    const { whole, refused, broken } = await load.stop();
    const slowest = Math.max(...answeredMs);
    if (slowest > answerMsMax)
      problems.push(`the first good answer after a restart took ${slowest.toFixed(0)} ms`);
    if (hasEnded) problems.push("the gateway ended");
    problems.push(...broken);
    problems.push(...difference("the gateway's process", runGateway.world.process.pid, pid));

    await runGateway.world.settled({ timeoutMs: 120_000 });
    const charges = await chargesOf(runGateway);
    const wrong = whole.flatMap((id) =>
      difference(`whole answer ${id}, charged`, charges.get(id) ?? 0, defaultCharge),
    );
    problems.push(...wrong);
    const answered = whole.length + count;
    return {
      size: count,
      figures: `${count} restarts of the server under ${callers} callers, process ${pid} throughout: first good answer after median ${median(answeredMs).toFixed(0)} ms, longest ${slowest.toFixed(0)} ms; ${answered} whole answers, ${wrong.length} of them not charged exactly once, ${refused} calls refused for want of storage meanwhile, ${broken.length} broken off or refused otherwise`,
      problems,
    };
  });

function keepAsking(runGateway: RunGateway, key: string) {
  const whole: number[] = [];
  const broken: string[] = [];
  let refused = 0;
  let isOver = false;
  const ask = async (isStream: boolean): Promise<number | undefined> => {
    try {
      const model = isStream ? "stream" : "whole";
      const response = await runGateway.call(key, { model, stream: isStream, max_tokens: 12 });
      const text = await response.text();
      if (response.status === 503) refused += 1;
      else if (response.status !== 200)
        broken.push(`a call was refused with ${response.status}: ${text}`);
      else if (isStream && readEvents(text).events.at(-1) !== "[DONE]")
        broken.push(`a stream broke off: ${text}`);
      else return findIdFromRequestId(response.headers.get("x-oneapi-request-id") ?? "");
    } catch (cause) {
      broken.push(`a call broke off: ${String(cause)}`);
    }
    return undefined;
  };
  const done = Promise.all(
    Array.from({ length: callers }, async (_, n) => {
      while (!isOver) {
        const id = await ask(n % 2 === 0);
        if (id === undefined) await pause(refusedPauseMs);
        else whole.push(id);
      }
    }),
  );
  return {
    async stop() {
      isOver = true;
      await done;
      return { whole, refused, broken };
    },
  };
}

async function chargesOf(runGateway: RunGateway): Promise<Map<number, number>> {
  const rows = await runGateway.rows<{ id: number; amount: number }>(
    "select billing_id as id, sum(amount) as amount from ledger where credit = 'revenue' group by billing_id",
  );
  return new Map(rows.map(({ id, amount }) => [Number(id), Number(amount)]));
}
