/** API routes of the price list that root compares. */
import {
  decidePriceOffers,
  listPriceOffers,
  readPriceList,
} from "@tollgate/contract/catalogue/price-offers.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { refuse } from "../../http/refusal.ts";
import {
  type OfferedPriceList,
  readPriceListText,
  UnreadablePriceList,
} from "./price-list-formats.ts";
import type { PriceOfferService } from "./price-offer-service.ts";

/** `AddressIssue` says why an address must not be called, or undefined. */
type AddressIssue = (address: string) => string | undefined;

export function priceOfferRoutes(
  service: PriceOfferService,
  addressIssue: AddressIssue,
): ApiRoute[] {
  return [
    apiRoute(listPriceOffers, () => service.view()),
    apiRoute(readPriceList, async (call) => {
      const { address, content, name = "" } = call.body;
      if (content !== undefined) {
        const list = readOfferedList(content);
        const source = list.source || name;
        const change = { file: name, source, models: Object.keys(list.models).length };
        await service.storeList({ ...list, source }, call.audit("price_list.read", name, change));
      } else if (address !== undefined) {
        const issue = address === "" ? undefined : addressIssue(address);
        if (issue !== undefined) {
          const message = `The address ${issue}`;
          throw refuse("invalid_request", { message, fields: { address: message } });
        }
        await service.readAddress(address, call.audit("price_list.read", address, { address }));
      }
      return service.view();
    }),
    apiRoute(decidePriceOffers, async (call) => {
      const { revision, models, decision } = call.body;
      const offers = await service.chosen(revision, models);
      if (decision === "take") {
        const { list_source: list } = await service.view();
        const audits = offers.flatMap(({ model, own, stated }) =>
          call.audit("model_price.update", model, { from: own?.prices ?? null, to: stated, list }),
        );
        await service.take(revision, offers, audits);
      } else {
        const audits = offers.flatMap(({ model, after }) =>
          call.audit("price_offer.set_aside", model, { price: after }),
        );
        await service.setAside(revision, offers, audits);
      }
      return service.view();
    }),
  ];
}

function readOfferedList(text: string): OfferedPriceList {
  try {
    return readPriceListText(text);
  } catch (error) {
    if (!(error instanceof UnreadablePriceList)) throw error;
    const message = `The file cannot be used: ${error.message}`;
    throw refuse("invalid_request", { message, fields: { content: message } });
  }
}
