// What a machine does to a program: clocks that jump, disks that fill, databases that restart or
// are locked, descriptors that run out. Every fault comes while calls run; after it the same
// process goes on, and the books agree.
import { execFile, execFileSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statfsSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { readSqliteFile } from "@tollgate/gateway/storage/open-database.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readReply, requestSignIn } from "../harness/api-session.ts";
import { rootPassword } from "../harness/database-templates.ts";
import { eventually } from "../harness/eventually.ts";
import { databaseKinds } from "../harness/gateway-database.ts";
import { startGatewayProcess } from "../harness/gateway-process.ts";
import { type PostgresCluster, runSql, startPostgresCluster } from "../harness/postgres-cluster.ts";
import { repositoryDir } from "../harness/repository-dir.ts";
import {
  chatBody,
  defaultCharge,
  readEvents,
  startTestGateway,
  type TestGateway,
  type TestGatewayOptions,
} from "../harness/test-gateway.ts";
import { rawConnection } from "../relay/raw-clients.ts";
import { keepCalling } from "./keep-calling.ts";

const second = 1_000;
const hour = 3_600 * second;
const limited = { max_tokens: 12 };
const isLinux = process.platform === "linux";
const canMount = isLinux && process.getuid?.() === 0;

async function inWorld(
  options: TestGatewayOptions,
  run: (world: TestGateway, key: string) => Promise<void>,
): Promise<void> {
  const world = await startTestGateway({
    ...options,
    env: { SHUTDOWN_GRACE_SECONDS: "5", ...options.env },
  });
  const { pid } = world.process;
  try {
    await world.given.channel({ key: "sim-ok", priority: 1 });
    const { key } = await world.given.token();
    await run(world, key);
    expect(world.process.pid).toBe(pid);
    expect(world.process.output()).not.toMatch(/unhandledRejection|uncaughtException/);
    expect(await world.settled({ timeoutMs: 20_000 })).toMatchObject({ held: 0 });
    expect(await world.audit()).toBe("The books agree.");
  } finally {
    await world.close();
  }
}

/** The environment of a gateway whose clock the test controls. */
function movableClock() {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-clock-"));
  const file = join(folder, "clock");
  const say = async (text: string) => {
    writeFileSync(file, text);
    // It is read again every 10 ms.
    await pause(50);
  };
  writeFileSync(file, "0");
  return {
    env: {
      NODE_OPTIONS: `--import=${join(repositoryDir, "tests/src/harness/moved-clock.ts")}`,
      MOVED_CLOCK: file,
    },
    move: (offsetMs: number) => say(String(offsetMs)),
    freeze: () => say(`=${Date.now()}`),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** Waits until so many streams have begun. */
const started = (world: TestGateway, count = 1) =>
  eventually(async () => expect((await world.simulator.stats()).openStreams).toBe(count));

describe.concurrent("a fault on SQLite:", () => {
  test("the clock jumps an hour ahead, an hour back and ten years ahead while calls run", {
    tags: ["FT-18"],
    timeout: 180_000,
  }, ({ expect }) => {
    const { env, move, remove } = movableClock();
    return inWorld({ env }, async (world, key) => {
      await world.given.channel({ key: "sim-pace-40+tokens-40", models: "slow" });
      const session = (await world.signIn("root", rootPassword)).request;
      const isSignedIn = async () => (await session("GET", "/api/user/self")).status === 200;
      for (const offset of [hour, -hour, 0, -hour, hour]) {
        const stream = world.stream(key, { model: "slow" });
        await started(world);
        await move(offset);
        expect(await stream).toMatchObject({ status: 200, errors: [] });
        expect((await world.chat(key, limited)).status).toBe(200);
        expect(await isSignedIn()).toBe(true);
      }
      const stream = world.stream(key, { model: "slow" });
      await started(world);
      await move(10 * 365 * 24 * hour);
      expect(await stream).toMatchObject({ status: 200, errors: [] });
      expect((await world.chat(key, limited)).status).toBe(200);
      // A week at most, whatever the clock showed in between.
      expect(await isSignedIn()).toBe(false);
      expect((await requestSignIn(world.url, "root", rootPassword)).body.success).toBe(true);

      await world.settled();
      const logs = await world.logs();
      expect(logs).toHaveLength(12);
      for (const { elapsed_ms, ttft_ms, outcome } of logs) {
        expect(outcome).toBe("success");
        expect(elapsed_ms).toBeGreaterThanOrEqual(0);
        expect(ttft_ms).toBeGreaterThanOrEqual(0);
      }
    }).finally(remove);
  });

  test("the clock stands still while calls run: each has its own id, and streams finish", {
    tags: ["FT-18"],
    timeout: 180_000,
  }, ({ expect }) => {
    const clock = movableClock();
    return inWorld({ env: clock.env }, async (world, key) => {
      await world.given.channel({ key: "sim-pace-20+tokens-40", models: "slow" });
      const session = (await world.signIn("root", rootPassword)).request;
      const stream = world.stream(key, { model: "slow" });
      await started(world);
      await clock.freeze();
      expect(await stream).toMatchObject({ status: 200, errors: [] });
      // More than there are ids in a millisecond.
      for (let n = 0; n < 30; n += 1) {
        const replies = await Promise.all(
          Array.from({ length: 10 }, () => world.chat(key, limited)),
        );
        expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
      }
      expect((await session("GET", "/api/user/self")).status).toBe(200);
      await clock.move(0);
      expect((await world.chat(key, limited)).status).toBe(200);
      await world.settled();
      const logs = await world.logs();
      expect(new Set(logs.map(({ id }) => id)).size).toBe(302);
      for (const { elapsed_ms, outcome } of logs) {
        expect(outcome).toBe("success");
        expect(elapsed_ms).toBeGreaterThanOrEqual(0);
      }
    }).finally(clock.remove);
  });

  test("F-115 a stream of more than twenty minutes is cut by nothing, and is kept alive between its words", {
    tags: ["F-115"],
    timeout: 180_000,
  }, ({ expect }) => {
    // Twenty minutes in twelve seconds: a word every ten seconds, a heartbeat between.
    const times = 100;
    const words = 125;
    const env = {
      NODE_OPTIONS: `--import=${join(repositoryDir, "tests/src/harness/fast-clock.ts")}`,
      FAST_CLOCK: `${times}`,
    };
    return inWorld({ env }, async (world, key) => {
      await world.given.channel({ key: `sim-pace-100+tokens-${words}`, models: "long" });
      const { status, text, errors, raw } = await world.stream(key, { model: "long" });
      expect({ status, errors }).toEqual({ status: 200, errors: [] });
      expect(text.split(" ")).toHaveLength(words);
      expect(raw.match(/^:$/gm)?.length).toBeGreaterThan(words / 2);
      const log = await world.lastLog();
      expect(log).toMatchObject({ outcome: "success", completion_tokens: words });
      expect(log.elapsed_ms).toBeGreaterThan(20 * 60 * second);
    });
  });

  test(
    "another process locks the file: calls wait, then are refused unserved, and work again when it lets go",
    { tags: ["FT-11"], timeout: 180_000 },
    ({ expect }) =>
      inWorld({}, async (world, key) => {
        // It waits itself while a call that was just answered is settled.
        const other = new DatabaseSync(readSqliteFile(world.dataDir), { timeout: 10 * second });
        try {
          other.exec("begin immediate");
          const waiting = world.chat(key, limited);
          expect(await Promise.race([waiting, pause(second).then(() => "waits")])).toBe("waits");
          other.exec("rollback");
          expect((await waiting).status).toBe(200);

          other.exec("begin immediate");
          const startedAt = Date.now();
          const refused = await Promise.all(
            Array.from({ length: 8 }, () => world.chat(key, limited)),
          );
          // Together, not one after the other: that would be 40 s.
          expect(Date.now() - startedAt).toBeLessThan(30 * second);
          for (const { status, body } of refused)
            expect([status, body.error.code]).toEqual([503, "storage_unavailable"]);
          // Reads continue.
          expect((await fetch(`${world.url}/api/status`)).status).toBe(200);
          other.exec("rollback");
        } finally {
          other.close();
        }
        await eventually(async () => expect((await world.chat(key, limited)).status).toBe(200));
        // A refused call reaches no upstream.
        expect((await world.simulator.stats()).calls).toBe((await world.settled()).rows);
      }),
  );

  test.skipIf(!canMount)(
    "the disk is full: new calls are refused, running ones end, and space alone heals it",
    { tags: ["FT-12"], timeout: 180_000 },
    ({ expect }) => {
      const mount = mkdtempSync(join(tmpdir(), "tollgate-disk-"));
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=24m", "tmpfs", mount]);
      const dataDir = join(mount, "data");
      mkdirSync(dataDir);
      const filler = join(mount, "filler");
      const fill = () => {
        const file = openSync(filler, "a");
        try {
          for (let size = 1 << 20; size >= 4096; ) {
            try {
              writeSync(file, Buffer.alloc(size));
            } catch {
              size >>= 1;
            }
          }
        } finally {
          closeSync(file);
        }
        return statfsSync(mount).bavail;
      };
      return inWorld({ dataDir }, async (world, key) => {
        await world.given.channel({ key: "sim-pace-50+tokens-60", models: "slow" });
        const stream = world.stream(key, { model: "slow" });
        await started(world);
        expect(fill()).toBe(0);
        // The write-ahead log has some free space of its own.
        const refused = await eventually(async () => {
          const reply = await world.chat(key, { ...limited, user: "x".repeat(2_000) });
          expect(reply.status).not.toBe(200);
          return reply;
        });
        expect([refused.status, refused.body.error.code]).toEqual([503, "storage_unavailable"]);
        expect(await stream).toMatchObject({ status: 200, errors: [] });
        unlinkSync(filler);
        await eventually(async () => expect((await world.chat(key, limited)).status).toBe(200));
        const { rows } = await world.settled();
        expect((await world.simulator.stats()).calls).toBe(rows);
      }).finally(() => {
        execFileSync("umount", ["-l", mount]);
        rmSync(mount, { recursive: true, force: true });
      });
    },
  );

  test.skipIf(!isLinux)(
    "file descriptors run out: open streams go on, and when the flood is over new calls are served",
    { tags: ["FT-20"], timeout: 180_000 },
    ({ expect }) =>
      inWorld({}, async (world, key) => {
        await world.given.channel({ key: "sim-pace-100+tokens-40", models: "slow" });
        const streams = Array.from({ length: 5 }, () => world.stream(key, { model: "slow" }));
        await started(world, streams.length);
        const { pid } = world.process;
        await promisify(execFile)("prlimit", ["--pid", String(pid), "--nofile=100:100"]);
        const flood = await Promise.all(
          Array.from({ length: 300 }, () => rawConnection(world.url).catch(() => undefined)),
        );
        for (const stream of await Promise.all(streams)) {
          expect(stream.status).toBe(200);
          expect(stream.text.split(" ")).toHaveLength(40);
          expect(stream.errors).toEqual([]);
        }
        for (const connection of flood) connection?.socket.destroy();
        await eventually(async () => expect((await world.chat(key, limited)).status).toBe(200));
      }),
  );

  test(
    "thousands connect while the process is busy: each waits in line, and is answered",
    {
      tags: ["FT-20"],
      timeout: 180_000,
    },
    ({ expect }) =>
      inWorld({}, async (world) => {
        world.process.kill("SIGSTOP");
        // More than Node's usual 511: one too many would be turned away until the process goes on.
        const connected = await Promise.all(
          Array.from({ length: 2_000 }, () => rawConnection(world.url)),
        );
        world.process.kill("SIGCONT");
        const replies = connected.map(async (connection) => {
          connection.socket.write(
            "GET /healthz HTTP/1.1\r\nhost: gateway\r\nconnection: close\r\n\r\n",
          );
          return (await connection.closed).split("\r\n", 1)[0];
        });
        expect(new Set(await Promise.all(replies))).toEqual(new Set(["HTTP/1.1 200 OK"]));
      }),
  );

  test.skipIf(!canMount)(
    "a read-only disk: the program refuses to start with one line that says so",
    { tags: ["FT-32"], timeout: 120_000 },
    async ({ expect }) => {
      const mount = mkdtempSync(join(tmpdir(), "tollgate-disk-"));
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=24m", "tmpfs", mount]);
      try {
        const made = await startGatewayProcess({ dataDir: join(mount, "used") });
        await made.stop();
        execFileSync("mount", ["-o", "remount,ro", mount]);
        const masterKey = Buffer.alloc(32, 7).toString("base64");
        const starts = [
          { dataDir: join(mount, "new") },
          { dataDir: join(mount, "new"), env: { MASTER_KEY: masterKey } },
          { dataDir: join(mount, "used") },
        ];
        for (const options of starts) {
          const refusal = await startGatewayProcess(options).then(
            () => "it started",
            (cause: Error) => cause.message,
          );
          expect(refusal).toMatch(/ended with 1 before it was ready/);
          const reported = refusal.split("\n").filter((line) => line.includes("tollgate:"));
          expect(reported).toEqual([
            expect.stringMatching(
              /^tollgate: DATA_DIR .* cannot be written \(.+\); set it to a folder/,
            ),
          ]);
          expect(refusal).not.toMatch(/^\s+at /m);
        }
      } finally {
        execFileSync("umount", ["-l", mount]);
        rmSync(mount, { recursive: true, force: true });
      }
    },
  );

  test("a damaged file: the program refuses to start, says what to do, and leaves the file unchanged", {
    tags: ["FT-13"],
    timeout: 180_000,
  }, async ({ expect }) => {
    const world = await startTestGateway();
    try {
      await world.given.channel({ key: "sim-ok" });
      const { key } = await world.given.token();
      for (let n = 0; n < 20; n += 1) await world.chat(key, limited);
      await world.settled();
      await world.process.stop();
      const file = readSqliteFile(world.dataDir);
      const good = readFileSync(file);
      const pageBytes = 4_096;
      const damaged = (isBad: (page: number) => boolean) =>
        Buffer.from(good.map((byte, at) => (isBad(Math.floor(at / pageBytes)) ? 0xa5 : byte)));
      const files = [
        damaged((page) => page === 0),
        damaged((page) => page > 0),
        Buffer.from("no database ".repeat(2_000)),
      ];
      for (const bytes of files) {
        writeFileSync(file, bytes);
        const refusal = await startGatewayProcess({ dataDir: world.dataDir }).then(
          () => "it started",
          (cause: Error) => cause.message,
        );
        expect(refusal).toMatch(/ended with 1 before it was ready/);
        expect(refusal).toContain("the database file is damaged; restore a copy of it");
        expect(refusal).not.toMatch(/^\s+at /m);
        expect(readFileSync(file).equals(bytes)).toBe(true);
      }
      writeFileSync(file, good);
    } finally {
      await world.close();
    }
  });

  test("an error that nothing caught: what runs ends and is charged, and the process gives way to the next", {
    tags: ["FT-31"],
    timeout: 180_000,
  }, async ({ expect }) => {
    const preload = join(repositoryDir, "tests/src/harness/bug-on-signal.ts");
    const world = await startTestGateway({
      env: { NODE_OPTIONS: `--import=${preload}`, SHUTDOWN_GRACE_SECONDS: "10" },
    });
    try {
      await world.given.channel({ key: "sim-pace-20+tokens-60" });
      const { key } = await world.given.token();
      const streams = Array.from({ length: 5 }, () => world.stream(key));
      await started(world, streams.length);
      expect(await world.restart("SIGUSR2")).toEqual({ code: 1, signal: null });
      for (const stream of await Promise.all(streams)) {
        expect(stream.text.split(" ")).toHaveLength(60);
        expect(stream.errors).toEqual([]);
      }
      expect(await world.books()).toMatchObject({
        reservations: 0,
        held: 0,
        rows: 5,
        succeeded: 5,
      });
      expect((await world.chat(key)).status).toBe(200);
      await world.settled();
      expect(await world.audit()).toBe("The books agree.");
    } finally {
      await world.close();
    }
  });

  test(
    "the provider's process is frozen and goes on: its streams go on as well",
    { tags: ["FT-05"], timeout: 180_000 },
    ({ expect }) =>
      inWorld({}, async (world, key) => {
        await world.given.channel({ key: "sim-pace-20+tokens-60", models: "slow" });
        const stream = world
          .send(key, chatBody({ model: "slow", stream: true }))
          .then((response) => response.text());
        await started(world);
        world.simulator.kill("SIGSTOP");
        // As long as the fault lasts.
        await pause(2 * second);
        world.simulator.kill("SIGCONT");
        expect(readEvents(await stream).text.split(" ")).toHaveLength(60);
      }),
  );
});

describe.skipIf(!databaseKinds.includes("postgres")).concurrent("a fault on PostgreSQL:", () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await startPostgresCluster();
  });
  afterAll(() => cluster.stop());

  test(
    "F-122 the server restarts three times under load, and once while idle: the same process answers within 5 s",
    { tags: ["F-122", "FT-14"], timeout: 180_000 },
    ({ expect }) =>
      inWorld({ store: "postgres", postgresUrl: cluster.url }, async (world, key) => {
        for (let round = 0; round < 3; round += 1) {
          const load = keepCalling(world, key, 8, limited);
          await eventually(() => expect(load.statuses.length).toBeGreaterThan(16));
          await cluster.restart();
          const upAt = Date.now();
          await eventually(async () => expect((await world.chat(key, limited)).status).toBe(200));
          expect(Date.now() - upAt).toBeLessThan(5 * second);
          await load.stop();
          expect(new Set(load.statuses)).toEqual(
            expect.toBeOneOf([new Set([200]), new Set([200, 503])]),
          );
        }
        await cluster.restart();
        await eventually(async () => expect((await world.chat(key, limited)).status).toBe(200));
        const response = await fetch(`${world.url}/readyz`);
        expect((await readReply(response)).status).toBe(200);
      }),
  );
});

