/**
 * Counts that settled calls with a known cost add to the roll-up of costs, summed for each batch of
 * the writer thread.
 */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { columnIndex } from "./packed-log.ts";
import { computeDay } from "./rollups.ts";
import type { CostRollupRow } from "./tables/call-tables.ts";
import { computeIdTime } from "./time-ids.ts";

export function createCostCounters(db: DatabaseSync) {
  const upsert = db.prepare(
    `insert into rollup_day_cost (day, channel_id, model_name, requests, quota, cost_nanos) values (?, ?, ?, ?, ?, ?)
     on conflict (day, channel_id, model_name) do update set
       requests = requests + excluded.requests, quota = quota + excluded.quota, cost_nanos = cost_nanos + excluded.cost_nanos`,
  );
  const pending = new Map<string, CostRollupRow>();
  return {
    /** A row with a cost. */
    add(log: SQLInputValue[]): void {
      const day = computeDay(computeIdTime(Number(log[columnIndex.id])));
      const channel_id = Number(log[columnIndex.channel_id]);
      const model_name = String(log[columnIndex.model_name]);
      const name = `${day} ${channel_id} ${model_name}`;
      let sums = pending.get(name);
      if (!sums) {
        sums = { day, channel_id, model_name, requests: 0, quota: 0, cost_nanos: 0 };
        pending.set(name, sums);
      }
      sums.requests += 1;
      sums.quota += Number(log[columnIndex.quota]);
      sums.cost_nanos += Number(log[columnIndex.cost_nanos]);
    },
    flush(): void {
      for (const { day, channel_id, model_name, requests, quota, cost_nanos } of pending.values())
        upsert.run(day, channel_id, model_name, requests, quota, cost_nanos);
      pending.clear();
    },
    forget: () => pending.clear(),
  };
}
