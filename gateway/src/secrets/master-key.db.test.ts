import { randomBytes } from "node:crypto";
import { fillEncryptedColumns } from "@tollgate/tests/support/encrypted-fixtures.ts";
import { describeLarge } from "@tollgate/tests/support/large-tests.ts";
import { createTestAccount } from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openDatabase, runAlone } from "../storage/open-database.ts";
import { claimDatabaseKey, findKeyProblem } from "./master-key.ts";
import { createSealer, type Sealer } from "./seal.ts";

const ours = createSealer(randomBytes(32));
const theirs = createSealer(randomBytes(32));
const fail = (error: Error) => {
  throw error;
};

describeLarge(testDatabases)("the master key of a database on $name", (database) => {
  let storage: TestDatabase;
  let unproved: (readonly string[])[];
  beforeEach(async () => {
    storage = await database.open();
    unproved = [];
  });
  afterEach(() => storage.close());

  const claim = (seal: Sealer, db = storage.db) =>
    claimDatabaseKey(db, seal, {
      alone: (work) => runAlone(storage.config, work),
      onUnproved: (columns) => unproved.push(columns),
    });
  const named = async () =>
    (await storage.db.read(storage.db.sql.selectFrom("database_key").select("key_id"))).map(
      ({ key_id }) => key_id,
    );
  const addChannel = async (key_sealed: (uuid: string) => string) => {
    const { db } = storage;
    const { channelId } = await createTestAccount(db, 0, [null]);
    const [channel] = await db.read(
      db.sql.selectFrom("channels").select("uuid").where("id", "=", channelId),
    );
    const set = { key_sealed: key_sealed(channel?.uuid ?? "") };
    await db.write([
      { query: db.sql.updateTable("channels").set(set).where("id", "=", channelId) },
    ]);
  };
  const channelOf = (seal: Sealer) =>
    addChannel((uuid) => seal.seal("channel-key", `channels/key_sealed/${uuid}`, "sk-1"));
  const addOption = async (seal: Sealer, key: "SMTPToken" | "ResendAPIKey") => {
    const value = seal.seal("option-secret", `options/value/${key}`, "secret");
    await storage.db.write([
      { query: storage.db.sql.insertInto("options").values({ key, value, updated_at: 1 }) },
    ]);
  };
  const mismatch = new RegExp(
    `belongs to the master key ${theirs.keyId}, and the one at hand is ${ours.keyId};`,
  );

  test("is the first that starts on an empty one, and no other from then on", async () => {
    expect(await claim(theirs)).toBeUndefined();
    expect(await named()).toEqual([theirs.keyId]);
    expect(await claim(ours)).toMatch(mismatch);
    expect(await findKeyProblem(storage.db, ours)).toMatch(mismatch);
    expect(await claim(theirs)).toBeUndefined();
  });

  test("is one of many that start on an empty one at once", async () => {
    // A SQLite file has only one process.
    const nodes = [storage.db];
    if (database.name === "postgres")
      for (let more = 0; more < 3; more += 1)
        nodes.push(await openDatabase(storage.config, { onError: fail, onFatal: fail }));
    const seals = nodes.map(() => createSealer(randomBytes(32)));
    const problems = await Promise.all(nodes.map((db, index) => claim(seals[index] as Sealer, db)));
    const winner = problems.indexOf(undefined);
    expect(problems.filter((problem) => problem === undefined)).toHaveLength(1);
    expect(await named()).toEqual([seals[winner]?.keyId]);
    for (const db of nodes.slice(1)) await db.close();
  });

  test("is named where a value of every column opens with it", async () => {
    await fillEncryptedColumns(storage.db, ours);
    expect(await claim(ours)).toBeUndefined();
    expect(await named()).toEqual([ours.keyId]);
    expect(unproved).toEqual([]);
  });

  test.each([
    ["only channels of another key", () => channelOf(theirs)],
    ["nothing but a setting of another key", () => addOption(theirs, "SMTPToken")],
    [
      "channels of another key beside a setting of ours",
      async () => {
        await channelOf(theirs);
        await addOption(ours, "SMTPToken");
      },
    ],
  ])("is another with %s", async (_, fill) => {
    await fill();
    expect(await claim(ours)).toMatch(mismatch);
    expect(await named()).toEqual([]);
  });

  test("is ours with a channel of ours among others, and is named", async () => {
    for (const seal of [theirs, ours, theirs]) await channelOf(seal);
    await addChannel(() => "");
    expect(await claim(ours)).toBeUndefined();
    expect(await named()).toEqual([ours.keyId]);
  });

  test("is not named while a column has only values that do not open", async () => {
    await channelOf(ours);
    await addOption(theirs, "ResendAPIKey");
    expect(await claim(ours)).toBeUndefined();
    expect([await named(), unproved]).toEqual([[], [["options.value"]]]);
    await addOption(ours, "SMTPToken");
    expect(await claim(ours)).toBeUndefined();
    expect(await named()).toEqual([ours.keyId]);
  });

  test("is not named by a value that has its prefix and does not open", async () => {
    await addChannel(() => `${ours.prefix}${"A".repeat(60)}`);
    expect(await claim(ours)).toBeUndefined();
    expect([await named(), unproved]).toEqual([[], [["channels.key_sealed"]]]);
  });
});
