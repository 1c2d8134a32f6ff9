import { rollupMeasures } from "@tollgate/tests/support/rollup-measures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { listTopTokens } from "./top-tokens.ts";

const days = { first: 20_000, last: 20_006 };
const tokenIds = Array.from({ length: 300 }, (_, index) => index + 1);
const isDeleted = (id: number) => id % 7 === 0;
const ownerOf = (id: number) => (id % 4) + 1;

/** Units by token and day. */
type UnitsByDay = (id: number, day: number) => number;
/** Few tokens spend most of all, and some spend the same. */
const steady: UnitsByDay = (id, day) =>
  Math.floor(((id * 7919) % 100) ** 2 / 10) + ((id + day) % 3);
const onOneDay: UnitsByDay = (id, day) =>
  id % 60 === 3 && day === days.first ? 50_000 : steady(id, day);

describe.each(testDatabases)("the tokens that spent most on $name", (database) => {
  let storage: TestDatabase;
  beforeAll(async () => {
    storage = await database.open();
    const { sql, write } = storage.db;
    const times = { created_at: 0, updated_at: 0 };
    for (let id = 1; id <= 4; id += 1) {
      const names = {
        uuid: `u${id}`,
        username: `u${id}`,
        display_name: "",
        email: "",
        password_hash: "",
      };
      const user = {
        ...names,
        id,
        role: 1,
        status: 1,
        group: "default",
        wallet_id: id,
        access_token_hash: null,
      };
      await write([
        {
          query: sql
            .insertInto("wallets")
            .values({ id, uuid: `w${id}`, balance: 0, created_at: 0 }),
        },
        { query: sql.insertInto("users").values({ ...user, ...times, must_change_password: 0 }) },
      ]);
    }
    const limits = {
      remain_quota: 0,
      unlimited_quota: 1 as const,
      expired_at: null,
      models: "",
      subnet: "",
    };
    const tokens = tokenIds
      .filter((id) => !isDeleted(id))
      .map((id) => ({
        id,
        uuid: `t${id}`,
        user_id: ownerOf(id),
        name: `t${id}`,
        key_hash: `h${id}`,
        key_sealed: "",
      }));
    await write([
      {
        query: sql
          .insertInto("tokens")
          .values(
            tokens.map((token) => ({ ...token, ...limits, ...times, status: 1, accessed_at: 0 })),
          ),
      },
    ]);
  });
  afterAll(() => storage.close());
  beforeEach(() => storage.db.write([{ query: storage.db.sql.deleteFrom("rollup_day_token") }]));

  const spend = async (
    ids: readonly number[],
    units: UnitsByDay,
    idleDays: readonly number[] = [],
  ) => {
    const { sql, write } = storage.db;
    for (let day = days.first - 1; day <= days.last + 1; day += 1) {
      if (idleDays.includes(day)) continue;
      const rows = ids.map((token_id) => ({
        ...rollupMeasures({ quota: units(token_id, day) }),
        day,
        token_id,
      }));
      await write([{ query: sql.insertInto("rollup_day_token").values(rows) }]);
    }
  };
  /** As it follows from what each token spent. */
  const expected = (
    ids: readonly number[],
    units: UnitsByDay,
    { first, last }: typeof days,
    idleDays: number[] = [],
  ) => {
    const inRange = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    const busy = inRange.filter((day) => !idleDays.includes(day));
    return ids
      .filter((id) => !isDeleted(id))
      .map((id) => ({ id, sum: busy.reduce((sum, day) => sum + units(id, day), 0) }))
      .sort((one, other) => other.sum - one.sum || one.id - other.id)
      .slice(0, 50)
      .map(({ id }) => id);
  };

  test.each([
    ["spend about the same each day", steady],
    ["spend all they spend on one day", onOneDay],
    ["spend nothing", () => 0],
  ] as const)("are those with the largest sums, where tokens %s", async (_, units) => {
    await spend(tokenIds, units);
    for (const range of [
      days,
      { first: days.last, last: days.last },
      { first: days.last - 1, last: days.last },
    ])
      expect(await listTopTokens(storage.db, range, {})).toEqual(expected(tokenIds, units, range));
  });

  test("are found where few tokens spent something yesterday", async () => {
    const sparse: UnitsByDay = (id, day) =>
      day === days.last - 1 && id > 60 ? 0 : onOneDay(id, day);
    await spend(tokenIds, sparse);
    expect(await listTopTokens(storage.db, days, {})).toEqual(expected(tokenIds, sparse, days));
  });

  test("are found where yesterday says nothing about the week", async () => {
    const idle = [days.last - 1];
    await spend(tokenIds, onOneDay, idle);
    expect(await listTopTokens(storage.db, days, {})).toEqual(
      expected(tokenIds, onOneDay, days, idle),
    );
  });

  test("are all, where there are few", async () => {
    const few = tokenIds.slice(0, 40);
    await spend(few, steady);
    expect(await listTopTokens(storage.db, days, {})).toEqual(expected(few, steady, days));
  });

  test("are those of one user", async () => {
    await spend(tokenIds, onOneDay);
    const own = tokenIds.filter((id) => ownerOf(id) === 2);
    expect(await listTopTokens(storage.db, days, { userId: 2 })).toEqual(
      expected(own, onOneDay, days),
    );
  });
});
