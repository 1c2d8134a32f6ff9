// The record of changes, proved by the program's own command, as an operator or an auditor would.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase, type StorageConfig } from "@tollgate/gateway/storage/open-database.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseKinds } from "../harness/gateway-database.ts";
import { createDatabase, dropDatabase } from "../harness/postgres-cluster.ts";
import { describeLarge } from "../support/large-tests.ts";
import { runCommand } from "./gateway-command.ts";

const fail = (error: Error): never => {
  throw error;
};

describeLarge(databaseKinds)("the command that proves the record of changes on %s", (store) => {
  let config: StorageConfig;
  beforeAll(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "tollgate-trail-"));
    config = { dataDir, databaseUrl: store === "postgres" ? await createDatabase() : undefined };
    await withDatabase(async (db) => {
      const entry = {
        at: 1,
        actorId: 1,
        address: "::1",
        action: "user.update",
        target: "t",
        change: { quota: 5 },
      };
      for (let n = 0; n < 5; n += 1) await db.write(db.audit(entry));
    });
  });
  afterAll(async () => {
    if (config.databaseUrl) await dropDatabase(config.databaseUrl);
    await rm(config.dataDir, { recursive: true });
  });

  const withDatabase = async <Result>(
    work: (db: Awaited<ReturnType<typeof openDatabase>>) => Promise<Result>,
  ) => {
    const db = await openDatabase(config, { onError: fail, onFatal: fail });
    try {
      return await work(db);
    } finally {
      await db.close();
    }
  };

  test("prints the last entry, and reports it as missing when it is gone", async () => {
    const output = await runCommand(config, "audit", "--trail");
    expect(output).toEqual({
      code: 0,
      text: expect.stringMatching(
        /^Database: .*\n5 entries are chained, the last is 5:[0-9a-f]{64}$/,
      ),
    });
    const head = /5:[0-9a-f]{64}/.exec(output.text)?.[0] ?? "";
    await withDatabase((db) =>
      db.write([{ query: db.sql.deleteFrom("audit_entries").where("id", ">=", 5) }]),
    );
    expect(await runCommand(config, "audit", `--trail=${head}`)).toEqual({
      code: 1,
      text: expect.stringContaining(
        "entry 5 was noted and is gone: the end of the trail was cut off",
      ),
    });
  });

  test("names the first changed entry, and so does the audit of the books", async () => {
    await withDatabase((db) =>
      db.write([
        { query: db.sql.updateTable("audit_entries").set({ actor_id: 2 }).where("id", "=", 3) },
      ]),
    );
    const output = "entry 3 was changed: its hash is of something else";
    expect(await runCommand(config, "audit", "--trail")).toEqual({
      code: 1,
      text: expect.stringMatching(
        new RegExp(`is broken: ${output}\\.\n2 entries before it are chained, the last is 2:`),
      ),
    });
    expect(await runCommand(config, "audit")).toEqual({
      code: 1,
      text: expect.stringMatching(
        `^Database: .*\nthe record of changes is chained: ${output}\n1 disagreements.$`,
      ),
    });
  });

  test("refuses an entry that it cannot have printed", async () => {
    const text = "tollgate: --trail takes an entry as it was printed, such as 1234:5f8e…";
    expect(await runCommand(config, "audit", "--trail=5")).toEqual({ code: 64, text });
  });
});
