/**
 * The price list that root compares with the prices in force: reading it, daily or now, and taking
 * or setting aside what it states.
 */
import { isJsonRecord } from "@tollgate/contract/api/json-record.ts";
import {
  type PriceOffers,
  priceListFailures,
  priceOffersMax,
} from "@tollgate/contract/catalogue/price-offers.ts";
import { refuse } from "../../http/refusal.ts";
import type { PriceBook } from "../../money/prices/price-book.ts";
import { planAlertEvent } from "../../notices/alerts/alert-events.ts";
import { type Database, tryWrite, type Write } from "../../storage/database.ts";
import type { OfferedPricesRow } from "../../storage/tables/money-tables.ts";
import type { ModelPriceStore } from "./model-price-store.ts";
import type { OfferedPriceList, OfferedPrices } from "./price-list-formats.ts";
import {
  computeLargestChange,
  isSamePrice,
  type OpenOffer,
  openOffers,
} from "./price-offer-rules.ts";
import type { PriceOfferStore } from "./price-offer-store.ts";
import type { FetchPriceList, PriceListReading } from "./read-price-list.ts";

const dayMs = 86_400_000;
const retryAfterMs = 3_600_000;
/** Per cent of the price in force: a list that corrects a cent alerts no operator. */
const toldAbove = 20;
const subject = { kind: "site", id: "prices", name: "prices" } as const;

export interface PriceOffersDeps {
  db: Database;
  store: PriceOfferStore;
  prices: ModelPriceStore;
  builtIn: PriceBook;
  fetchList: FetchPriceList;
  now(): number;
}

/** The audit entries of a change. */
type Recorded = readonly Write[];

export interface PriceOfferService {
  view(): Promise<PriceOffers>;
  /** Remembers the address and reads it now; a failure on the way is kept for the view. */
  readAddress(address: string, recorded: Recorded): Promise<void>;
  storeList(list: OfferedPriceList, recorded: Recorded): Promise<void>;
  /**
   * The offers of these models, of the list that `revision` names. Refused where one of them is no
   * offer any more.
   */
  chosen(revision: number, models: readonly string[]): Promise<OpenOffer[]>;
  take(revision: number, offers: readonly OpenOffer[], recorded: Recorded): Promise<void>;
  setAside(revision: number, offers: readonly OpenOffer[], recorded: Recorded): Promise<void>;
  /**
   * `readDue` is for the schedule of each node: reads the address where it is due and no other node
   * reads it.
   */
  readDue(signal: AbortSignal): Promise<void>;
}

