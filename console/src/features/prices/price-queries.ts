import { listModelPrices } from "@tollgate/contract/catalogue/model-prices.ts";
import { listDisplayedModels } from "@tollgate/contract/catalogue/models.ts";
import { listPriceOffers } from "@tollgate/contract/catalogue/price-offers.ts";

/**
 * `priceLists` are what shows prices in force: those of the gateway, beside those of a newer list,
 * and of the models.
 */
export const priceLists = [listModelPrices, listPriceOffers, listDisplayedModels] as const;
