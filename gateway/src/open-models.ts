/** Composes what `/api` says of models: their list, ends, prices and virtual names. */
import type { ModelEnd } from "@tollgate/contract/model-ends.ts";
import type { Egress } from "./egress/egress.ts";
import type { ApiRoute } from "./http/api-route.ts";
import { readModelEnds } from "./models/known-model-ends.ts";
import { modelEndRoutes } from "./models/model-end-routes.ts";
import { modelEndStore } from "./models/model-end-store.ts";
import { modelPriceRoutes } from "./models/model-price-routes.ts";
import { unpricedModels } from "./models/model-price-rules.ts";
import { modelPriceStore } from "./models/model-price-store.ts";
import { modelRoutes } from "./models/model-routes.ts";
import { priceOfferRoutes } from "./models/price-offer-routes.ts";
import { createPriceOffers, type PriceOfferService } from "./models/price-offer-service.ts";
import { priceOfferStore } from "./models/price-offer-store.ts";
import { createFetchPriceList } from "./models/read-price-list.ts";
import { virtualModelRoutes } from "./models/virtual-model-routes.ts";
import { virtualModelStore } from "./models/virtual-model-store.ts";
import type { PriceBook } from "./money/price-book.ts";
import type { OptionReader } from "./settings/live-options.ts";
import type { Database } from "./storage/database.ts";

export interface ModelsDeps {
  db: Database;
  options: OptionReader;
  book: PriceBook;
  /** To price lists. */
  priceListEgress: Egress;
  clock(): number;
}

export interface ModelsApi {
  routes: ApiRoute[];
  priceOffers: Pick<PriceOfferService, "readDue">;
  /** Of these models, those that calls are charged for at the default price. */
  unpriced(called: readonly string[]): Promise<string[]>;
  /** Models that are offered and end, with their use. */
  ending(now: number): Promise<ModelEnd[]>;
}

export function openModels({ db, options, book, priceListEgress, clock }: ModelsDeps): ModelsApi {
  const prices = modelPriceStore(db);
  const offers = priceOfferStore(db);
  const priceOffers = createPriceOffers({
    db,
    store: offers,
    prices,
    builtIn: book,
    fetchList: createFetchPriceList(priceListEgress),
    now: clock,
  });
  const ends = readModelEnds();
  const endStore = modelEndStore(db, ends);
  const routes = [
    ...modelRoutes(db, options, book),
    ...modelEndRoutes(endStore, ends),
    ...priceOfferRoutes(priceOffers, priceListEgress.violation),
    ...modelPriceRoutes(db, prices, book),
    ...virtualModelRoutes(db, virtualModelStore(db)),
  ];
  const unpriced = async (called: readonly string[]) =>
    unpricedModels(called, await offers.channels(), book, await prices.all());
  return { routes, priceOffers, unpriced, ending: endStore.ending };
}
