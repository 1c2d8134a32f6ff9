/**
 * SQL on the price list that root compares. Every change counts the revision on, so that of two at
 * once one misses.
 */
import type { Database, Write } from "../../storage/database.ts";
import type { OfferedPricesRow } from "../../storage/tables/money-tables.ts";
import type { PricedChannel } from "./model-price-rules.ts";

export type PriceOfferStore = ReturnType<typeof priceOfferStore>;

export function priceOfferStore({ sql, read }: Pick<Database, "sql" | "read">) {
  return {
    async current(): Promise<OfferedPricesRow> {
      const [row] = await read(sql.selectFrom("offered_prices").selectAll());
      if (!row) throw new Error("the row of offered prices is gone: a migration made it");
      return row;
    },

    channels: (): Promise<PricedChannel[]> =>
      read(
        sql
          .selectFrom("channels")
          .select(["id", "name", "models", "model_mapping", "model_configs"])
          .orderBy("name")
          .orderBy("id"),
      ),

    change: (
      revision: number,
      values: Partial<Omit<OfferedPricesRow, "id" | "revision">>,
    ): Write => ({
      query: sql
        .updateTable("offered_prices")
        .set({ ...values, revision: revision + 1 })
        .where("id", "=", 1)
        .where("revision", "=", revision),
      rows: 1,
      missed: "changed_meanwhile",
    }),
  };
}
