/** API routes for the prices of models. */
import {
  type ChangedPrice,
  changeModelPrices,
  listModelPrices,
  type ShownPrices,
} from "@tollgate/contract/catalogue/model-prices.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { Refusal, refuse } from "../../http/refusal.ts";
import type { PriceBook } from "../../money/prices/price-book.ts";
import type { Database, Write } from "../../storage/database.ts";
import { computePage } from "../../storage/pagination.ts";
import { buildModelPriceRows, changePrice } from "./model-price-rules.ts";
import type { ModelPriceStore } from "./model-price-store.ts";

export function buildModelPriceRoutes(
  db: Database,
  store: ModelPriceStore,
  builtIn: PriceBook,
): ApiRoute[] {
  const channels = () =>
    db.read(
      db.sql
        .selectFrom("channels")
        .select(["id", "name", "models", "model_mapping", "model_configs"])
        .orderBy("name")
        .orderBy("id"),
    );
  const nothing: ShownPrices = {};

  return [
    apiRoute(listModelPrices, async ({ query }) => {
      const { keyword = "", source } = query;
      const [rows, operator] = await Promise.all([channels(), store.all()]);
      const found = buildModelPriceRows(rows, builtIn, operator).filter(
        (row) =>
          (source === undefined || row.source === source) &&
          row.model.toLowerCase().includes(keyword.toLowerCase()),
      );
      const { limit, offset } = computePage(query);
      return { data: found.slice(offset, offset + limit), total: found.length };
    }),
    apiRoute(changeModelPrices, async (call) => {
      const { models, preview, updated_at, ...act } = call.body;
      const operator = new Map((await store.all()).map((one) => [one.model, one]));
      const writes: Write[] = [];
      const audits: Write[] = [];
      // In one order, so that two changes of the same models lock the rows alike.
      const rows = [...new Set(models)].sort().map((model): ChangedPrice => {
        const own = operator.get(model);
        if (updated_at !== undefined && updated_at !== (own?.updatedAt ?? 0))
          throw refuse("changed_meanwhile");
        try {
          const { stated, before, after } = changePrice(builtIn.get(model), own, act);
          if (stated) {
            writes.push(store.set(model, stated, own, call.now));
            audits.push(
              ...call.audit("model_price.update", model, { from: own?.prices ?? null, to: stated }),
            );
          } else if (own) {
            writes.push(store.remove(own));
            audits.push(...call.audit("model_price.delete", model, { from: own.prices }));
          }
          return { model, skipped: null, before, after };
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          return {
            model,
            skipped: { code: error.code, message: error.message },
            before: nothing,
            after: nothing,
          };
        }
      });
      if (preview !== true && writes.length > 0)
        await db.write([...writes, ...audits], { changes: ["prices"] });
      return { changed: writes.length, rows };
    }),
  ];
}