export function createPriceOffers(deps: PriceOffersDeps): PriceOfferService {
  const { db, store, prices, builtIn, fetchList, now } = deps;

  async function offersIn(row: OfferedPricesRow): Promise<OpenOffer[]> {
    const [channels, operator] = await Promise.all([store.channels(), prices.all()]);
    return openOffers({
      channels,
      builtIn,
      operator,
      offered: parsePrices(row.models),
      setAside: parsePrices(row.set_aside),
    });
  }

  /** The alert about what is left to decide. */
  function told(offers: readonly OpenOffer[], list: string): Write {
    const told = offers.filter(
      (offer) => !offer.is_set_aside && computeLargestChange(offer) > toldAbove,
    );
    const [first, ...others] = told;
    if (!first)
      return planAlertEvent(db, { rule: "price.changed", subject, state: "resolved" }, now());
    const facts = {
      kind: "prices_changed",
      models: 1 + others.length,
      model: first.model,
      list,
    } as const;
    const measure = { value: Math.max(...told.map(computeLargestChange)), threshold: toldAbove };
    return planAlertEvent(
      db,
      { rule: "price.changed", subject, state: "firing", facts, measure },
      now(),
    );
  }

  async function toldOf(row: OfferedPricesRow): Promise<Write> {
    return told(await offersIn(row), row.source);
  }

  async function leftBeside(decided: readonly OpenOffer[]): Promise<Write> {
    const row = await store.current();
    const models = new Set(decided.map(({ model }) => model));
    return told(
      (await offersIn(row)).filter(({ model }) => !models.has(model)),
      row.source,
    );
  }

  const listed = (row: OfferedPricesRow, { source, models }: OfferedPriceList, at: number) => ({
    source: source === "" ? row.address : source,
    models: JSON.stringify(models),
    // What was set aside stays so while the list states the same price.
    set_aside: JSON.stringify(findKept(parsePrices(row.set_aside), models)),
    read_at: at,
    due_at: at + dayMs,
    failure: "",
  });

  const result = (row: OfferedPricesRow, reading: PriceListReading, at: number) =>
    "list" in reading
      ? listed(row, reading.list, at)
      : { failure: reading.failure, due_at: at + retryAfterMs };

  return {
    async view() {
      const row = await store.current();
      const offers = await offersIn(row);
      return {
        address: row.address,
        list_source: row.source,
        list_models: Object.keys(parsePrices(row.models)).length,
        read_at: row.read_at,
        failure: priceListFailures.find((known) => known === row.failure) ?? null,
        revision: row.revision,
        offers: offers.slice(0, priceOffersMax).map(({ own: _, stated: __, ...offer }) => offer),
        has_more: offers.length > priceOffersMax,
      };
    },

    async readAddress(address, recorded) {
      const row = await store.current();
      const at = now();
      await db.write([
        store.change(row.revision, { address, due_at: at + retryAfterMs, failure: "" }),
        ...recorded,
      ]);
      if (address === "") return;
      const change = result({ ...row, address }, await fetchList(address), at);
      await db.write([store.change(row.revision + 1, change), await toldOf({ ...row, ...change })]);
    },

    async storeList(list, recorded) {
      const row = await store.current();
      const { due_at: _, ...change } = listed(row, list, now());
      await db.write([
        store.change(row.revision, change),
        await toldOf({ ...row, ...change }),
        ...recorded,
      ]);
    },

    async chosen(revision, models) {
      const row = await store.current();
      if (row.revision !== revision) throw refuse("changed_meanwhile");
      const offers = new Map((await offersIn(row)).map((offer) => [offer.model, offer]));
      return [...new Set(models)].sort().map((model) => {
        const offer = offers.get(model);
        if (!offer) throw refuse("changed_meanwhile");
        return offer;
      });
    },

    async take(revision, offers, recorded) {
      const at = now();
      const writes = offers.map(({ model, stated, own }) => prices.set(model, stated, own, at));
      const left = await leftBeside(offers);
      await db.write([store.change(revision, {}), ...writes, left, ...recorded], {
        changes: ["prices"],
      });
    },

    async setAside(revision, offers, recorded) {
      const { models, set_aside } = await store.current();
      const offered = parsePrices(models);
      const aside = Object.fromEntries(offers.map(({ model }) => [model, offered[model]]));
      const change = { set_aside: JSON.stringify({ ...parsePrices(set_aside), ...aside }) };
      await db.write([store.change(revision, change), await leftBeside(offers), ...recorded]);
    },

    async readDue(signal) {
      const row = await store.current();
      const at = now();
      if (row.address === "" || row.due_at > at) return;
      if (await tryWrite(db, [store.change(row.revision, { due_at: at + retryAfterMs })])) return;
      const change = result(row, await fetchList(row.address, signal), at);
      // Missed where root named another address or decided meanwhile: then the next time is soon
      // enough.
      if (signal.aborted) return;
      await tryWrite(db, [
        store.change(row.revision + 1, change),
        await toldOf({ ...row, ...change }),
      ]);
    },
  };
}

/** Written by this program alone. */
const parsePrices = (text: string): OfferedPrices => {
  const value: unknown = JSON.parse(text);
  return isJsonRecord(value) ? (value as OfferedPrices) : {};
};

const findKept = (setAside: OfferedPrices, models: OfferedPrices): OfferedPrices =>
  Object.fromEntries(
    Object.entries(setAside).filter(([model, prices]) => {
      const offer = Object.hasOwn(models, model) ? models[model] : undefined;
      return offer !== undefined && isSamePrice(prices, offer);
    }),
  );
