// The roll-ups against the log: for any settled calls, the sums of the rows equal the roll-ups, on
// both databases.

import {
  createTestAccount,
  foldRollups,
  holdOf,
  settleOf,
  type TestAccount,
} from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  failedOutcomes,
  histogramBoundsMs,
  latencyColumns,
  measureColumns,
  rollupTables,
  ttftColumns,
} from "../../storage/rollups.ts";
import type { LogRow } from "../../storage/tables/call-tables.ts";
import { computeIdFloor } from "../../storage/time-ids.ts";
import { auditBooks } from "./audit.ts";

const hourMs = 3_600_000;
const start = Date.UTC(2026, 10, 20, 22);
/** At, just below and just above every bound of a bucket. */
const duration = fc.oneof(
  fc.constantFrom(0, 1, ...histogramBoundsMs.flatMap((bound) => [bound - 1, bound, bound + 1])),
  fc.nat({ max: 200_000 }),
);
const call = fc.record({
  /** `type` is that of a model or a tool: both carry charges. */
  type: fc.constantFrom(2, 7),
  hour: fc.nat({ max: 5 }),
  user: fc.nat({ max: 1 }),
  channel_id: fc.nat({ max: 2 }),
  model_name: fc.constantFrom("small", "large", "naïve/雪", "a\nb"),
  quota: fc.nat({ max: 50 }),
  prompt_tokens: fc.nat({ max: 1_000 }),
  completion_tokens: fc.nat({ max: 1_000 }),
  cached_prompt_tokens: fc.oneof(fc.constant(0), fc.nat({ max: 100 })),
  cache_write_5m_tokens: fc.nat({ max: 20 }),
  cache_write_1h_tokens: fc.nat({ max: 20 }),
  elapsed_ms: duration,
  ttft_ms: duration,
  outcome: fc.constantFrom(
    "success",
    "failed",
    "client_left",
    "cut",
    "quota_ran_out",
    "interrupted",
  ),
});

/** `expectedOf` gives what one row adds, implemented a second time. */
function expectedOf(log: LogRow): Record<string, number> {
  const failed = failedOutcomes.includes(log.outcome);
  const bucket = (ms: number) => histogramBoundsMs.filter((bound) => bound <= ms).length;
  const sums: Record<string, number> = Object.fromEntries(
    measureColumns.map((column) => [column, 0]),
  );
  Object.assign(sums, {
    requests: 1,
    failures: failed ? 1 : 0,
    quota: log.quota,
    prompt_tokens: log.prompt_tokens,
    completion_tokens: log.completion_tokens,
    cached_prompt_tokens: log.cached_prompt_tokens,
    cache_write_tokens: log.cache_write_5m_tokens + log.cache_write_1h_tokens,
    cache_hits: log.cached_prompt_tokens > 0 ? 1 : 0,
    cache_hit_quota: log.cached_prompt_tokens > 0 ? log.quota : 0,
    elapsed_ms: failed ? 0 : log.elapsed_ms,
    ttft_ms: log.ttft_ms,
  });
  if (!failed) sums[latencyColumns[bucket(log.elapsed_ms)] ?? ""] = 1;
  if (log.ttft_ms > 0) sums[ttftColumns[bucket(log.ttft_ms)] ?? ""] = 1;
  return sums;
}

