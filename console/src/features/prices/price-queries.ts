import { listModelPrices } from "@tollgate/contract/model-prices.ts";
import { listDisplayedModels } from "@tollgate/contract/models.ts";
import { listPriceOffers } from "@tollgate/contract/price-offers.ts";

/** What shows prices in force: those of the gateway, beside those of a newer list, and of the models. */
export const priceLists = [listModelPrices, listPriceOffers, listDisplayedModels] as const;
