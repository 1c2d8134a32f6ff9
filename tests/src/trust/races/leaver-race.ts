// F-45, F-50: callers leave in the middle of their streams; how long the provider goes on for nobody, and what stays taken.
import { setTimeout as pause } from "node:timers/promises";
import type { ReceivedCall } from "@tollgate/simulator/call-log.ts";
import { eventually } from "../../harness/poll.ts";
import { contentEvents } from "../../relay/callers.ts";
import { median, percentile } from "../runs/measures.ts";
import { randomFrom } from "../runs/random.ts";
import { nothingOpen, onSite, patientCaller, type Race, sumOf, unlike } from "./race.ts";

const tokens = 10;
/** Fifty of them leave in every second. */
const leaveEveryMs = 20;
const abortMsMaxUsual = 1_000;
/** One provider that goes on talking, and one that has fallen silent: only the closed connection tells of the caller. */
const models = { talking: "sim-pace-1000+tokens-2000", silent: "sim-stall-3+tokens-2000" } as const;
const promptRate = 1;
const answerRate = 4;

export const leaverRace: Race = (use, count) => leaversWithin(abortMsMaxUsual, use, count);

/** The provider's calls must have ended after `abortMsMax`, but for the slowest hundredth. */
export const leaversWithin = (abortMsMax: number, ...[use, count]: Parameters<Race>): ReturnType<Race> =>
  onSite(use, {}, async (site) => {
    for (const [name, key] of Object.entries(models)) await site.world.given.channel({ key, models: name });
    await site.world.given.channel({ key: "sim-ok", models: "short" });
    const places = Math.ceil(count / tokens);
    const keys = await Promise.all(
      Array.from({ length: tokens }, async () => {
        const { key } = await site.world.given.token({ max_parallel_requests: places });
        return key;
      }),
    );
    const keyOf = (n: number): string => keys[n % keys.length] ?? "";
    const random = randomFrom(use.seed);
    const patient = patientCaller(site);
    const names = Object.keys(models);

    const trouble: string[] = [];
    const begun = Array.from({ length: count }, () => Promise.withResolvers<void>());
    const everyoneReads = Promise.all(begun.map(({ promise }) => promise));
    const leftAt = await Promise.all(
      begun.map(async ({ resolve }, n) => {
        const afterMs = random() * count * leaveEveryMs;
        try {
          return await readThenLeave(patient, keyOf(n), names[n % names.length] ?? "", n, () => {
            resolve();
            return everyoneReads.then(() => pause(afterMs));
          });
        } catch (cause) {
          resolve();
          trouble.push(`caller ${n}: ${String(cause)}`);
          return undefined;
        }
      }),
    );
    await eventually(async () => {
      const { openCalls } = await site.world.simulator.stats();
      if (openCalls > 0) throw new Error(`${openCalls} calls are open at the provider`);
    }).catch((cause: unknown) => trouble.push(String(cause)));
    const ended = new Map((await site.world.simulator.calls()).map((call) => [markOf(call), call]));
    const tookMs = leftAt.flatMap((at, n) => {
      const end = ended.get(`mark-${n}`)?.abortedAt;
      if (typeof end === "number" && at !== undefined) return end - at;
      trouble.push(`the provider's call of caller ${n} was not ended`);
      return [];
    });
    const p99 = percentile(tookMs, 0.99);
    if (p99 > abortMsMax) trouble.push(`the provider's calls ended after ${p99.toFixed(0)} ms at the 99th percentile`);
    await nothingOpen(site);

    const rows = (await site.world.logs()).filter(({ outcome }) => outcome === "client_left");
    trouble.push(...unlike("rows of callers who left", rows.length, count));
    for (const { id, quota, prompt_tokens, completion_tokens } of rows) {
      trouble.push(...unlike(`call ${id}`, quota, prompt_tokens * promptRate + completion_tokens * answerRate));
    }
    // As many at once as every token may have: one place that is still taken would refuse one of them.
    const again = await Promise.all(
      begun.map(async (_, n) => {
        const response = await patient.call(keyOf(n), { model: "short" });
        await response.text();
        return response.status;
      }),
    );
    trouble.push(...unlike("calls served in their places", again.filter((status) => status === 200).length, count));
    return {
      size: count,
      figures: `${tookMs.length} of ${count} provider's calls ended when their callers left: median ${median(tookMs).toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, longest ${Math.max(0, ...tookMs).toFixed(0)} ms; ${sumOf(rows.map(({ quota }) => quota))} units for what was delivered, all places free, no hold left${patient.told()}`,
      trouble,
    };
  });

const now = (): number => performance.timeOrigin + performance.now();

/** When he left, in milliseconds since 1970: the simulator's own clock. */
async function readThenLeave(
  patient: ReturnType<typeof patientCaller>,
  key: string,
  model: string,
  n: number,
  stayed: () => Promise<void>,
): Promise<number> {
  const leaving = new AbortController();
  const messages = [{ role: "user", content: `mark-${n}` }];
  const response = await patient.call(key, { model, stream: true, messages }, leaving.signal);
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
  // He takes what comes until he goes.
  const reading = (async () => {
    while (!(await reader.read()).done);
  })().catch(() => undefined);
  await stayed();
  const at = now();
  leaving.abort();
  await reading;
  return at;
}

function markOf({ body }: ReceivedCall): string {
  const { messages } = body as { messages?: { content?: string }[] };
  return messages?.[0]?.content ?? "";
}
