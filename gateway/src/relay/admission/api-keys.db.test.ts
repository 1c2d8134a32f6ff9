import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  createTestAccount,
  type TestAccount,
} from "../../../../tests/src/support/money-fixtures.ts";
import { ruleDatabases, type TestDatabase } from "../../../../tests/src/support/test-databases.ts";
import { type ApiKeys, createApiKeys, hashKey } from "./api-keys.ts";
import { authenticate, choosePin, readCredential } from "./authenticate.ts";

const address = "192.0.2.1";

describe.each(ruleDatabases)("keys of another system on $name", ({ open }) => {
  let storage: TestDatabase;
  let account: TestAccount;
  let keys: ApiKeys;
  /** Four tokens: the hashes that LiteLLM stores of three, and one of ours. */
  const stored = [hashKey("sk-team-1"), hashKey("sk-team-2"), hashKey("AbCdEf"), hashKey("own")];
  beforeAll(async () => {
    storage = await open();
    account = await createTestAccount(storage.db, 1, [null, null, null, null]);
    const { sql } = storage.db;
    await storage.db.write(
      account.tokenIds.map((id, at) => ({
        query: sql
          .updateTable("tokens")
          .set({ key_hash: stored[at] ?? "" })
          .where("id", "=", id),
      })),
    );
    keys = createApiKeys(
      storage.db,
      () => 0,
      () => [],
    );
  });
  afterAll(() => storage.close());

  const use = async (authorization: string) => {
    const credential = readCredential({ authorization }, "sk-");
    if (!credential) throw new Error("no key");
    const caller = await authenticate(credential, keys, { address, learn: () => undefined }, 0);
    return { tokenId: caller.tokenId, pin: choosePin(caller, credential.pin) };
  };

  test("a key that is known by the hash of its whole text opens, and its end names no channel", async () => {
    // Twice: the second time from the cache.
    for (let times = 0; times < 2; times += 1) {
      expect(await use("Bearer sk-team-1")).toEqual({
        tokenId: account.tokenIds[0],
        pin: undefined,
      });
      expect(await use("sk-team-2")).toEqual({ tokenId: account.tokenIds[1], pin: undefined });
    }
  });

  test.each(["sk-team-3", "sk-team", "team-1", "sk-sk-team-1", stored[0] ?? ""])(
    "%s opens nothing",
    async (wrong) => {
      await expect(use(wrong)).rejects.toMatchObject({ refusal: { status: 401 } });
    },
  );

  test("a key without a prefix in its hash opens with and without one, and may still name no channel for a user", async () => {
    expect(await use("AbCdEf")).toEqual({ tokenId: account.tokenIds[2], pin: undefined });
    expect(await use("sk-own")).toEqual({ tokenId: account.tokenIds[3], pin: undefined });
    await expect(use("sk-own-7")).rejects.toThrow("Only administrators may choose a channel");
  });
});