describe.each(testDatabases)("roll-ups on $name", (database) => {
  let storage: TestDatabase;
  let accounts: TestAccount[];
  beforeAll(async () => {
    storage = await database.open();
    accounts = [
      await createTestAccount(storage.db, 1_000_000, [null]),
      await createTestAccount(storage.db, 1_000_000, [null, null]),
    ];
  });
  afterAll(() => storage.close());

  test("equal the log rows, table by table and column by column", {
    tags: ["I-20"],
    timeout: 60_000,
  }, async () => {
    const { db } = storage;
    let sequence = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 40 }), async (calls) => {
        await Promise.all(
          calls.map(async ({ hour, user, ...log }) => {
            const account = accounts[user] as TestAccount;
            sequence += 1;
            const id = computeIdFloor(start + hour * hourMs) + sequence;
            const tokenId = account.tokenIds[sequence % account.tokenIds.length] ?? 0;
            expect(await db.money(holdOf(account, id, log.quota, { tokenId }))).toBe("held");
            await db.money(settleOf(account, id, log.quota, { ...log, token_id: tokenId }));
          }),
        );
        expect(await auditBooks(db)).toEqual([]);
      }),
      { numRuns: 8 },
    );

    await foldRollups(db);
    expect(await auditBooks(db)).toEqual([]);
    const logs = (await db.read(db.sql.selectFrom("logs").selectAll())).map((log) => ({
      ...log,
      day: Math.floor(
        Number(BigInt(log.id) / 4096n + BigInt(Date.UTC(2024, 0, 1))) / (24 * hourMs),
      ),
      hour: Math.floor(Number(BigInt(log.id) / 4096n + BigInt(Date.UTC(2024, 0, 1))) / hourMs),
    }));
    expect(logs.length).toBe(sequence);
    for (const { table, keys } of rollupTables) {
      const expected = new Map<string, Record<string, number>>();
      for (const log of logs) {
        const name = JSON.stringify(keys.map((key) => log[key]));
        const sums = expected.get(name) ?? {};
        for (const [column, value] of Object.entries(expectedOf(log)))
          sums[column] = (sums[column] ?? 0) + value;
        expected.set(name, sums);
      }
      const stored = (await db.read(db.sql.selectFrom(table).selectAll())) as unknown as Record<
        string,
        number
      >[];
      const found = stored.map((row): [string, Record<string, number | undefined>] => [
        JSON.stringify(keys.map((key) => row[key])),
        Object.fromEntries(measureColumns.map((column) => [column, row[column]])),
      ]);
      expect(new Map(found), table).toEqual(expected);
    }
  });

  test("of a tag equal the ledger's charges and the log rows of the calls that have it, whatever else they have", {
    tags: ["I-20"],
    timeout: 60_000,
  }, async () => {
    const { db } = storage;
    const value = fc.constantFrom("search", "ads", "naïve/雪", 'a"b', "(other)");
    const tags = fc.record({ team: value, env: value }, { requiredKeys: [] });
    const others = fc.record({ team: value, note: value }, { requiredKeys: [] });
    const tagged = fc.record({
      quota: fc.nat({ max: 50 }),
      outcome: fc.constantFrom(
        "success",
        "client_left",
        "quota_ran_out",
        "failed",
        "cut",
        "interrupted",
      ),
      prompt_tokens: fc.nat({ max: 1_000 }),
      cached_prompt_tokens: fc.nat({ max: 100 }),
      completion_tokens: fc.nat({ max: 1_000 }),
      day: fc.nat({ max: 2 }),
      tags: fc.oneof(
        fc.constant(null),
        fc.record({ others }),
        fc.record({ counted: tags, others }),
      ),
    });
    const account = await createTestAccount(db, 1_000_000, [null]);
    const before = await db.read(db.sql.selectFrom("rollup_day_tag").selectAll());
    expect(before).toEqual([]);
    interface TaggedCall {
      id: number;
      isFailed: boolean;
      prompt: number;
      cached: number;
      completion: number;
    }
    const callsOf = new Map<string, TaggedCall[]>();
    let sequence = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(tagged, { minLength: 1, maxLength: 20 }), async (calls) => {
        await Promise.all(
          calls.map(async ({ quota, day, tags: logged, ...log }) => {
            sequence += 1;
            const id = computeIdFloor(start + (40 + 24 * day) * hourMs) + sequence;
            for (const [key, named] of Object.entries(
              logged && "counted" in logged ? logged.counted : {},
            )) {
              const name = `${Math.floor((start + (40 + 24 * day) * hourMs) / (24 * hourMs))} ${key}=${named}`;
              const one: TaggedCall = {
                id,
                isFailed: failedOutcomes.includes(log.outcome),
                prompt: log.prompt_tokens,
                cached: log.cached_prompt_tokens,
                completion: log.completion_tokens,
              };
              callsOf.set(name, [...(callsOf.get(name) ?? []), one]);
            }
            expect(await db.money(holdOf(account, id, quota))).toBe("held");
            const command = settleOf(account, id, quota, {
              ...log,
              tags: logged && JSON.stringify(logged),
            });
            expect(await db.money(command)).toBe("settled");
            // A settlement that arrives twice counts once.
            expect(await db.money(command)).toBe("already");
          }),
        );
      }),
      { numRuns: 8 },
    );
    await foldRollups(db);
    const charges = new Map<number, number>();
    for (const { billing_id, amount } of await db.read(
      db.sql.selectFrom("ledger").select(["billing_id", "amount"]).where("credit", "=", "revenue"),
    ))
      charges.set(billing_id, (charges.get(billing_id) ?? 0) + amount);
    const proved = [...callsOf].map(([name, calls]) => {
      const sum = (of: (call: TaggedCall) => number): number =>
        calls.reduce((total, call) => total + of(call), 0);
      return [
        name,
        {
          requests: calls.length,
          failures: sum(({ isFailed }) => (isFailed ? 1 : 0)),
          quota: sum(({ id }) => charges.get(id) ?? 0),
          prompt_tokens: sum(({ prompt }) => prompt),
          cached_prompt_tokens: sum(({ cached }) => cached),
          completion_tokens: sum(({ completion }) => completion),
        },
      ];
    });
    const rows = await db.read(db.sql.selectFrom("rollup_day_tag").selectAll());
    const stored = rows.map(({ day, tag_key, tag_value, ...sums }) => [
      `${day} ${tag_key}=${tag_value}`,
      sums,
    ]);
    expect(Object.fromEntries(stored)).toEqual(Object.fromEntries(proved));
    expect(stored.length).toBeGreaterThan(5);
  });

  test("of marks for the prompt cache equal the log rows that have some, by day, team and account", {
    tags: ["I-20"],
  }, async () => {
    const { db } = storage;
    const account = await createTestAccount(db, 1_000_000, [null]);
    const savings = [5, -3, null, 0, 9_000_000_000_000];
    for (const [index, marks_saved] of savings.entries()) {
      const id = computeIdFloor(start + (400 + 24 * (index % 2)) * hourMs) + index + 1;
      expect(await db.money(holdOf(account, id, 1))).toBe("held");
      expect(await db.money(settleOf(account, id, 1, { marks_saved }))).toBe("settled");
    }
    await foldRollups(db);
    const day = Math.floor((start + 400 * hourMs) / (24 * hourMs));
    const of = { team_id: 0, user_id: account.userId };
    expect(await db.read(db.sql.selectFrom("rollup_day_marks").selectAll().orderBy("day"))).toEqual(
      [
        { ...of, day, requests: 2, saved: 9_000_000_000_005 },
        { ...of, day: day + 1, requests: 2, saved: -3 },
      ],
    );
  });

  test("of costs equal the log rows that have one, by day, channel and model", {
    tags: ["I-20"],
    timeout: 60_000,
  }, async () => {
    const { db } = storage;
    const costed = fc.record({
      quota: fc.nat({ max: 50 }),
      day: fc.nat({ max: 2 }),
      channel_id: fc.nat({ max: 2 }),
      model_name: fc.constantFrom("small", "large", "naïve/雪"),
      cost_nanos: fc.option(fc.oneof(fc.constant(0), fc.nat({ max: 1_000_000_000_000 }))),
    });
    const account = await createTestAccount(db, 1_000_000, [null]);
    const expected = new Map<string, [requests: number, quota: number, nanos: number]>();
    let sequence = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(costed, { minLength: 1, maxLength: 20 }), async (calls) => {
        await Promise.all(
          calls.map(async ({ day, quota, ...log }) => {
            sequence += 1;
            const at = start + (200 + 24 * day) * hourMs;
            const id = computeIdFloor(at) + sequence;
            if (log.cost_nanos !== null) {
              const name = `${Math.floor(at / (24 * hourMs))} ${log.channel_id} ${log.model_name}`;
              const [requests, charged, nanos] = expected.get(name) ?? [0, 0, 0];
              expected.set(name, [requests + 1, charged + quota, nanos + log.cost_nanos]);
            }
            expect(await db.money(holdOf(account, id, quota))).toBe("held");
            const command = settleOf(account, id, quota, log);
            expect(await db.money(command)).toBe("settled");
            expect(await db.money(command)).toBe("already");
          }),
        );
      }),
      { numRuns: 8 },
    );
    await foldRollups(db);
    const rows = await db.read(db.sql.selectFrom("rollup_day_cost").selectAll());
    const stored = rows.map(
      ({ day, channel_id, model_name, requests, quota, cost_nanos }): [string, number[]] => [
        `${day} ${channel_id} ${model_name}`,
        [requests, quota, cost_nanos],
      ],
    );
    expect(new Map(stored)).toEqual(expected);
    expect(stored.length).toBeGreaterThan(5);
  });
});
