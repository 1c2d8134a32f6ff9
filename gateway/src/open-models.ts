/** Composes what `/api` says of models: their list, ends, prices and virtual names. */
import type { ModelEnd } from "@tollgate/contract/model-ends.ts";
import type { Egress } from "./egress/egress.ts";
import type { ApiRoute } from "./http/api-route.ts";
import { askModelEnds, keepModelEnds } from "./models/ask-model-ends.ts";
import type { KeepModelEnds, ListChannelModels } from "./models/channel-model-lists.ts";
import { readModelEnds } from "./models/known-model-ends.ts";
import { modelEndRoutes } from "./models/model-end-routes.ts";
import { modelEndStore } from "./models/model-end-store.ts";
import { modelFactStore } from "./models/model-fact-store.ts";
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
  listChannelModels: ListChannelModels;
  clock(): number;
}

export interface ModelsApi {
  routes: ApiRoute[];
  priceOffers: Pick<PriceOfferService, "readDue">;
  /** For the schedule of each node: asks providers which of their models end, where that is due. */
  askEnds(signal: AbortSignal): Promise<void>;
  keepEnds: KeepModelEnds;
  /** Of these models, those that calls are charged for at the default price. */
  unpriced(called: readonly string[]): Promise<string[]>;
  /** Models that are offered and end, with their use. */
  ending(now: number): Promise<ModelEnd[]>;
}

export function openModels(deps: ModelsDeps): ModelsApi {
  const { db, options, book, priceListEgress, clock } = deps;
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
  const facts = modelFactStore(db);
  const routes = [
    ...modelRoutes(db, options, book),
    ...modelEndRoutes(db, endStore, facts, ends),
    ...priceOfferRoutes(priceOffers, priceListEgress.violation),
    ...modelPriceRoutes(db, prices, book),
    ...virtualModelRoutes(db, virtualModelStore(db)),
  ];
  const unpriced = async (called: readonly string[]) =>
    unpricedModels(called, await offers.channels(), book, await prices.all());
  const asking = { db, store: facts, listModels: deps.listChannelModels, now: clock };
  const askEnds = (signal: AbortSignal) => askModelEnds(asking, signal);
  const keepEnds: KeepModelEnds = (channel, ended) => keepModelEnds(asking, channel, ended);
  return { routes, priceOffers, askEnds, keepEnds, unpriced, ending: endStore.ending };
}
