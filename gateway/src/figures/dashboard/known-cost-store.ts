/**
 * SQL on what calls cost the operator, by channel or model. It reads the roll-up of costs alone.
 */
import type { KnownCost } from "@tollgate/contract/catalogue/known-cost.ts";
import { type RawBuilder, sql as raw } from "kysely";
import type { Database } from "../../storage/database.ts";

const nanosPerMicro = 1_000;

export type KnownCostStore = ReturnType<typeof createKnownCostStore>;

export function createKnownCostStore({ sql, read }: Pick<Database, "sql" | "read">) {
  return {
    /**
     * `by` gives, by the id of the channel as text or by model, those that were charged most.
     * `first` and `end` are UTC days since 1970; the end is exclusive.
     */
    async by(
      subject: "channel" | "model",
      { first, end }: { first: number; end: number },
      limit: number,
    ): Promise<Map<string, KnownCost>> {
      const rows = await read(
        sql
          .selectFrom("rollup_day_cost")
          .where("day", ">=", first)
          .where("day", "<", end)
          .groupBy(subject === "channel" ? "channel_id" : "model_name")
          .select(
            raw<
              string | number
            >`${raw.ref(subject === "channel" ? "channel_id" : "model_name")}`.as("subject"),
          )
          .select([
            sumColumn("requests").as("requests"),
            sumColumn("quota").as("quota"),
            sumColumn("cost_nanos").as("nanos"),
          ])
          .orderBy("quota", "desc")
          .orderBy("subject")
          .limit(limit),
      );
      return new Map(
        rows.map(({ subject: name, requests, quota, nanos }) => [
          String(name),
          {
            requests: Number(requests),
            quota: Number(quota),
            cost_micros: Math.round(Number(nanos) / nanosPerMicro),
          },
        ]),
      );
    },
  };
}

/**
 * `sumColumn` sums as a double: a sum may exceed the numbers that JavaScript holds exactly, and
 * SQLite would refuse to return it.
 */
const sumColumn = (column: string): RawBuilder<number> =>
  raw<number>`sum(cast(${raw.ref(column)} as double precision))`;

/** Null for no calls of known cost. */
export const sumCost = ([first, ...others]: Iterable<KnownCost>): KnownCost | null =>
  first
    ? others.reduce(
        (sum, { requests, quota, cost_micros }) => ({
          requests: sum.requests + requests,
          quota: sum.quota + quota,
          cost_micros: sum.cost_micros + cost_micros,
        }),
        first,
      )
    : null;
