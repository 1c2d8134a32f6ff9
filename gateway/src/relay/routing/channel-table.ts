/**
 * Every channel in memory, as one immutable snapshot that is replaced whenever a channel changes on
 * any node.
 */

import { buyingFactorMember } from "@tollgate/contract/catalogue/channel-overrides.ts";
import { findChannelType, noType } from "@tollgate/contract/catalogue/channel-types.ts";
import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import {
  isModelPattern,
  listNames,
  listsModel,
  ModelMapping,
} from "@tollgate/contract/catalogue/model-patterns.ts";
import { mayReportFalseUsage } from "@tollgate/contract/catalogue/official-hosts.ts";
import type { Selectable } from "kysely";
import { listKnownModels } from "../../catalogue/channels/built-in-models.ts";
import { readKeySettings } from "../../catalogue/channels/channel-key.ts";
import type { StatedModelEnds } from "../../catalogue/models/known-model-ends.ts";
import { extendBook, parseOperatorPrice } from "../../catalogue/models/model-price-store.ts";
import { listTargets } from "../../catalogue/models/virtual-model-rules.ts";
import type { ProxyAddress } from "../../egress/proxy-address.ts";
import { buildDayOfPrices, findBuyingPrice } from "../../money/prices/buying-price.ts";
import { type FrozenPrice, freezePrice, type Price } from "../../money/prices/price.ts";
import { findPrice, type PriceBook, parseModelConfigs } from "../../money/prices/price-book.ts";
import { applyRegionalFactor, hasOwnPrice } from "../../money/prices/regional-prices.ts";
import type { Database } from "../../storage/database.ts";
import { makeSingleFlight } from "../../storage/single-flight.ts";
import type { ChannelKeyRow, ChannelsTable } from "../../storage/tables/channel-tables.ts";
import type { EndpointUrls } from "../providers/endpoint-urls.ts";
import type { ProviderSettings } from "../providers/provider.ts";
import { buildProvider } from "../providers/provider-registry.ts";
import { parseObject } from "../wire/json-parts.ts";
import { type GroupedChannel, groupServing } from "./channel-groups.ts";
import type {
  ChannelAccess,
  ChannelIdentity,
  ChannelPricing,
  ChannelStanding,
  RelayChannelKey,
  ServedModels,
} from "./channel-parts.ts";
import type { ChannelWithEnds } from "./model-end-headers.ts";
import { addFallbacks, buildRoutedAlone, buildRoutedName, type RoutedName } from "./routed-name.ts";

export interface RelayChannel
  extends ChannelIdentity,
    ChannelStanding,
    ServedModels,
    ChannelAccess,
    ChannelPricing,
    ChannelWithEnds,
    GroupedChannel {}

/** The price of a model on a channel: the same object for every call until something changes. */
export interface ChannelPrice {
  model: string;
  price: Price;
  frozen: FrozenPrice;
  /** `frozen` as JSON, made once because it is stored with every call. */
  json: string;
}

export interface ChannelSnapshot {
  channels: readonly RelayChannel[];
  /** Channels that list a model, in no order; a virtual model is none. */
  channelsFor(model: string): readonly RelayChannel[];
  /**
   * The virtual model of this name, which goes before a model that channels list. With `fallbacks`,
   * the tiers of all these names in their order, each model once.
   */
  routed(name: string, fallbacks?: readonly string[]): RoutedName | undefined;
  /** Channels that a call to this name may reach: of a virtual model, those of its targets. */
  channelsBehind(name: string): readonly RelayChannel[];
  /** The names that the model list of a key must hold for calls to this name. */
  namesNeeded(name: string): readonly string[];
  /**
   * `hasChoice` says whether a model has more than one channel, or a channel with more than one
   * key.
   */
  hasChoice(model: string): boolean;
  /**
   * The price of a requested model on a channel at a time, after mapping, for a group ratio in
   * millionths.
   */
  price(
    channel: ChannelIdentity & ServedModels & ChannelAccess & ChannelPricing,
    model: string,
    groupRatio: number,
    at: number,
    variant?: string,
  ): ChannelPrice;
  /**
   * Models that an enabled channel serves to one of the groups, and virtual models with such a
   * target.
   */
  modelsOf(groups: readonly string[]): readonly string[];
}

export interface RelayChannelTable {
  readonly snapshot: ChannelSnapshot;
  refresh(): Promise<void>;
}

const nothingStated: StatedModelEnds = { set: new Map(), told: new Map() };

