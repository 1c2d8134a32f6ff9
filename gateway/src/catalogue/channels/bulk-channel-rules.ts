/**
 * The edit that a verb for many channels means for one of them, with what it shows of the change.
 * Pure.
 */

import { readKeyDestination } from "@tollgate/contract/accounts/key-destination.ts";
import type { BulkMembers, ChannelBulk } from "@tollgate/contract/api/bulk-verbs.ts";
import { isJsonRecord } from "@tollgate/contract/api/json-record.ts";
import type { ChannelChange } from "@tollgate/contract/catalogue/channel-input.ts";
import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import { listsModel } from "@tollgate/contract/catalogue/model-patterns.ts";
import { refuse } from "../../http/refusal.ts";
import { hasSeveralKeys } from "./channel-key-rules.ts";
import type { ChannelRow } from "./channel-store.ts";

type BulkChannel = Pick<
  ChannelRow,
  | "type"
  | "status"
  | "group"
  | "priority"
  | "weight"
  | "tag"
  | "models"
  | "model_configs"
  | "config"
  | "base_url"
  | "key_hint"
>;
export type ChannelEditAct = Exclude<ChannelBulk["verb"], "delete">;

export interface BulkChannelEdit {
  edit: ChannelChange;
  before: BulkMembers;
  after: BulkMembers;
}

/** The longest list that an edit of one channel accepts. */
const modelsMax = 50_000;
const parseNames = (list: string | undefined): string[] => (list ?? "").split(",").filter(Boolean);

/**
 * Refuses a channel that the verb leaves as it is, or must not change. `first` is the first chosen
 * channel: a new key goes to its destination alone, since a key of one provider must not reach
 * another.
 */
export function planBulkChannelEdit(
  channel: BulkChannel,
  act: ChannelBulk & { verb: ChannelEditAct },
  first: BulkChannel,
): BulkChannelEdit {
  switch (act.verb) {
    case "enable":
      return readMember("status", channel.status, channelStatus.enabled);
    case "disable":
      return readMember("status", channel.status, channelStatus.disabled);
    case "set_group":
      return readMember("group", channel.group, act.group ?? "");
    case "set_priority":
      return readMember("priority", channel.priority, act.priority ?? 0);
    case "set_weight":
      return readMember("weight", channel.weight, act.weight ?? 0);
    case "set_tag":
      return readMember("tag", channel.tag, act.tag ?? "");
    case "add_models":
      return addModels(channel, parseNames(act.models));
    case "remove_models":
      return removeModels(channel, parseNames(act.models));
    case "replace_key":
      if (readKeyDestination(channel) !== readKeyDestination(first))
        throw refuse("channel_other_destination");
      if (hasSeveralKeys(channel.config)) throw refuse("channel_several_keys");
      // The editor knows the hint of the new key.
      return { edit: { key: act.key ?? "" }, before: { key_hint: channel.key_hint }, after: {} };
    case "set_price":
      return priceModel(channel, act);
  }
}

function readMember<Name extends "status" | "group" | "priority" | "weight" | "tag">(
  name: Name,
  stored: BulkChannel[Name],
  value: BulkChannel[Name],
): BulkChannelEdit {
  if (stored === value) throw refuse("bulk_unchanged");
  return { edit: { [name]: value }, before: { [name]: stored }, after: { [name]: value } };
}

/** `addModels` shows only those of the models that come. */
function addModels({ models }: BulkChannel, names: readonly string[]): BulkChannelEdit {
  const stored = parseNames(models);
  const added = names.filter((name) => !stored.includes(name));
  if (added.length === 0) throw refuse("bulk_unchanged");
  const all = [...stored, ...added].join(",");
  if (all.length > modelsMax) throw refuse("channel_models_too_long");
  return { edit: { models: all }, before: {}, after: { models: added.join(",") } };
}

/** `removeModels` shows only those of the models that go. */
function removeModels({ models }: BulkChannel, names: readonly string[]): BulkChannelEdit {
  const stored = parseNames(models);
  const removed = stored.filter((name) => names.includes(name));
  if (removed.length === 0) throw refuse("bulk_unchanged");
  const rest = stored.filter((name) => !names.includes(name));
  // An empty list would mean: unchanged.
  if (rest.length === 0) throw refuse("channel_last_model");
  return { edit: { models: rest.join(",") }, before: { models: removed.join(",") }, after: {} };
}

const priceMembers = ["ratio", "completion_ratio", "cached_input_ratio"] as const;

/**
 * The price of text alone changes: limits, and prices of images, audio and searches, stay. The
 * tiers of the stored entry go, since long prompts would otherwise keep the old price.
 */
function priceModel({ models, model_configs }: BulkChannel, act: ChannelBulk): BulkChannelEdit {
  const { model = "" } = act;
  if (!listsModel(parseNames(models), model)) throw refuse("channel_model_missing");
  const configs = parseRecord(model_configs);
  const entry = isJsonRecord(configs[model]) ? configs[model] : {};
  const kept = Object.fromEntries(
    Object.entries(entry).filter(
      ([name]) => name !== "tiers" && !(textPrices as readonly string[]).includes(name),
    ),
  );
  const price = parsePrices(act);
  const next = { ...kept, ...price };
  const isSame =
    JSON.stringify(parsePrices(entry)) === JSON.stringify(price) && !("tiers" in entry);
  if (isSame) throw refuse("bulk_unchanged");
  return {
    edit: { model_configs: JSON.stringify({ ...configs, [model]: next }) },
    before: parsePrices(entry),
    after: price,
  };
}

/**
 * The members of an entry that price text; those of writing to a cache follow the input price
 * again.
 */
const textPrices = [...priceMembers, "cache_write_5m_ratio", "cache_write_1h_ratio"] as const;

function parsePrices(entry: Readonly<Record<string, unknown>>): Record<string, number> {
  const prices = priceMembers.map((name) => [name, entry[name]] as const);
  return Object.fromEntries(
    prices.filter(
      (price): price is [(typeof priceMembers)[number], number] => typeof price[1] === "number",
    ),
  );
}

function parseRecord(text: string | null): Record<string, unknown> {
  const value: unknown = text ? JSON.parse(text) : {};
  return isJsonRecord(value) ? value : {};
}
