/**
 * The connection to Redis, behind a breaker: whoever asks gets an answer soon or none at all. While Redis is away, frozen
 * or slow nobody waits for it; attempts that no call waits for find out when it is back.
 */
import { createHash } from "node:crypto";
import { createClient } from "@redis/client";
import type { Logger } from "pino";
import { every } from "../storage/every.ts";

/** An answer that takes longer is late; when none was in time for a while the breaker opens. */
const lateMs = 50;
const lateForMs = 500;
/** One that takes longer than this opens it at once. */
const deadlineMs = 500;
const connectDeadlineMs = 1_000;
/** With the deadline: a Redis that hangs is found out within a second. */
const lookEveryMs = 500;

export interface Script {
  lua: string;
  sha: string;
}

export const script = (lua: string): Script => ({ lua, sha: createHash("sha1").update(lua).digest("hex") });

export interface RedisLink {
  /** Numbers that the script answers; undefined when Redis is not there, for whatever reason. Never rejects. */
  run(script: Script, key: string, args: readonly (string | number)[]): Promise<number[] | undefined>;
  close(): Promise<void>;
}

interface Parts {
  url: URL;
  /** What will be run. Redis gets them with the connection: one that it did not know would be overtaken by the next. */
  scripts: readonly Script[];
  log: Pick<Logger, "info" | "warn">;
  /** Redis answers again, after a time in which it did not. */
  onBack(): void;
}

type Client = ReturnType<typeof clientFor>;

/** Waits for the first attempt only, so that a gateway starts without its Redis too. */
export async function openRedisLink({ url, scripts, log, onBack }: Parts): Promise<RedisLink> {
  let current: Client | undefined;
  let isKnownAway = false;
  let lateSince: number | undefined;

  /** The reason is what went wrong and never holds the address, which may carry a password. */
  function lose(client: Client, reason: string): void {
    if (current !== client) return;
    current = undefined;
    discard(client);
    noteAway(reason);
  }

  function noteAway(reason: string): void {
    if (isKnownAway) return;
    isKnownAway = true;
    log.warn({ event: "redis_away", reason }, "Redis does not answer: this node counts its limits alone");
  }

  async function ask(client: Client, command: string[]): Promise<unknown> {
    const began = performance.now();
    try {
      const answer = await inTime(client.sendCommand(command), deadlineMs);
      const ended = performance.now();
      lateSince = ended - began > lateMs ? (lateSince ?? began) : undefined;
      if (lateSince !== undefined && ended - lateSince > lateForMs) lose(client, `answers take more than ${lateMs} ms`);
      return answer;
    } catch (error) {
      if (isUnknownScript(error)) throw error;
      lose(client, messageOf(error));
      return undefined;
    }
  }

  async function connect(): Promise<void> {
    const client = clientFor(url, (error) => lose(client, messageOf(error)));
    try {
      await inTime(client.connect(), connectDeadlineMs);
      const loads = scripts.map(({ lua }) => client.sendCommand(["SCRIPT", "LOAD", lua]));
      await inTime(Promise.all(loads), connectDeadlineMs);
      // The trial of the half-open breaker, with nobody waiting for it.
      await inTime(client.sendCommand(["PING"]), lateMs);
    } catch (error) {
      noteAway(messageOf(error));
      discard(client);
      return;
    }
    current = client;
    lateSince = undefined;
    if (!isKnownAway) return;
    isKnownAway = false;
    log.info({ event: "redis_back" }, "Redis answers: limits are counted together again");
    onBack();
  }

  // Also asked while all is well, so that mostly nobody's call is the first to find out.
  const look = async (): Promise<unknown> => (current ? ask(current, ["PING"]) : connect());
  await connect();
  const stop = every(lookEveryMs, look, (error) => noteAway(error.message));

  return {
    async run({ lua, sha }, key, args) {
      if (!current) return undefined;
      const client = current;
      const rest = ["1", key, ...args.map(String)];
      // Somebody may have emptied Redis of its scripts.
      const answer = await ask(client, ["EVALSHA", sha, ...rest]).catch(() => ask(client, ["EVAL", lua, ...rest]));
      return Array.isArray(answer) ? answer.map(Number) : undefined;
    },
    async close() {
      await stop();
      const client = current;
      current = undefined;
      if (client) discard(client);
    },
  };
}

const clientFor = (url: URL, onError: (error: unknown) => void) =>
  createClient({
    url: url.href,
    // A lost connection is replaced by `connect`, which also looks whether Redis is quick enough.
    socket: { connectTimeout: connectDeadlineMs, reconnectStrategy: false },
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: "disabled",
  }).on("error", onError);

/** One that never got its connection has nothing to destroy and says so. */
function discard(client: Client): void {
  try {
    client.destroy();
  } catch {
    // It is closed already.
  }
}

class TooLate extends Error {}

/** A timer that ends because we were busy gives way once to the answers that have come meanwhile. */
async function inTime<Result>(work: Promise<Result>, ms: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => setImmediate(() => reject(new TooLate(`no answer within ${ms} ms`))), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const isUnknownScript = (error: unknown): boolean => messageOf(error).startsWith("NOSCRIPT");

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