test.skipIf(!databaseKinds.includes("postgres"))(
  "PostgreSQL ends the gateway's connections repeatedly: no call is served unbilled, and nothing is lost",
  { tags: ["F-122", "FT-14"], timeout: 180_000 },
  () =>
    inWorld({ store: "postgres" }, async (world, key) => {
      const load = keepCalling(world, key, 8, limited);
      for (let round = 0; round < 10; round += 1) {
        const answered = load.statuses.length;
        await eventually(() => expect(load.statuses.length).toBeGreaterThan(answered + 4));
        await runSql(
          world.databaseUrl ?? "",
          "select count(pg_terminate_backend(pid)) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
        );
      }
      await load.stop();
      await eventually(async () => expect((await world.chat(key, limited)).status).toBe(200));
      const { rows, charged, succeeded } = await world.settled({ timeoutMs: 20_000 });
      const served = load.statuses.filter((status) => status === 200).length + 1;
      expect(succeeded).toBeGreaterThanOrEqual(served);
      expect(charged).toBe(succeeded * defaultCharge);
      expect(rows).toBe(succeeded);
    }),
);

test.skipIf(!databaseKinds.includes("postgres"))(
  "PostgreSQL holds a table for two seconds: calls wait for it, and are all served and charged",
  { tags: ["FT-14"], timeout: 180_000 },
  () =>
    inWorld({ store: "postgres" }, async (world, key) => {
      const held = runSql(
        world.databaseUrl ?? "",
        "begin; lock table wallets in exclusive mode; select pg_sleep(2); commit",
      );
      await eventually(async () => {
        const locks =
          "select 1 as one from pg_locks where mode = 'ExclusiveLock' and relation = 'wallets'::regclass";
        expect(await world.rows(locks)).not.toEqual([]);
      });
      const replies = await Promise.all(Array.from({ length: 20 }, () => world.chat(key, limited)));
      await held;
      expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
      expect(await world.settled()).toMatchObject({ rows: 20, charged: 20 * defaultCharge });
    }),
);
