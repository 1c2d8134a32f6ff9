// F-45, F-50: clients disconnect in the middle of their streams; how long the provider goes on, and
// what stays occupied.
import { setTimeout as pause } from "node:timers/promises";
import type { ReceivedCall } from "@tollgate/simulator/call-log.ts";
import { eventually } from "@tollgate/tests/harness/eventually.ts";
import { contentEvents } from "@tollgate/tests/relay/raw-clients.ts";
import { randomFrom } from "@tollgate/tests/support/seeded-random.ts";
import { median, percentile } from "../runs/statistics.ts";
import {
  difference,
  type Race,
  retryingCaller,
  sumOf,
  untilNothingIsOpen,
  withRaceGateway,
} from "./race-support.ts";

const tokens = 10;
/** Fifty clients disconnect per second. */
const leaveEveryMs = 20;
const abortMsMaxUsual = 1_000;
/**
 * A provider that keeps sending, and a silent one: for that, only the closed connection reveals the
 * client's absence.
 */
const models = { talking: "sim-pace-1000+tokens-2000", silent: "sim-stall-3+tokens-2000" } as const;
const promptRate = 1;
const answerRate = 4;

export const disconnectRace: Race = (use, count) => disconnectsWithin(abortMsMaxUsual, use, count);

/**
 * The provider's calls must have ended after `abortMsMax`, except for the slowest one in a hundred.
 */
export const disconnectsWithin = (
  abortMsMax: number,
  ...[use, count]: Parameters<Race>
): ReturnType<Race> =>
  withRaceGateway(use, {}, async (gateway) => {
    for (const [name, key] of Object.entries(models))
      await gateway.world.given.channel({ key, models: name });
    await gateway.world.given.channel({ key: "sim-ok", models: "short" });
    const places = Math.ceil(count / tokens);
    const keys = await Promise.all(
      Array.from({ length: tokens }, async () => {
        const { id, key } = await gateway.world.given.token({ max_parallel_requests: places });
        await gateway.addBudget("token", id, "lifetime");
        return key;
      }),
    );
    const keyOf = (n: number): string => keys[n % keys.length] ?? "";
    const random = randomFrom(use.seed);
    const retrying = retryingCaller(gateway);
    const names = Object.keys(models);

    const problems: string[] = [];
    const started = Array.from({ length: count }, () => Promise.withResolvers<void>());
    const everyoneReads = Promise.all(started.map(({ promise }) => promise));
    const leftAt = await Promise.all(
      started.map(async ({ resolve }, n) => {
        const afterMs = random() * count * leaveEveryMs;
        try {
          return await readThenDisconnect(
            retrying,
            keyOf(n),
            names[n % names.length] ?? "",
            n,
            () => {
              resolve();
              return everyoneReads.then(() => pause(afterMs));
            },
          );
        } catch (cause) {
          resolve();
          problems.push(`caller ${n}: ${String(cause)}`);
          return undefined;
        }
      }),
    );
    await eventually(async () => {
      const { openCalls } = await gateway.world.simulator.stats();
      if (openCalls > 0) throw new Error(`${openCalls} calls are open at the provider`);
    }).catch((cause: unknown) => problems.push(String(cause)));
    const ended = new Map(
      (await gateway.world.simulator.calls()).map((call) => [markOf(call), call]),
    );
    const tookMs = leftAt.flatMap((at, n) => {
      const end = ended.get(`mark-${n}`)?.abortedAt;
      if (typeof end === "number" && at !== undefined) return end - at;
      problems.push(`the provider's call of caller ${n} was not ended`);
      return [];
    });
    const p99 = percentile(tookMs, 0.99);
    if (p99 > abortMsMax)
      problems.push(`the provider's calls ended after ${p99.toFixed(0)} ms at the 99th percentile`);
    await untilNothingIsOpen(gateway);

    const rows = (await gateway.world.logs()).filter(({ outcome }) => outcome === "client_left");
    problems.push(...difference("rows of callers who left", rows.length, count));
    for (const { id, quota, prompt_tokens, completion_tokens } of rows) {
      problems.push(
        ...difference(
          `call ${id}`,
          quota,
          prompt_tokens * promptRate + completion_tokens * answerRate,
        ),
      );
    }
    // As many calls at once as every token may have: a slot that is still occupied would refuse one
    // of them.
    const repeated = await Promise.all(
      started.map(async (_, n) => {
        const response = await retrying.call(keyOf(n), { model: "short" });
        await response.text();
        return response.status;
      }),
    );
    problems.push(
      ...difference(
        "calls served in their places",
        repeated.filter((status) => status === 200).length,
        count,
      ),
    );
    return {
      size: count,
      figures: `${tookMs.length} of ${count} provider's calls ended when their callers left: median ${median(tookMs).toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, longest ${Math.max(0, ...tookMs).toFixed(0)} ms; ${sumOf(rows.map(({ quota }) => quota))} units for what was delivered, all places free, no hold left${retrying.told()}`,
      problems,
    };
  });

const now = (): number => performance.timeOrigin + performance.now();

/** The time of the disconnect in milliseconds since 1970, the simulator's clock. */
async function readThenDisconnect(
  retrying: ReturnType<typeof retryingCaller>,
  key: string,
  model: string,
  n: number,
  stayed: () => Promise<void>,
): Promise<number> {
  const disconnect = new AbortController();
  const messages = [{ role: "user", content: `mark-${n}` }];
  const response = await retrying.call(
    key,
    { model, stream: true, messages },
    { signal: disconnect.signal },
  );
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const reader = response.body?.getReader();
  if (!reader) throw new Error("there is nothing to read");
  const decoder = new TextDecoder();
  let read = "";
  while (contentEvents(read) === 0) {
    const { done, value } = await reader.read();
    if (done) throw new Error("the stream ended before its first word");
    read += decoder.decode(value, { stream: true });
  }
  // The client reads until it disconnects.
  const reading = (async () => {
    while (!(await reader.read()).done);
  })().catch(() => undefined);
  await stayed();
  const at = now();
  disconnect.abort();
  await reading;
  return at;
}

function markOf({ body }: ReceivedCall): string {
  const { messages } = body as { messages?: { content?: string }[] };
  return messages?.[0]?.content ?? "";
}
