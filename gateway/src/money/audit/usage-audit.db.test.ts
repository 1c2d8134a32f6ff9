import {
  createTestAccount,
  logRow,
  type TestAccount,
} from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { computeIdFloor, EPOCH_MS } from "../../storage/time-ids.ts";
import { auditUsage } from "./usage-audit.ts";

describe.each(testDatabases)("the audit of usage on $name", ({ open }) => {
  let storage: TestDatabase;
  let account: TestAccount;
  const day = 86_400_000;
  const usage_details = JSON.stringify({
    family: "openai",
    reported: { prompt_tokens: 5, completion_tokens: 7 },
  });

  beforeAll(async () => {
    storage = await open();
    account = await createTestAccount(storage.db, 1, [null]);
    const calls = [
      { at: 1, channel_id: 1 },
      { at: 2, channel_id: 1 },
      { at: 2, channel_id: 2 },
      { at: 3, channel_id: 1 },
    ];
    const rows = calls.map(({ at, channel_id }, index) =>
      logRow(account, computeIdFloor(EPOCH_MS + at * day) + index, {
        ...{ channel_id, quota: 10, prompt_tokens: 5, completion_tokens: 7, usage_details },
      }),
    );
    await storage.db.write([{ query: storage.db.sql.insertInto("logs").values(rows) }]);
  });
  afterAll(() => storage.close());

  const callsIn = async (from: number, to: number, channelId?: number): Promise<number[]> => {
    const { groups } = await auditUsage(storage.db, {
      from: EPOCH_MS + from * day,
      to: EPOCH_MS + to * day,
      ...(channelId !== undefined && { channelId }),
    });
    return groups.map(({ calls }) => calls);
  };

  test("reads the calls of a period and of a channel", async () => {
    expect(await callsIn(0, 9)).toEqual([3, 1]);
    expect(await callsIn(2, 3)).toEqual([1, 1]);
    expect(await callsIn(2, 9, 1)).toEqual([2]);
    expect(await callsIn(4, 9)).toEqual([]);
  });
});
