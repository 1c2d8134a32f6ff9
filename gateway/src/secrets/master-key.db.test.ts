import { randomBytes } from "node:crypto";
import { describeLarge } from "@tollgate/tests/support/large-tests.ts";
import { createTestAccount } from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isDatabaseKey } from "./master-key.ts";
import { createSealer } from "./seal.ts";

const ours = createSealer(randomBytes(32));
const theirs = createSealer(randomBytes(32));
const sealedBy = (seal: typeof ours) => seal.seal("channel-key", "channels/key_sealed/a", "sk-1");

describeLarge(testDatabases)("the master key of a database on $name", (database) => {
  let storage: TestDatabase;
  beforeEach(async () => {
    storage = await database.open();
  });
  afterEach(() => storage.close());

  test.each([
    ["no channel", [], true],
    ["a channel without a key", [""], true],
    ["a channel of ours", [sealedBy(ours)], true],
    ["a channel of ours among others", [sealedBy(theirs), sealedBy(ours), ""], true],
    ["only channels of another key", [sealedBy(theirs), "", sealedBy(theirs)], false],
  ])("with %s", async (_, sealed, expected) => {
    const { db } = storage;
    for (const key_sealed of sealed) {
      const { channelId } = await createTestAccount(db, 0, [null]);
      await db.write([{ query: db.sql.updateTable("channels").set({ key_sealed }).where("id", "=", channelId) }]);
    }
    expect(await isDatabaseKey(db, ours)).toBe(expected);
  });
});
