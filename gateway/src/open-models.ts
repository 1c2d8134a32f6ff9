/** Composes what `/api` says of models: their list, ends, prices and virtual names. */
import type { ApiRoute } from "./http/api-route.ts";
import { readModelEnds } from "./models/known-model-ends.ts";
import { modelEndRoutes } from "./models/model-end-routes.ts";
import { modelPriceRoutes } from "./models/model-price-routes.ts";
import { modelPriceStore } from "./models/model-price-store.ts";
import { modelRoutes } from "./models/model-routes.ts";
import { virtualModelRoutes } from "./models/virtual-model-routes.ts";
import { virtualModelStore } from "./models/virtual-model-store.ts";
import type { PriceBook } from "./money/price-book.ts";
import type { OptionReader } from "./settings/live-options.ts";
import type { Database } from "./storage/database.ts";

export const openModels = ({
  db,
  options,
  book,
}: {
  db: Database;
  options: OptionReader;
  book: PriceBook;
}): ApiRoute[] => [
  ...modelRoutes(db, options, book),
  ...modelEndRoutes(db, readModelEnds()),
  ...modelPriceRoutes(db, modelPriceStore(db), book),
  ...virtualModelRoutes(db, virtualModelStore(db)),
];
