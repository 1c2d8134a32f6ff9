// The master key of a gateway in use is changed by the program itself, which is killed in the
// middle of it.
import { readdir, readFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { computeTotpCode } from "@tollgate/gateway/accounts/identity/totp/totp-code.ts";
import { createSealer, readKeyId } from "@tollgate/gateway/secrets/seal.ts";
import type { Database } from "@tollgate/gateway/storage/database.ts";
import { openDatabase, readSqliteFile } from "@tollgate/gateway/storage/open-database.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sendTo, signInSession } from "../harness/api-session.ts";
import { rootPassword } from "../harness/database-templates.ts";
import { eventually } from "../harness/eventually.ts";
import { databaseKinds, queryRows } from "../harness/gateway-database.ts";
import { startGatewayProcess } from "../harness/gateway-process.ts";
import { runSql } from "../harness/postgres-cluster.ts";
import {
  chatBody,
  startTestGateway,
  type TestGateway,
  type TestUser,
  userPassword,
} from "../harness/test-gateway.ts";
import { fillEncryptedColumns, readDecrypted } from "../support/encrypted-fixtures.ts";
import { runCommand, startCommand } from "./gateway-command.ts";

/** Several batches of tokens; the one with this name is where the run is held up. */
const manyTokens = 450;
const obstacle = "sealed 300";

const fail = (error: Error): never => {
  throw error;
};

async function withDatabase<Result>(
  world: TestGateway,
  work: (db: Database) => Promise<Result>,
): Promise<Result> {
  const db = await openDatabase(world, { onError: fail, onFatal: fail });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

/**
 * A write of that token blocks forever inside its transaction, so a kill undoes the whole batch.
 */
async function putObstacle({ dataDir, databaseUrl }: TestGateway): Promise<() => Promise<void>> {
  if (databaseUrl) {
    await runSql(
      databaseUrl,
      `create function stall() returns trigger language plpgsql as $$ begin perform pg_sleep(25); return new; end $$;
       create trigger stall before update on tokens for each row when (old.name = '${obstacle}') execute function stall()`,
    );
    return async () => {
      // The server ends a sleeping statement of a dead client only on request.
      await runSql(
        databaseUrl,
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      );
      await runSql(
        databaseUrl,
        "drop trigger stall on tokens; drop function stall; update nodes set lease_until = 0",
      );
    };
  }
  const change = (statement: string) => {
    const file = new DatabaseSync(readSqliteFile(dataDir));
    file.exec(statement);
    file.close();
  };
  change(
    `create trigger stall before update on tokens when old.name = '${obstacle}'
       and (select count(*) from tokens a, tokens b, tokens c, tokens d where a.uuid || b.uuid < c.uuid || d.uuid) >= 0
     begin select 1; end`,
  );
  return async () => change("drop trigger stall");
}

describe.each(databaseKinds)("a change of the master key on %s", (store) => {
  let world: TestGateway;
  let user: TestUser;
  let key: string;
  let code: string;
  let seed: string;
  let before: Uint8Array;
  let readable: Record<string, string>;
  let removeObstacle: () => Promise<void>;

  const file = (name: string) => join(world.dataDir, name);
  const keyIn = async (name: string) =>
    Buffer.from((await readFile(file(name), "utf8")).trim(), "base64");
  const tokensOf = async (masterKey: Uint8Array) => {
    const [found] = await queryRows<{ count: number }>(
      world,
      `select count(*) as count from tokens where substr(key_sealed, 1, 12) = '${createSealer(masterKey).prefix}'`,
    );
    return found?.count ?? 0;
  };

  beforeAll(async () => {
    world = await startTestGateway({ store });
    await world.given.channel({ key: "sim-pace-5" });
    user = await world.given.user("ada", { quota: 10_000_000 });
    key = (await user.token()).key;
    seed = (await user.data<{ secret: string }>("GET", "/api/user/totp/setup")).secret;
    [code = ""] = await world.api<string[]>("POST", "/api/redemption/", {
      name: "later",
      quota: 70,
      count: 1,
    });
    before = await keyIn("master.key");
  }, 60_000);
  afterAll(() => world?.close());

  test("is refused while a gateway runs", async () => {
    const reported = await runCommand(world, "rotate-key", "--yes");
    expect(reported).toEqual({
      code: 1,
      text: expect.stringMatching(
        store === "sqlite"
          ? /^tollgate: another Tollgate is running on/m
          : /^tollgate: other processes .* \(1\); stop/m,
      ),
    });
    expect(await world.chat(key)).toMatchObject({ status: 200 });
  });

  test("is refused with another key than the database's or none, in one sentence, and changes nothing", async () => {
    await world.process.stop();
    await withDatabase(world, (db) => fillEncryptedColumns(db, createSealer(before), manyTokens));
    readable = await withDatabase(world, (db) => readDecrypted(db, createSealer(before)));
    const files = (await readdir(world.dataDir)).filter((name) => name.startsWith("master"));
    const refused = {
      code: 1,
      text: expect.stringMatching(
        new RegExp(
          `tollgate: this database belongs to the master key ${readKeyId(before)}, and the one at hand is \\w{8}; put`,
        ),
      ) as string,
    };
    const another = { MASTER_KEY: Buffer.alloc(32, 7).toString("base64") };
    expect(await startAndRead(["rotate-key", "--yes"], another)).toEqual(refused);
    await rename(file("master.key"), file("elsewhere"));
    expect(await startAndRead(["rotate-key", "--yes"], {})).toMatchObject({
      code: 1,
      text: expect.stringContaining(
        `put key ${readKeyId(before)}, with which it was sealed, there`,
      ),
    });
    await rename(file("elsewhere"), file("master.key"));
    expect(await withDatabase(world, (db) => readDecrypted(db, createSealer(before)))).toEqual(
      readable,
    );
    expect((await readdir(world.dataDir)).filter((name) => name.startsWith("master"))).toEqual(
      files,
    );
  });

  test("that is killed half-way leaves both keys, and a gateway does not start on it", async () => {
    removeObstacle = await putObstacle(world);
    const running = startCommand(world, ["rotate-key", "--yes"]);
    await eventually(
      async () => {
        const next = await keyIn("master.key.next");
        if ((await tokensOf(next)) < 200) throw new Error("it has not got to the middle");
      },
      { timeoutMs: 60_000 },
    );
    running.kill("SIGKILL");
    expect(await running.exited).toMatchObject({ signal: "SIGKILL" });
    await removeObstacle();

    expect(await keyIn("master.key")).toEqual(before);
    const next = await keyIn("master.key.next");
    expect((await stat(file("master.key.next"))).mode & 0o777).toBe(0o600);
    const halves = await withDatabase(world, async (db) => [
      await readDecrypted(db, createSealer(before)),
      await readDecrypted(db, createSealer(next)),
    ]);
    for (const half of halves) expect(Object.keys(half).length).toBeGreaterThan(100);
    expect(Object.assign({}, ...halves)).toEqual(readable);
    const started = startGatewayProcess({ ...place(), upstreams: [world.simulator.url] });
    await expect(started).rejects.toThrow(/did not finish; run rotate-key again/);
  });

  test("is finished by running it again: all is sealed with the new key, and nothing is lost", async () => {
    if (world.databaseUrl) await runSql(world.databaseUrl, "update nodes set lease_until = 0");
    const next = await keyIn("master.key.next");
    const reported = await runCommand(world, "rotate-key", "--yes");
    expect(reported.text).toContain(
      `(${readKeyId(next)}) and open with it; none is sealed with the previous key`,
    );
    expect(reported.code).toBe(0);
    expect(await keyIn("master.key")).toEqual(next);
    expect(await keyIn(`master.key.old-${readKeyId(before)}`)).toEqual(before);
    await withDatabase(world, async (db) => {
      expect(await readDecrypted(db, createSealer(next))).toEqual(readable);
      expect(await readDecrypted(db, createSealer(before))).toEqual({});
    });
  });

  test("afterwards calls, keys, codes and second factors work as before", async () => {
    const gateway = await startGatewayProcess({ ...place(), upstreams: [world.simulator.url] });
    try {
      const response = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(chatBody()),
      });
      expect([response.status, (await response.json()) as object]).toEqual([
        200,
        expect.anything(),
      ]);
      const ask = (await signInSession(sendTo(gateway.url), "ada", userPassword)).request;
      expect((await ask("GET", "/api/token/")).body.data).toEqual([
        expect.objectContaining({ key }),
      ]);
      const totp_code = computeTotpCode(bytesOf(seed), Math.floor(Date.now() / 30_000));
      expect((await ask("POST", "/api/user/totp/confirm", { totp_code })).body).toMatchObject({
        success: true,
      });
      const root = (await signInSession(sendTo(gateway.url), "root", rootPassword)).request;
      const codes = (await root("GET", "/api/redemption/?p=0&size=20")).body.data as {
        key: string;
      }[];
      expect(codes.map((one) => one.key)).toContain(code);
    } finally {
      await gateway.stop();
    }
  });

  const place = () => ({
    dataDir: world.dataDir,
    ...(world.databaseUrl && { databaseUrl: world.databaseUrl }),
  });
  async function startAndRead(args: string[], env: Record<string, string>) {
    const program = startCommand(world, args, env);
    const { code: exitCode } = await program.exited;
    return { code: exitCode, text: program.output().trim() };
  }
});

function bytesOf(base32: string): Uint8Array {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = [...base32]
    .map((char) => alphabet.indexOf(char).toString(2).padStart(5, "0"))
    .join("");
  return Uint8Array.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