export async function createChannelTable(
  db: Database,
  book: PriceBook,
  open: (
    row: Selectable<ChannelsTable>,
    states: readonly ChannelKeyRow[],
    stated: StatedModelEnds,
  ) => RelayChannel,
  onError: (error: unknown) => void,
  statedEnds: () => Promise<StatedModelEnds> = async () => nothingStated,
): Promise<RelayChannelTable> {
  let snapshot = buildChannelSnapshot([], book);
  const refresh = makeSingleFlight(async () => {
    const [rows, keyRows, virtualRows, priceRows, stated] = await Promise.all([
      db.read(db.sql.selectFrom("channels").selectAll()),
      db.read(db.sql.selectFrom("channel_keys").selectAll()),
      db.read(db.sql.selectFrom("virtual_models").selectAll()),
      db.read(db.sql.selectFrom("prices").selectAll()),
      statedEnds(),
    ]);
    const states = Map.groupBy(keyRows, ({ channel_uuid }) => channel_uuid);
    const channels = rows.flatMap((row) => {
      try {
        return [open(row, states.get(row.uuid) ?? [], stated)];
      } catch (error) {
        // One unreadable row must not take down the others.
        onError(new Error(`channel ${row.id} is left out`, { cause: error }));
        return [];
      }
    });
    const virtual = virtualRows.flatMap((row) => {
      try {
        return row.enabled === 1 ? [buildRoutedName(row)] : [];
      } catch (error) {
        onError(new Error(`virtual model ${row.id} is left out`, { cause: error }));
        return [];
      }
    });
    const prices = priceRows.flatMap((row) => {
      try {
        return [parseOperatorPrice(row)];
      } catch (error) {
        onError(
          new Error(`the operator's price of ${row.model_name} is left out`, { cause: error }),
        );
        return [];
      }
    });
    snapshot = buildChannelSnapshot(channels, extendBook(book, prices), virtual, book);
  });
  for (const topic of ["channels", "prices"] as const) db.onChange(topic, refresh);
  await refresh();
  return {
    get snapshot() {
      return snapshot;
    },
    refresh,
  };
}

export function buildChannelSnapshot(
  channels: readonly RelayChannel[],
  book: PriceBook,
  virtualModels: readonly RoutedName[] = [],
  /** List prices, without those of the operator. */
  listPrices: PriceBook = book,
): ChannelSnapshot {
  const byModel = new Map<string, RelayChannel[]>();
  for (const channel of channels) {
    for (const model of channel.models) {
      const known = byModel.get(model);
      if (known) known.push(channel);
      else byModel.set(model, [channel]);
    }
  }
  const withPatterns = channels.filter(({ modelPatterns }) => modelPatterns.length > 0);
  const covered = new Map<string, readonly RelayChannel[]>();
  /** Clients choose the names freely, so that only so many are kept. */
  const channelsCovering = (model: string): readonly RelayChannel[] => {
    let known = covered.get(model);
    if (!known) {
      known = withPatterns.filter(
        ({ models, modelPatterns }) => !models.has(model) && listsModel(modelPatterns, model),
      );
      if (covered.size < knownModelsMax) covered.set(model, known);
    }
    return known;
  };
  const channelsFor = (model: string): readonly RelayChannel[] => {
    const exact = byModel.get(model) ?? [];
    return withPatterns.length === 0 ? exact : [...exact, ...channelsCovering(model)];
  };
  const virtual = new Map(
    virtualModels.map((routed) => {
      const behind = [...new Set(listTargets(routed).flatMap(channelsFor))];
      return [routed.name, { routed, behind }] as const;
    }),
  );
  const prices = new Map<string, DayPrices>();
  const isServedTo = (groups: readonly string[], model: string): boolean =>
    channelsFor(model).some((channel) => serves(channel, groups, model));
  return {
    channels,
    channelsFor,
    routed(name, fallbacks = []) {
      const own = virtual.get(name)?.routed;
      if (fallbacks.length === 0) return own;
      return addFallbacks(
        own ?? buildRoutedAlone(name),
        fallbacks.map((other) => virtual.get(other)?.routed ?? buildRoutedAlone(other)),
      );
    },
    channelsBehind: (name) => virtual.get(name)?.behind ?? channelsFor(name),
    namesNeeded(name) {
      const routed = virtual.get(name)?.routed;
      return routed?.access === "targets" ? listTargets(routed) : [name];
    },
    hasChoice(model) {
      if (virtual.has(model)) return true;
      const [first, second] = channelsFor(model);
      return second !== undefined || (first?.keys.length ?? 0) > 1;
    },
    price(channel, model, groupRatio, at, variant = "") {
      const key = `${channel.id} ${groupRatio} ${model}`;
      // Clients choose variants freely, so only prices without one are cached.
      let known = variant === "" ? prices.get(key) : undefined;
      if (!known) {
        const mapped = channel.modelMapping.get(model) ?? model;
        const config = channel.configs.get(mapped);
        const place = { ...channel.settings, type: channel.type };
        const stated = findPrice(mapped, book, config, `channel ${channel.id}`, variant);
        const selling = applyRegionalFactor(stated, mapped, place, hasOwnPrice(config));
        const paid = findBuyingPrice(
          mapped,
          listPrices,
          config,
          channel.settings.config[buyingFactorMember],
          variant,
        );
        const buying =
          paid && applyRegionalFactor(paid, mapped, place, config?.buying_prices !== undefined);
        const { ofDay, indexAt } = buildDayOfPrices(selling, buying);
        known = {
          ofDay: ofDay.map((price) => buildChannelPrice(mapped, price, groupRatio)),
          indexAt,
        };
        if (variant === "" && prices.size < pricesMax) prices.set(key, known);
      }
      const { ofDay, indexAt } = known;
      return ofDay[ofDay.length === 1 ? 0 : indexAt(at)] as ChannelPrice;
    },
    modelsOf(groups) {
      const named = new Set([
        ...byModel.keys(),
        ...withPatterns.flatMap(({ coveredModels }) => coveredModels),
      ]);
      const real = [...named].filter((model) => !virtual.has(model) && isServedTo(groups, model));
      const names = [...virtual.values()].filter(({ routed }) =>
        listTargets(routed).some((model) => isServedTo(groups, model)),
      );
      return [...real, ...names.map(({ routed }) => routed.name)].sort();
    },
  };
}

