import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestAccount } from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readSettings } from "../config/config.ts";
import { ConfigError } from "../config/config-error.ts";
import { createSealer } from "../secrets/seal.ts";
import { addMasterKey, findKnownMasterKey } from "./site-master-key.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-key-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const at = (dataDir: string, environment: Record<string, string> = {}) =>
  readSettings({ DATA_DIR: dataDir, ...environment });

describe("the master key of a new site", () => {
  test("is made once, readable by its owner only, and reused", async () => {
    const site = at(join(folder, "new"));
    expect(findKnownMasterKey(site)).toBeUndefined();
    const { masterKey } = await addMasterKey(site);
    const file = join(folder, "new/master.key");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "new")).mode & 0o077).toBe(0);
    expect((await addMasterKey(site)).masterKey).toEqual(masterKey);
    expect(Buffer.from(readFileSync(file, "utf8"), "base64")).toEqual(masterKey);
    expect((await addMasterKey(at(join(folder, "other")))).masterKey).not.toEqual(masterKey);
  });

  test("cannot be written where there is no folder, and the start says so", async () => {
    writeFileSync(join(folder, "a file"), "");
    const refused = addMasterKey(at(join(folder, "a file", "data")));
    await expect(refused).rejects.toThrow(ConfigError);
    await expect(refused).rejects.toThrow(/^DATA_DIR .* cannot be written \(E/);
  });

  test("from the environment is not written anywhere", async () => {
    const MASTER_KEY = Buffer.alloc(32, 7).toString("base64");
    expect((await addMasterKey(at(folder, { MASTER_KEY }))).masterKey).toEqual(Buffer.alloc(32, 7));
    expect(existsSync(join(folder, "master.key"))).toBe(false);
  });

  test.each(["", "garbage", Buffer.alloc(16).toString("base64")])(
    "that is damaged (%j) stops the start and is left as it is",
    async (text) => {
      writeFileSync(join(folder, "master.key"), text);
      const refused = addMasterKey(at(folder));
      await expect(refused).rejects.toThrow(ConfigError);
      await expect(refused).rejects.toThrow(/master\.key.*MASTER_KEY/);
      expect(readFileSync(join(folder, "master.key"), "utf8")).toBe(text);
    },
  );
});

describe.for(testDatabases)("beside a database on $name", (database) => {
  let storage: TestDatabase;
  beforeEach(async () => {
    storage = await database.open();
  });
  afterEach(() => storage.close());

  test("no key is made, and the missing one is named", async () => {
    const { dataDir, databaseUrl } = storage.config;
    const site = at(dataDir || folder, databaseUrl ? { DATABASE_URL: databaseUrl } : {});
    const missing = addMasterKey(site);
    await expect(missing).rejects.toThrow(
      /^there is no master\.key in .* put the key that belongs to it there/,
    );
    const sealer = createSealer(Buffer.alloc(32, 9));
    const key_sealed = sealer.seal("channel-key", "channels/key_sealed/a", "sk-1");
    const { db } = storage;
    const { channelId } = await createTestAccount(db, 0, [null]);
    await db.write([
      { query: db.sql.updateTable("channels").set({ key_sealed }).where("id", "=", channelId) },
    ]);
    await expect(addMasterKey(site)).rejects.toThrow(
      `put key ${sealer.keyId}, with which it was sealed, there`,
    );
    expect(existsSync(join(site.dataDir, "master.key"))).toBe(false);
  });
});
