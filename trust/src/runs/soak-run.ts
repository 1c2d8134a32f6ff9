// A mixed load at half of the gateway's capacity, for a given time: memory, descriptors and books
// over time.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { eventually } from "@tollgate/tests/harness/eventually.ts";
import {
  chatBody,
  startTestGateway,
  type TestGateway,
} from "@tollgate/tests/harness/test-gateway.ts";
import { randomFrom } from "@tollgate/tests/support/seeded-random.ts";
import { type MeasuredPoint, robustSlope } from "./statistics.ts";
import type { RunStore } from "./with-store.ts";

export interface SoakOptions extends RunStore {
  minutes: number;
  seed: number;
  stop?: AbortSignal;
  onSample?: (sample: SoakSample) => void;
}

export interface SoakSample {
  atMs: number;
  rssBytes: number;
  descriptors: number;
  inFlight: number;
}

export interface SoakFigures {
  minutes: number;
  capacityPerSecond: number;
  calls: number;
  /** Complete responses, and log rows of successful calls. */
  complete: number;
  successRows: number;
  /** Clients that disconnected in the middle of a response. */
  disconnected: number;
  failed: number;
  serverRestarts: number;
  rssMbFirst: number;
  rssMbLast: number;
  rssMbPerHour: number;
  descriptorsPerHour: number;
  problems: string[];
}

const sampleEveryMs = 5_000;
const measureCapacityMs = 8_000;
const capacityCallers = 32;
/** The share of the run before memory is judged: caches fill and the optimising compiler works. */
const warmUpShare = 0.25;
/** More calls in flight mean that the load exceeds what the machine can do at the moment. */
const inFlightMax = 1_000;
const serverRestartEveryMs = 150_000;
const hourMs = 3_600_000;
const mb = 1024 * 1024;

const kinds = [
  "whole",
  "whole",
  "whole",
  "stream",
  "stream",
  "retried",
  "retried",
  "left",
  "refused",
  "read",
] as const;
type SoakCallKind = (typeof kinds)[number];

type SoakCallEnding = "whole" | "left" | "failed" | "none";

export async function runSoak({
  minutes,
  seed,
  stop,
  onSample,
  restartServer,
  ...use
}: SoakOptions): Promise<SoakFigures> {
  const world = await startTestGateway({
    store: use.store,
    ...(use.postgresUrl && { postgresUrl: use.postgresUrl }),
    env: { SHUTDOWN_GRACE_SECONDS: "10" },
  });
  try {
    await world.given.channel({ key: "sim-slow-5-60", models: "whole" });
    await world.given.channel({ key: "sim-pace-5+tokens-40", models: "stream,left" });
    await world.given.channel({
      key: "sim-slow-5-60+fail-500-every-3",
      models: "retried",
      priority: 9,
    });
    await world.given.channel({ key: "sim-slow-5-60", models: "retried" });
    const keys = await Promise.all(Array.from({ length: 8 }, () => world.given.token()));
    const random = randomFrom(seed);
    const counts = { calls: 0, whole: 0, left: 0, failed: 0, none: 0 };
    const one = async () => {
      counts.calls += 1;
      const key = keys[Math.floor(random() * keys.length)]?.key ?? "";
      const kind = kinds[Math.floor(random() * kinds.length)] ?? "whole";
      counts[await call(world, key, kind, random())] += 1;
    };

    const capacityPerSecond = await capacityOf(one, counts);
    const everyMs = 1000 / (capacityPerSecond / 2);
    const samples: SoakSample[] = [];
    const startedAt = performance.now();
    const endAt = startedAt + minutes * 60_000;
    const inFlight = new Set<Promise<void>>();
    let dueAt = startedAt;
    let sampleAt = startedAt;
    let restartAt = restartServer ? startedAt + serverRestartEveryMs : Number.POSITIVE_INFINITY;
    let restarting: Promise<void> = Promise.resolve();
    let serverRestarts = 0;
    while (performance.now() < endAt && !stop?.aborted) {
      const now = performance.now();
      for (; dueAt <= now; dueAt += everyMs) {
        if (inFlight.size >= inFlightMax) continue;
        const running: Promise<void> = one().finally(() => inFlight.delete(running));
        inFlight.add(running);
      }
      if (now >= sampleAt) {
        sampleAt += sampleEveryMs;
        const sample = {
          atMs: now - startedAt,
          ...sizesOf(world.process.pid),
          inFlight: inFlight.size,
        };
        samples.push(sample);
        onSample?.(sample);
      }
      if (now >= restartAt && restartServer) {
        restartAt += serverRestartEveryMs;
        serverRestarts += 1;
        restarting = restartServer();
      }
      await pause(Math.max(1, Math.min(dueAt - performance.now(), 50)));
    }
    await restarting;
    await Promise.all(inFlight);
    return {
      minutes: Math.round((performance.now() - startedAt) / 6_000) / 10,
      capacityPerSecond,
      calls: counts.calls,
      complete: counts.whole,
      disconnected: counts.left,
      failed: counts.failed,
      serverRestarts,
      ...slopesOf(samples),
      ...(await booksOf(world, counts.whole)),
    };
  } finally {
    await world.close();
  }
}