/** The price of a model at each of its hours. */
interface DayPrices {
  ofDay: readonly ChannelPrice[];
  indexAt(at: number): number;
}

function buildChannelPrice(model: string, price: Price, groupRatio: number): ChannelPrice {
  const frozen = freezePrice(price, groupRatio);
  return { model, price, frozen, json: JSON.stringify(frozen) };
}

const serves = (channel: RelayChannel, groups: readonly string[], model: string): boolean =>
  channel.status === channelStatus.enabled &&
  Object.keys(channel.urlsFor(channel.modelMapping.get(model) ?? model)).length > 0 &&
  groupServing(channel, groups) !== undefined &&
  !channel.hiddenModels.has(model);

/** `row` with its secrets in plain text. */
export function relayChannel(
  row: Selectable<ChannelsTable>,
  keys: readonly RelayChannelKey[],
  proxy?: ProxyAddress,
): RelayChannel {
  const type = findChannelType(row.type) ?? noType;
  const provider = buildProvider(type);
  const first = keys.find((key) => key.status === channelStatus.enabled) ?? keys[0];
  const settings: ProviderSettings = {
    type,
    base: (row.base_url || type.defaultBaseUrl).replace(/\/+$/, ""),
    config: { ...parseObject(row.config), ...readKeySettings(row.type, first?.key ?? "") },
    other: row.other,
    profiles: new Map(
      Object.entries(parseJson<Record<string, string>>(row.inference_profile_arn_map, {})),
    ),
  };
  const known = new Map<string, EndpointUrls>();
  const listed = listCommaList(row.models);
  const mapping = new ModelMapping(parseJson<Record<string, string>>(row.model_mapping, {}));
  const { id, uuid, name, status, priority, weight, disabled_reason: disabledReason } = row;
  return {
    id,
    uuid,
    name,
    type: row.type,
    status,
    disabledReason,
    priority,
    weight,
    ratelimit: row.ratelimit,
    groups: new Set(listCommaList(row.group)),
    models: new Set(listed.filter((name) => !isModelPattern(name))),
    modelPatterns: listed.filter(isModelPattern),
    coveredModels: listNames(listed.filter(isModelPattern), mapping, () =>
      listKnownModels(row.type),
    ),
    hiddenModels: new Set(parseJson<string[]>(row.hidden_models, [])),
    modelMapping: mapping,
    configs: parseModelConfigs(parseJson<Record<string, unknown>>(row.model_configs, {})),
    systemPrompt: row.system_prompt || null,
    mayReportFalseUsage: mayReportFalseUsage(row.type, row.base_url, settings.config),
    proxy,
    provider,
    settings,
    urlsFor(model) {
      let urls = known.get(model);
      if (!urls) {
        // In a URL these would be path traversal.
        urls = model === "." || model === ".." ? {} : provider.endpoints(settings, model);
        if (known.size < knownModelsMax) known.set(model, urls);
      }
      return urls;
    },
    key: first?.key ?? "",
    keyIndex: first?.index ?? 0,
    keys,
  };
}

/** Clients may request any model that a channel lists, and any name that its patterns cover. */
const knownModelsMax = 5_000;
/** Patterns let clients choose names. */
const pricesMax = 50_000;

const listCommaList = (text: string): string[] =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

const parseJson = <Value>(text: string | null, fallback: Value): Value =>
  text === null || text.trim() === "" ? fallback : (JSON.parse(text) as Value);
