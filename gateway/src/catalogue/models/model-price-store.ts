/** SQL on the prices that operators set for models. */
import { type ModelPrices, modelPrices } from "@tollgate/contract/catalogue/model-prices.ts";
import * as z from "zod/mini";
import { buildFlatPrice, priceAsStated } from "../../money/prices/operator-prices.ts";
import type { Price } from "../../money/prices/price.ts";
import { defaultPrice, type PriceBook } from "../../money/prices/price-book.ts";
import type { Database, Write } from "../../storage/database.ts";
import type { PriceRow } from "../../storage/tables/money-tables.ts";

export interface OperatorPrice {
  model: string;
  prices: ModelPrices;
  updatedAt: number;
}

export type ModelPriceStore = ReturnType<typeof createModelPriceStore>;

const changed = { missed: "changed_meanwhile", conflict: "changed_meanwhile" } as const;

export function createModelPriceStore({ sql, read }: Pick<Database, "sql" | "read">) {
  return {
    async all(): Promise<OperatorPrice[]> {
      const rows: PriceRow[] = await read(
        sql.selectFrom("prices").selectAll().orderBy("model_name"),
      );
      return rows.map(parseOperatorPrice);
    },

    /** Replaces what was read as `before`; refused where it changed since. */
    set(model: string, prices: ModelPrices, before: OperatorPrice | undefined, now: number): Write {
      const entry = JSON.stringify(prices);
      if (!before)
        return {
          query: sql.insertInto("prices").values({ model_name: model, entry, updated_at: now }),
          ...changed,
        };
      const updated_at = Math.max(now, before.updatedAt + 1);
      return {
        query: sql
          .updateTable("prices")
          .set({ entry, updated_at })
          .where("model_name", "=", model)
          .where("updated_at", "=", before.updatedAt),
        rows: 1,
        ...changed,
      };
    },

    remove: ({ model, updatedAt }: OperatorPrice): Write => ({
      query: sql
        .deleteFrom("prices")
        .where("model_name", "=", model)
        .where("updated_at", "=", updatedAt),
      rows: 1,
      ...changed,
    }),
  };
}

/** Throws for a row that holds no prices: none is written by this program. */
export const parseOperatorPrice = ({
  model_name: model,
  entry,
  updated_at: updatedAt,
}: PriceRow): OperatorPrice => ({
  model,
  prices: z.parse(modelPrices, JSON.parse(entry)),
  updatedAt,
});

const formatDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** The price of a model on channels that do not say otherwise. */
export const buildOperatorPrice = (
  listed: Price | undefined,
  { prices, updatedAt }: Pick<OperatorPrice, "prices" | "updatedAt">,
): Price =>
  priceAsStated(
    listed ?? buildFlatPrice(defaultPrice, prices),
    prices,
    "operator",
    formatDay(updatedAt),
  );

/** The price book as it is now. */
export const readCurrentBook = async (
  db: Pick<Database, "sql" | "read">,
  builtIn: PriceBook,
): Promise<PriceBook> => extendBook(builtIn, await createModelPriceStore(db).all());

/** The price book in which what operators set goes before what is built in. */
export function extendBook(builtIn: PriceBook, set: readonly OperatorPrice[]): PriceBook {
  if (set.length === 0) return builtIn;
  return new Map([
    ...builtIn,
    ...set.map((one) => [one.model, buildOperatorPrice(builtIn.get(one.model), one)] as const),
  ]);
}
