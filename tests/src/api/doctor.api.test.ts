// The command `doctor`, as an operator types it: whom the gateway calls is tried, and what does not
// answer is named with what to do.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { freePort } from "../harness/free-port.ts";
import { createFamilyDatabase } from "../support/family-database.ts";
import { runCommand, startCommand } from "../trust/gateway-command.ts";

let folder: string;
const dataDir = () => join(folder, "data");
const doctor = async (env: Record<string, string>, databaseUrl?: string) => {
  const program = startCommand({ dataDir: dataDir(), databaseUrl }, ["doctor"], env);
  const { code } = await program.exited;
  const [database, ...lines] = program.output().trim().split("\n");
  return { code, database, lines };
};

/** Moves in a site whose one channel calls this address. */
async function makeSite(upstream: string): Promise<void> {
  const file = join(folder, "one-api.db");
  createFamilyDatabase(file, "one-api", {
    users: [{ id: 1, username: "alice", password: "", quota: 1 }],
    channels: [
      {
        id: 1,
        type: 1,
        key: "sk-1",
        name: "one",
        base_url: upstream,
        models: "m",
        group: "default",
      },
    ],
  });
  expect(
    (await runCommand({ dataDir: dataDir(), databaseUrl: undefined }, "import", file)).text,
  ).toContain("agree");
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-doctor-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("hosts that do not answer are warnings, and settings without effect are notes; the start does not need them", {
  tags: ["large"],
}, async () => {
  const [upstreamPort, redisPort] = [await freePort(), await freePort()];
  const host = `127.0.0.1:${upstreamPort}`;
  await makeSite(`http://${host}`);
  const told = await doctor({
    REDIS_URL: `redis://127.0.0.1:${redisPort}`,
    METRICS_HOST: "0.0.0.0",
  });
  expect(told.code).toBe(0);
  expect(told.lines.filter((line) => !line.startsWith("ok "))).toEqual([
    "note     METRICS_HOST has no effect: it needs METRICS_PORT. Set that, or remove it",
    expect.stringMatching(
      /^warning {2}Redis at 127\.0\.0\.1:\d+ does not answer \(ECONNREFUSED\): .* correct REDIS_URL$/,
    ),
    expect.stringContaining(`warning  http://${host} of enabled channels cannot be called`),
  ]);
  expect(told.lines.at(-1)).toContain(`add ${host} to UPSTREAM_PRIVATE_HOSTS`);

  const allowed = { UPSTREAM_PRIVATE_HOSTS: host };
  expect((await doctor(allowed)).lines.at(-1)).toContain("(ECONNREFUSED)");
  const server = createServer((socket) => socket.destroy()).listen(upstreamPort, "127.0.0.1");
  const answered = await doctor(allowed);
  server.close();
  expect(answered.lines.filter((line) => !line.startsWith("ok "))).toEqual([]);
});

test("a database that does not answer or is none is a problem, with what to correct", async () => {
  const lost = await doctor({}, `postgres://one:secret@127.0.0.1:${await freePort()}/tollgate`);
  expect(lost.code).toBe(1);
  expect(lost.lines).toEqual([
    expect.stringMatching(
      /^problem {2}the PostgreSQL database tollgate at 127\.0\.0\.1:\d+ cannot be read \(.*ECONNREFUSED.*\): start it .*DATABASE_URL/,
    ),
  ]);
  expect(lost.database).toMatch(/^Database: the PostgreSQL database tollgate at 127\.0\.0\.1:\d+$/);
  expect(lost.lines.join()).not.toContain("secret");

  mkdirSync(dataDir());
  writeFileSync(join(dataDir(), "tollgate.db"), "this is no database".repeat(1_000));
  const damaged = await doctor({});
  expect(damaged.code).toBe(1);
  expect(damaged.lines.at(-1)).toMatch(
    /^problem .*tollgate\.db cannot be read \(file is not a database\)/,
  );
});