async function capacityOf(one: () => Promise<void>, counts: { calls: number }): Promise<number> {
  const before = counts.calls;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: capacityCallers }, async () => {
      while (performance.now() - startedAt < measureCapacityMs) await one();
    }),
  );
  return ((counts.calls - before) / (performance.now() - startedAt)) * 1000;
}

async function call(
  world: TestGateway,
  key: string,
  kind: SoakCallKind,
  chance: number,
): Promise<SoakCallEnding> {
  try {
    if (kind === "read") {
      await world.api("GET", chance < 0.5 ? "/api/log/?size=20" : "/api/user/dashboard");
      return "none";
    }
    if (kind === "refused") {
      await (await world.send(key, chatBody({ model: "nobody-has-this" }))).text();
      return "none";
    }
    const disconnect = new AbortController();
    const isStream = kind === "stream" || kind === "left";
    const body = chatBody({ model: kind, stream: isStream, max_tokens: 40 });
    const response = await world.send(key, body, { signal: disconnect.signal });
    if (kind === "left" && response.status === 200) {
      await pause(chance * 250);
      disconnect.abort();
      return await response.text().then(
        (text) => (text.includes("[DONE]") ? "whole" : "left"),
        () => "left" as const,
      );
    }
    const text = await response.text();
    const isWhole = response.status === 200 && (!isStream || text.includes("[DONE]"));
    return isWhole ? "whole" : "failed";
  } catch {
    return "failed";
  }
}

function sizesOf(pid: number): { rssBytes: number; descriptors: number } {
  const [, kilobytes = "0"] =
    /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return { rssBytes: Number(kilobytes) * 1024, descriptors: readdirSync(`/proc/${pid}/fd`).length };
}

function slopesOf(samples: readonly SoakSample[]) {
  const warm = samples.slice(Math.floor(samples.length * warmUpShare));
  const slope = (of: (sample: SoakSample) => number): number =>
    robustSlope(warm.map((sample): MeasuredPoint => ({ x: sample.atMs / hourMs, y: of(sample) })));
  return {
    rssMbFirst: (warm[0]?.rssBytes ?? 0) / mb,
    rssMbLast: (warm.at(-1)?.rssBytes ?? 0) / mb,
    rssMbPerHour: slope(({ rssBytes }) => rssBytes / mb),
    descriptorsPerHour: slope(({ descriptors }) => descriptors),
  };
}

async function booksOf(
  world: TestGateway,
  whole: number,
): Promise<{ successRows: number; problems: string[] }> {
  const problem: string[] = [];
  const books = await eventually(() => world.settled({ timeoutMs: 90_000 }), {
    timeoutMs: 180_000,
  });
  if (books.held !== 0) problem.push(`${books.held} units are still held`);
  // A call that waited when storage went away got no response, but may have been charged.
  if (books.succeeded < whole)
    problem.push(`${whole} answers came whole, and ${books.succeeded} calls are on record`);
  if (/unhandledRejection|uncaughtException/.test(world.process.output()))
    problem.push("an error that nothing caught");
  const reported = await world.audit();
  if (reported !== "The books agree.") problem.push(reported);
  return { successRows: books.succeeded, problems: problem };
}
