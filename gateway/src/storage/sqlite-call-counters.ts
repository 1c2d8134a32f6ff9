/**
 * Counts that settled calls add to roll-ups, users and channels, summed for each batch of the
 * writer thread.
 */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { columnIndex } from "./packed-log.ts";
import {
  computeHour,
  countCall,
  failedOutcomes,
  listRollupKeys,
  measureColumns,
  type RollupSubject,
  rollupTables,
} from "./rollups.ts";
import { createDaySums } from "./sqlite-day-sums.ts";
import { createRunCounters } from "./sqlite-run-counters.ts";
import { computeIdTime } from "./time-ids.ts";

/**
 * Many calls of one batch add to the same few rows. Calls of the same user, token, channel and
 * model are summed first, and every row is written once per batch.
 */
export function createCallCounters(db: DatabaseSync) {
  const columns = measureColumns.join(", ");
  const upserts = rollupTables.map(({ table, keys }) =>
    db.prepare(
      `insert into ${table} (${keys.join(", ")}, ${columns}) values (${[...keys, ...measureColumns].map(() => "?").join(", ")})
       on conflict (${keys.join(", ")}) do update set ${measureColumns.map((c) => `${c} = ${c} + excluded.${c}`).join(", ")}`,
    ),
  );
  const addToChannel = db.prepare("update channels set used_quota = used_quota + ? where id = ?");
  const addToUser = db.prepare(
    "update users set used_quota = used_quota + ?, request_count = request_count + ? where id = ?",
  );
  const daySums = createDaySums(db);
  const runCounters = createRunCounters(db);
  const pending = new Map<string, PendingCalls>();

  function add<Key>(
    sums: Map<Key, { keys: (string | number)[]; values: number[] }>,
    key: Key,
    keys: (string | number)[],
    values: number[],
  ): void {
    const known = sums.get(key);
    if (!known) sums.set(key, { keys, values: [...values] });
    else
      for (let index = 0; index < values.length; index += 1)
        known.values[index] = (known.values[index] ?? 0) + (values[index] ?? 0);
  }

  return {
    addCall(log: SQLInputValue[], ownerId: number, charge: number, isTimed = true): void {
      daySums.addCall(log);
      const isOfTeam = log[columnIndex.team_id] !== null;
      if (log[columnIndex.run] !== null) runCounters.add(log);
      const hour = computeHour(computeIdTime(Number(log[columnIndex.id])));
      // The roll-ups by account count what the account's own wallet paid.
      const userId = isOfTeam ? 0 : ownerId;
      const key = `${hour} ${userId} ${ownerId} ${log[columnIndex.token_id]} ${log[columnIndex.channel_id]} ${log[columnIndex.model_name]}`;
      let calls = pending.get(key);
      if (!calls) {
        calls = {
          hour,
          userId,
          ownerId,
          channelId: Number(log[columnIndex.channel_id]),
          tokenId: Number(log[columnIndex.token_id]),
          model: String(log[columnIndex.model_name]),
          charge: 0,
          charged: 0,
          sums: null,
        };
        pending.set(key, calls);
      }
      calls.charge += charge;
      if (charge > 0) calls.charged += 1;
      calls.sums = countCall(calls.sums, {
        failed: failedOutcomes.includes(String(log[columnIndex.outcome])),
        quota: Number(log[columnIndex.quota]),
        prompt: Number(log[columnIndex.prompt_tokens]),
        completion: Number(log[columnIndex.completion_tokens]),
        cached: Number(log[columnIndex.cached_prompt_tokens]),
        written:
          Number(log[columnIndex.cache_write_5m_tokens]) +
          Number(log[columnIndex.cache_write_1h_tokens]),
        elapsedMs: isTimed ? Number(log[columnIndex.elapsed_ms]) : null,
        ttftMs: Number(log[columnIndex.ttft_ms]),
      });
    },
    flush(): void {
      const tables = rollupTables.map(
        () => new Map<string, { keys: (string | number)[]; values: number[] }>(),
      );
      const channels = new Map<number, { keys: (string | number)[]; values: number[] }>();
      const users = new Map<number, { keys: (string | number)[]; values: number[] }>();
      for (const calls of pending.values()) {
        if (calls.charge > 0) {
          add(channels, calls.channelId, [calls.channelId], [calls.charge]);
          add(users, calls.ownerId, [calls.ownerId], [calls.charge, calls.charged]);
        }
        if (!calls.sums) continue;
        for (const [index, keys] of listRollupKeys(calls).entries()) {
          const table = tables[index];
          if (table) add(table, keys.join("\n"), keys, calls.sums);
        }
      }
      for (const [index, rows] of tables.entries())
        for (const { keys, values } of rows.values()) upserts[index]?.run(...keys, ...values);
      for (const { keys, values } of users.values()) addToUser.run(...values, ...keys);
      for (const { keys, values } of channels.values()) addToChannel.run(...values, ...keys);
      pending.clear();
      daySums.flush();
      runCounters.flush();
    },
    forget() {
      pending.clear();
      daySums.forget();
      runCounters.forget();
    },
  };
}

interface PendingCalls extends RollupSubject {
  /** `ownerId` says which user the use counts for, whether that user or a team paid. */
  ownerId: number;
  charge: number;
  /** Calls that cost something. */
  charged: number;
  sums: number[] | null;
}
