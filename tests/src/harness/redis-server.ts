// A Redis server of our own for tests: nothing on disk, a free port on 127.0.0.1. It ends with the
// process that started it, however that process ends.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { createInterface } from "node:readline";
import type { Availability } from "./availability.ts";
import { eventually } from "./eventually.ts";
import { findProgram } from "./find-program.ts";
import { freePort } from "./free-port.ts";

export interface RedisServer {
  url: string;
  port: number;
  /** As if its machine hung: connections stay and nothing answers. */
  freeze(): void;
  thaw(): void;
  /** Ends it at once; `start` begins an empty one on the same port. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** `command` gives one command by Redis's own client; answers what it printed. */
  command(...words: string[]): string;
  stop(): Promise<void>;
}

export function redisAvailable(): Availability {
  return findProgram(["redis-server"]) && findProgram(["redis-cli"])
    ? { available: true }
    : { available: false, reason: "Redis's programs (redis-server, redis-cli) are not installed" };
}

/**
 * A shell stands between us and the server: its input ends when we do, and a frozen server ends by
 * SIGKILL alone.
 */
const guard = `
"$@" </dev/null >/dev/null 2>&1 &
server=$!
echo "$server"
read -r line
kill -9 "$server"
`;

interface RedisProcess {
  pid: number;
  end(): Promise<void>;
}

async function startServer(port: number, password: string): Promise<RedisProcess> {
  const program = findProgram(["redis-server"]);
  if (!program) throw new Error("redis-server is not installed");
  const settings = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", tmpdir()];
  if (password) settings.push("--requirepass", password);
  const child = spawn("/bin/sh", ["-c", guard, "guard", program, ...settings], {
    stdio: ["pipe", "pipe", "inherit"],
    detached: true,
  });
  const ended = once(child, "close");
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  child.unref();
  for (const pipe of [child.stdin, child.stdout]) if (pipe instanceof Socket) pipe.unref();
  return {
    pid: Number(line),
    async end() {
      child.ref();
      child.stdin.end();
      await ended;
    },
  };
}

export async function startRedisServer(password = ""): Promise<RedisServer> {
  const port = await freePort();
  let server: RedisProcess | undefined;
  const signal = (name: NodeJS.Signals): void => {
    if (server) process.kill(server.pid, name);
  };
  const redis: RedisServer = {
    url: `redis://${password ? `:${password}@` : ""}127.0.0.1:${port}`,
    port,
    freeze: () => signal("SIGSTOP"),
    thaw: () => signal("SIGCONT"),
    async start() {
      server = await startServer(port, password);
      await eventually(() => {
        if (redis.command("PING") !== "PONG") throw new Error("Redis does not answer");
      });
    },
    async kill() {
      await server?.end();
      server = undefined;
    },
    command(...words) {
      const access = [
        "-p",
        String(port),
        ...(password ? ["-a", password, "--no-auth-warning"] : []),
      ];
      return execFileSync("redis-cli", [...access, ...words], {
        encoding: "utf8",
        timeout: 10_000,
        stdio: ["ignore", "pipe", "ignore"],
      }).trim();
    },
    stop: () => redis.kill(),
  };
  await redis.start();
  return redis;
}
