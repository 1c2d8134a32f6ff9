/**
 * The connection to Redis, behind a breaker: whoever asks gets an answer soon or none at all. While Redis is away, frozen
 * or slow nobody waits for it; attempts that no call waits for find out when it is back.
 */
import { createHash } from "node:crypto";
import { createClient } from "@redis/client";
import type { Logger } from "pino";
import { runEvery } from "../storage/run-every.ts";

/** An answer that takes longer is late; when none was in time for a while the breaker opens. */
const slowReplyMs = 50;
const slowPeriodMs = 500;
/** One that takes longer than this opens it at once. */
const deadlineMs = 500;
const connectDeadlineMs = 1_000;
/** With the deadline: a Redis that hangs is found out within a second. */
const probeEveryMs = 500;

export interface RedisScript {
  lua: string;
  sha: string;
}

export const redisScript = (lua: string): RedisScript => ({ lua, sha: createHash("sha1").update(lua).digest("hex") });

export interface RedisConnection {
  /** Numbers that the script answers; undefined when Redis is not there, for whatever reason. Never rejects. */
  run(script: RedisScript, key: string, args: readonly (string | number)[]): Promise<number[] | undefined>;
  close(): Promise<void>;
}

interface RedisConnectionDeps {
  url: URL;
  /** What will be run. Redis gets them with the connection: one that it did not know would be overtaken by the next. */
  scripts: readonly RedisScript[];
  log: Pick<Logger, "info" | "warn">;
  /** Redis answers again, after a time in which it did not. */
  onBack(): void;
}

type RedisClient = ReturnType<typeof createRedisClient>;

/** Waits for the first attempt only, so that a gateway starts without its Redis too. */
export async function openRedisConnection({
  url,
  scripts,
  log,
  onBack,
}: RedisConnectionDeps): Promise<RedisConnection> {
  let current: RedisClient | undefined;
  let isReportedAway = false;
  let slowSince: number | undefined;

  /** The reason is what went wrong and never holds the address, which may carry a password. */
  function dropConnection(client: RedisClient, reason: string): void {
    if (current !== client) return;
    current = undefined;
    discard(client);
    reportAway(reason);
  }

  function reportAway(reason: string): void {
    if (isReportedAway) return;
    isReportedAway = true;
    log.warn({ event: "redis_away", reason }, "Redis does not answer: this node counts its limits alone");
  }

  async function send(client: RedisClient, command: string[]): Promise<unknown> {
    const began = performance.now();
    try {
      const reply = await withDeadline(client.sendCommand(command), deadlineMs);
      const ended = performance.now();
      slowSince = ended - began > slowReplyMs ? (slowSince ?? began) : undefined;
      if (slowSince !== undefined && ended - slowSince > slowPeriodMs)
        dropConnection(client, `answers take more than ${slowReplyMs} ms`);
      return reply;
    } catch (error) {
      if (isUnknownScript(error)) throw error;
      dropConnection(client, messageOf(error));
      return undefined;
    }
  }

  async function connect(): Promise<void> {
    const client = createRedisClient(url, (error) => dropConnection(client, messageOf(error)));
    try {
      await withDeadline(client.connect(), connectDeadlineMs);
      const loads = scripts.map(({ lua }) => client.sendCommand(["SCRIPT", "LOAD", lua]));
      await withDeadline(Promise.all(loads), connectDeadlineMs);
      // The trial of the half-open breaker, with nobody waiting for it.
      await withDeadline(client.sendCommand(["PING"]), slowReplyMs);
    } catch (error) {
      reportAway(messageOf(error));
      discard(client);
      return;
    }
    current = client;
    slowSince = undefined;
    if (!isReportedAway) return;
    isReportedAway = false;
    log.info({ event: "redis_back" }, "Redis answers: limits are counted together again");
    onBack();
  }

  // Also asked while all is well, so that mostly nobody's call is the first to find out.
  const probe = async (): Promise<unknown> => (current ? send(current, ["PING"]) : connect());
  await connect();
  const stop = runEvery(probeEveryMs, probe, (error) => reportAway(error.message));

  return {
    async run({ lua, sha }, key, args) {
      if (!current) return undefined;
      const client = current;
      const commandArguments = ["1", key, ...args.map(String)];
      // Somebody may have emptied Redis of its scripts.
      const reply = await send(client, ["EVALSHA", sha, ...commandArguments]).catch(() =>
        send(client, ["EVAL", lua, ...commandArguments]),
      );
      return Array.isArray(reply) ? reply.map(Number) : undefined;
    },
    async close() {
      await stop();
      const client = current;
      current = undefined;
      if (client) discard(client);
    },
  };
}

const createRedisClient = (url: URL, onError: (error: unknown) => void) =>
  createClient({
    url: url.href,
    // A lost connection is replaced by `connect`, which also looks whether Redis is quick enough.
    socket: { connectTimeout: connectDeadlineMs, reconnectStrategy: false },
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: "disabled",
  }).on("error", onError);

/** One that never got its connection has nothing to destroy and says so. */
function discard(client: RedisClient): void {
  try {
    client.destroy();
  } catch {
    // It is closed already.
  }
}

class RedisTimeout extends Error {}

/** A timer that ends because we were busy gives way once to the answers that have come meanwhile. */
async function withDeadline<Result>(work: Promise<Result>, ms: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => setImmediate(() => reject(new RedisTimeout(`no answer within ${ms} ms`))), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const isUnknownScript = (error: unknown): boolean => messageOf(error).startsWith("NOSCRIPT");

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
