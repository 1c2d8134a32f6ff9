/**
 * The connection to Redis, behind a breaker: every command gets a reply soon or none at all. While
 * Redis is unreachable, frozen or slow, no call waits for it; probes in the background detect its
 * return.
 */
import { createHash } from "node:crypto";
import { createClient } from "@redis/client";
import type { Logger } from "pino";
import { runEvery } from "../storage/run-every.ts";

/** A reply that takes longer is slow; when all replies are slow for a while, the breaker opens. */
const slowReplyMs = 50;
const slowPeriodMs = 500;
/** A reply that takes longer opens the breaker at once. */
const deadlineMs = 500;
const connectDeadlineMs = 1_000;
/** Together with the deadline: a hanging Redis is detected within a second. */
const probeEveryMs = 500;

export interface RedisScript {
  lua: string;
  sha: string;
}

export const buildRedisScript = (lua: string): RedisScript => ({
  lua,
  sha: createHash("sha1").update(lua).digest("hex"),
});

export interface RedisConnection {
  /** The numbers that the script returns; undefined when Redis is unavailable. Never rejects. */
  run(
    script: RedisScript,
    key: string,
    args: readonly (string | number)[],
  ): Promise<number[] | undefined>;
  isUp(): boolean;
  close(): Promise<void>;
}

interface RedisConnectionDeps {
  url: URL;
  /**
   * `scripts` hold all scripts, loaded on connect: a script that Redis does not know yet would be
   * overtaken by the next one.
   */
  scripts: readonly RedisScript[];
  log: Pick<Logger, "info" | "warn">;
  /** Redis is available again. */
  onBack(): void;
  /** Multiplies how long an answer may take, for tests on machines that are busy. */
  patience?: number;
}

type RedisClient = ReturnType<typeof createRedisClient>;

/** Waits only for the first attempt, so that a gateway also starts without Redis. */
export async function openRedisConnection({
  url,
  scripts,
  log,
  onBack,
  patience = 1,
}: RedisConnectionDeps): Promise<RedisConnection> {
  let current: RedisClient | undefined;
  let isReportedAway = false;
  let slowSince: number | undefined;

  /** The reason never contains the address, which may contain a password. */
  function dropConnection(client: RedisClient, reason: string): void {
    if (current !== client) return;
    current = undefined;
    discard(client);
    reportAway(reason);
  }

  function reportAway(reason: string): void {
    if (isReportedAway) return;
    isReportedAway = true;
    log.warn(
      { event: "redis_away", reason },
      "Redis does not answer: this node counts its limits alone",
    );
  }

  async function send(client: RedisClient, command: string[]): Promise<unknown> {
    const began = performance.now();
    try {
      const reply = await runWithDeadline(client.sendCommand(command), deadlineMs * patience);
      const ended = performance.now();
      slowSince = ended - began > slowReplyMs * patience ? (slowSince ?? began) : undefined;
      if (slowSince !== undefined && ended - slowSince > slowPeriodMs)
        dropConnection(client, `answers take more than ${slowReplyMs} ms`);
      return reply;
    } catch (error) {
      if (isUnknownScript(error)) throw error;
      dropConnection(client, readMessage(error));
      return undefined;
    }
  }

  async function connect(): Promise<void> {
    const client = createRedisClient(url, (error) => dropConnection(client, readMessage(error)));
    try {
      await runWithDeadline(client.connect(), connectDeadlineMs);
      const loads = scripts.map(({ lua }) => client.sendCommand(["SCRIPT", "LOAD", lua]));
      await runWithDeadline(Promise.all(loads), connectDeadlineMs);
      // The trial of the half-open breaker; no call waits for it.
      await runWithDeadline(client.sendCommand(["PING"]), slowReplyMs * patience);
    } catch (error) {
      reportAway(readMessage(error));
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

  // Also probed while Redis is available, so that a call is rarely the first to detect a failure.
  const probe = async (): Promise<unknown> => (current ? send(current, ["PING"]) : connect());
  await connect();
  const stop = runEvery(probeEveryMs, probe, (error) => reportAway(error.message));

  return {
    isUp: () => current !== undefined,
    async run({ lua, sha }, key, args) {
      if (!current) return undefined;
      const client = current;
      const commandArguments = ["1", key, ...args.map(String)];
      // The scripts may have been flushed.
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
    // A lost connection is replaced by `connect`, which also checks that Redis is fast enough.
    socket: { connectTimeout: connectDeadlineMs, reconnectStrategy: false },
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: "disabled",
  }).on("error", onError);

/** A client that never connected throws when it is destroyed. */
function discard(client: RedisClient): void {
  try {
    client.destroy();
  } catch {
    // It is already closed.
  }
}

class RedisTimeout extends Error {}

/**
 * `runWithDeadline` processes the replies first that have arrived meanwhile when the timer fires
 * late because the event loop was busy.
 */
async function runWithDeadline<Result>(work: Promise<Result>, ms: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => setImmediate(() => reject(new RedisTimeout(`no answer within ${ms} ms`))),
      ms,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const isUnknownScript = (error: unknown): boolean => readMessage(error).startsWith("NOSCRIPT");

const readMessage = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
