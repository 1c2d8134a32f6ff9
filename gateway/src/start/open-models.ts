/** Composes what `/api` says of models: their list, ends, prices and virtual names. */
import type { ModelEnd } from "@tollgate/contract/catalogue/model-ends.ts";
import { askModelEnds, keepModelEnds } from "../catalogue/models/ask-model-ends.ts";
import type { KeepModelEnds, ListChannelModels } from "../catalogue/models/channel-model-lists.ts";
import { readModelEnds } from "../catalogue/models/known-model-ends.ts";
import { buildModelEndRoutes } from "../catalogue/models/model-end-routes.ts";
import { createModelEndStore } from "../catalogue/models/model-end-store.ts";
import { createModelFactStore } from "../catalogue/models/model-fact-store.ts";
import { buildModelPriceRoutes } from "../catalogue/models/model-price-routes.ts";
import { listUnpricedModels } from "../catalogue/models/model-price-rules.ts";
import { createModelPriceStore } from "../catalogue/models/model-price-store.ts";
import { buildModelRoutes } from "../catalogue/models/model-routes.ts";
import { priceOfferRoutes } from "../catalogue/models/price-offer-routes.ts";
import {
  createPriceOffers,
  type PriceOfferService,
} from "../catalogue/models/price-offer-service.ts";
import { priceOfferStore } from "../catalogue/models/price-offer-store.ts";
import { createFetchPriceList } from "../catalogue/models/read-price-list.ts";
import { buildVirtualModelRoutes } from "../catalogue/models/virtual-model-routes.ts";
import { createVirtualModelStore } from "../catalogue/models/virtual-model-store.ts";
import type { Egress } from "../egress/egress.ts";
import type { ApiRoute } from "../http/api-route.ts";
import type { PriceBook } from "../money/prices/price-book.ts";
import type { OptionReader } from "../settings/live-options.ts";
import type { Database } from "../storage/database.ts";

export interface ModelsDeps {
  db: Database;
  options: OptionReader;
  book: PriceBook;
  /** `priceListEgress` leads to price lists. */
  priceListEgress: Egress;
  listChannelModels: ListChannelModels;
  clock(): number;
}

export interface ModelsApi {
  routes: ApiRoute[];
  priceOffers: Pick<PriceOfferService, "readDue">;
  /**
   * `askEnds` is for the schedule of each node: asks providers which of their models end, where
   * that is due.
   */
  askEnds(signal: AbortSignal): Promise<void>;
  keepEnds: KeepModelEnds;
  /** `unpriced` gives those of these models that calls are charged for at the default price. */
  unpriced(called: readonly string[]): Promise<string[]>;
  /** Models that are offered and end, with their use. */
  ending(now: number): Promise<ModelEnd[]>;
}

export function openModels(deps: ModelsDeps): ModelsApi {
  const { db, options, book, priceListEgress, clock } = deps;
  const prices = createModelPriceStore(db);
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
  const endStore = createModelEndStore(db, ends);
  const facts = createModelFactStore(db);
  const routes = [
    ...buildModelRoutes(db, options, book),
    ...buildModelEndRoutes(db, endStore, facts, ends),
    ...priceOfferRoutes(priceOffers, priceListEgress.violation),
    ...buildModelPriceRoutes(db, prices, book),
    ...buildVirtualModelRoutes(db, createVirtualModelStore(db)),
  ];
  const unpriced = async (called: readonly string[]) =>
    listUnpricedModels(called, await offers.channels(), book, await prices.all());
  const asking = { db, store: facts, listModels: deps.listChannelModels, now: clock };
  const askEnds = (signal: AbortSignal) => askModelEnds(asking, signal);
  const keepEnds: KeepModelEnds = (channel, ended) => keepModelEnds(asking, channel, ended);
  return { routes, priceOffers, askEnds, keepEnds, unpriced, ending: endStore.ending };
}
