/**
 * Channels of the family as neutral items: type numbers, keys, settings and prices differ between
 * the three servers. Pure.
 */
import { otherHoldsJson } from "@tollgate/contract/catalogue/channel-json.ts";
import { findOverridesIssue } from "@tollgate/contract/catalogue/channel-overrides.ts";
import {
  findChannelType,
  channelTypeIds as ids,
} from "@tollgate/contract/catalogue/channel-types.ts";
import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import * as z from "zod/mini";
import { splitKeys } from "../../../catalogue/channels/channel-key.ts";
import type { Loss, Reading, SourceChannel } from "../import-items.ts";
import {
  defineWholeNumber,
  fillRow,
  formatSourceText,
  parseJsonObject,
  parseNames,
  sourceTime,
  sourceUnits,
} from "../sources/source-fields.ts";
import { type SourceRow, textBytesMax } from "../sources/source-tables.ts";
import { unreadable } from "../unreadable-row.ts";
import type { FamilyKind } from "./family-kind.ts";
import {
  type FamilyPrices,
  type ImportedModelConfig,
  parseRatios,
  readPrice,
} from "./family-prices.ts";
import { readAcceptedGroup } from "./group-names.ts";
import { buildApiSettings, type Lose } from "./new-api-settings.ts";
import { addressWords, findTypeOfNewApi } from "./new-api-types.ts";

const json = formatSourceText(textBytesMax);
const shape = {
  id: defineWholeNumber(),
  type: defineWholeNumber(),
  key: json,
  status: defineWholeNumber(),
  name: formatSourceText(400),
  weight: defineWholeNumber(),
  priority: defineWholeNumber(),
  created_time: sourceTime,
  base_url: formatSourceText(2000),
  other: json,
  models: json,
  group: formatSourceText(4000),
  used_quota: sourceUnits,
  model_mapping: json,
  config: json,
  system_prompt: json,
  hidden_models: json,
  model_configs: json,
  model_ratio: json,
  completion_ratio: json,
  ratelimit: defineWholeNumber(),
  testing_model: formatSourceText(400),
  inference_profile_arn_map: json,
  channel_info: json,
  setting: json,
  settings: json,
  param_override: json,
  header_override: json,
  status_code_mapping: json,
  test_model: formatSourceText(400),
  tag: formatSourceText(400),
  open_ai_organization: formatSourceText(400),
};
const channelRow = z.object(shape);
type FamilyChannel = z.output<typeof channelRow>;
export const channelColumns = Object.keys(shape);

const compatible = 50;
const azure = 3;
const cloudflare = 37;
const coze = 34;
const vertex = 42;
const nameMax = 100;
const tagMax = 64;
/** Until then new-api took the dots out of Azure's deployment names, as one-api does. */
const azureDotsUntil = Date.UTC(2025, 4, 10);

/** `readTag` gives one line, as a tag of ours. */
const readTag = (text: string): string =>
  text
    .replace(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, tagMax)
    .toWellFormed();

export function readChannel(
  kind: FamilyKind,
  prices: FamilyPrices,
  row: SourceRow,
): Reading<SourceChannel> {
  const parsed = z.safeParse(channelRow, fillRow(row, shape));
  const sourceId = String(row.id);
  if (!parsed.success) return unreadable("channel", sourceId, row.name, parsed.error);
  const channel = parsed.data;
  const losses: Loss[] = [];
  const lose: Lose = (reason, field, value = "") => {
    losses.push({ entity: "channel", sourceId, name: channel.name, field, reason, value });
  };
  const mappedType = kind === "new-api" ? findTypeOfNewApi(channel.type) : channel.type;
  const isServed =
    mappedType !== undefined &&
    findChannelType(mappedType) !== undefined &&
    !isRewritten(kind, channel.type);
  if (!isServed && channel.base_url === "") {
    lose("channel_type_unserved", "type", String(channel.type));
    return { sourceId, item: undefined, losses };
  }
  if (!isServed) lose("channel_type_disabled", "type", String(channel.type));
  const type = isServed ? mappedType : compatible;
  if (addressWords.has(channel.base_url) || channel.base_url.includes("{model}")) {
    lose("setting_not_served", "base_url", channel.base_url);
    return { sourceId, item: undefined, losses };
  }

  const models = parseNames(channel.models);
  const mapping = findMapping(kind, type, channel, models, lose);
  const { key, isSeveral, keyStatuses } = buildKeys(kind, type, channel, lose);
  const ofNewApi = kind === "new-api" ? buildApiSettings(channel, lose) : undefined;
  const config = {
    ...buildConfig(kind, type, channel, { ofNewApi: ofNewApi?.config, lose }),
    ...(isSeveral && { multi_key: true }),
  };
  const groups = [
    ...new Set(
      (channel.group === "" ? ["default"] : parseNames(channel.group)).map(readAcceptedGroup),
    ),
  ];
  if (groups.join(",") !== parseNames(channel.group || "default").join(","))
    lose("group_renamed", "group", groups.join(", "));
  if (!["", "{}", "null"].includes(channel.status_code_mapping))
    lose("setting_not_served", "status_code_mapping");
  const { configs, withoutPrice } = buildPrices(
    kind,
    prices,
    channel,
    { models, mapping: mapping ?? {} },
    lose,
  );
  const testing = kind === "new-api" ? channel.test_model : channel.testing_model;
  const systemPrompt = channel.system_prompt || (ofNewApi?.systemPrompt ?? "");

  const input = {
    name: [...channel.name].slice(0, nameMax).join("") || `channel ${sourceId}`,
    type,
    key,
    base_url: channel.base_url,
    other: otherHoldsJson(type) ? "" : channel.other,
    models: models.filter((model) => !withoutPrice.includes(model)).join(","),
    group: groups.join(","),
    priority: channel.priority,
    // One-api stores a weight and draws without it.
    weight: kind === "one-api" ? 0 : Math.max(0, channel.weight),
    ratelimit: Math.max(0, channel.ratelimit),
    tag: readTag(channel.tag),
    ...(mapping && { model_mapping: JSON.stringify(mapping) }),
    ...(Object.keys(config).length > 0 && { config: JSON.stringify(config) }),
    ...(Object.keys(configs).length > 0 && { model_configs: JSON.stringify(configs) }),
    ...(systemPrompt !== "" && { system_prompt: systemPrompt }),
    ...(testing !== "" && { testing_model: testing }),
    ...findKeptJson(channel, lose),
  };
  const isKnownStatus =
    channel.status === channelStatus.enabled || channel.status === channelStatus.autoDisabled;
  const status = isServed && isKnownStatus ? channel.status : channelStatus.disabled;
  const item: SourceChannel = {
    input,
    status,
    usedQuota: Math.max(0, channel.used_quota),
    ...(ofNewApi?.proxy !== undefined && { proxy: ofNewApi.proxy }),
    keyStatuses,
    createdAtMs: channel.created_time,
  };
  return { sourceId, item, losses };
}

/** Types of one-api whose address is built in ways of their own. */
const isRewritten = (kind: FamilyKind, type: number): boolean =>
  kind !== "new-api" && (type === ids.custom || type === ids.palm);

/** JSON that is stored as it is; what does not hold is left out with a line. */
function findKeptJson(channel: FamilyChannel, lose: Lose): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const field of ["hidden_models", "inference_profile_arn_map"] as const) {
    const text = channel[field];
    if (["", "null", "{}", "[]"].includes(text)) continue;
    if (isJsonText(text)) kept[field] = text;
    else lose("json_invalid", field);
  }
  return kept;
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Requested names to upstream names, with Azure's deployment names, which have no dots in one-api.
 */
function findMapping(
  kind: FamilyKind,
  type: number,
  channel: FamilyChannel,
  models: readonly string[],
  lose: Lose,
): Record<string, string> | undefined {
  const stored = ["", "null", "{}"].includes(channel.model_mapping)
    ? {}
    : parseJsonObject(channel.model_mapping);
  if (stored === undefined) lose("json_invalid", "model_mapping");
  const named = Object.entries(stored ?? {}).filter(
    (entry): entry is [string, string] =>
      typeof entry[1] === "string" && entry[1] !== "" && entry[1] !== entry[0],
  );
  const mapping = Object.fromEntries(named);
  const losesDots =
    type === azure &&
    (kind === "one-api" || (kind === "new-api" && (channel.created_time ?? 0) < azureDotsUntil));
  if (losesDots) {
    for (const model of models) {
      const deployment = (mapping[model] ?? model).replaceAll(".", "");
      if (deployment !== (mapping[model] ?? model)) mapping[model] = deployment;
    }
  }
  return Object.keys(mapping).length === 0 ? undefined : mapping;
}

interface ChannelKeys {
  key: string;
  isSeveral: boolean;
  keyStatuses: SourceChannel["keyStatuses"];
}

const byteOrderMark = "\uFEFF";

function buildKeys(
  kind: FamilyKind,
  type: number,
  channel: FamilyChannel,
  lose: Lose,
): ChannelKeys {
  const text = channel.key.replaceAll(byteOrderMark, "").trim();
  const info = kind === "new-api" ? parseJsonObject(channel.channel_info) : undefined;
  const isSeveral = info?.is_multi_key === true;
  if (!isSeveral)
    return {
      key: composeComposedKey(kind, type, flattenLine(text), channel, lose),
      isSeveral,
      keyStatuses: new Map(),
    };
  const stored = listKeyList(text);
  const keys = stored.map((one) => composeComposedKey(kind, type, one, channel, lose));
  const statuses = buildJsonRecord(info?.multi_key_status_list);
  const reasons = buildJsonRecord(info?.multi_key_disabled_reason);
  const keyStatuses = new Map(
    keys.flatMap((one, index) => {
      const status = Number(statuses[index] ?? channelStatus.enabled);
      const reason = typeof reasons[index] === "string" ? reasons[index].slice(0, 200) : "";
      return status === channelStatus.disabled || status === channelStatus.autoDisabled
        ? [[one, { status, reason }] as const]
        : [];
    }),
  );
  return { key: [...new Set(keys)].join("\n"), isSeveral, keyStatuses };
}

const buildJsonRecord = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

/** A JSON document of many lines is one key. */
function flattenLine(text: string): string {
  const document = text.startsWith("{") ? parseJsonObject(text) : undefined;
  return document ? JSON.stringify(document) : text;
}

/** Keys by line, or as a JSON array of texts or documents. */
function listKeyList(text: string): string[] {
  if (!text.startsWith("[")) return splitKeys(text).map(flattenLine);
  try {
    const keys: unknown = JSON.parse(text);
    if (!Array.isArray(keys)) return [];
    return keys
      .map((key) => (typeof key === "string" ? flattenLine(key.trim()) : JSON.stringify(key)))
      .filter(Boolean);
  } catch {
    return [];
  }
}

/** new-api keeps Vertex's service account as the key and its region apart. */
function composeComposedKey(
  kind: FamilyKind,
  type: number,
  key: string,
  channel: FamilyChannel,
  lose: Lose,
): string {
  if (kind !== "new-api" || type !== vertex || !key.startsWith("{")) return key;
  const regions = parseJsonObject(channel.other);
  if (regions && Object.keys(regions).length > 1) lose("setting_not_served", "other");
  const region = regions ? String(regions.default ?? "") : channel.other;
  return `${region}|${String(parseJsonObject(key)?.project_id ?? "")}|${key}`;
}

function buildConfig(
  kind: FamilyKind,
  type: number,
  channel: FamilyChannel,
  { ofNewApi, lose }: { ofNewApi: Record<string, unknown> | undefined; lose: Lose },
): Record<string, unknown> {
  const stored = ["", "null", "{}"].includes(channel.config) ? {} : parseJsonObject(channel.config);
  if (stored === undefined) lose("json_invalid", "config");
  // Empty texts stand for nothing in the settings of one-api.
  const settings = Object.fromEntries(
    Object.entries(stored ?? {}).filter(([, value]) => value !== "" && value !== null),
  );
  const config: Record<string, unknown> = ofNewApi ?? settings;
  if (type === azure && channel.other !== "" && config.api_version === undefined)
    config.api_version = channel.other;
  if (type === cloudflare && channel.other !== "" && config.user_id === undefined)
    config.user_id = channel.other;
  if (kind === "new-api" && type === coze && channel.other !== "")
    lose("setting_not_served", "other", channel.other);
  for (const member of ["custom_headers", "param_override"]) {
    const issue = findOverridesIssue(JSON.stringify({ [member]: config[member] }));
    if (issue === undefined) continue;
    delete config[member];
    lose("setting_not_served", member);
  }
  return config;
}

interface PricedModels {
  models: readonly string[];
  mapping: Readonly<Record<string, string>>;
}

interface ChannelPrices {
  /** `configs` go by the name that the provider gets. */
  configs: Readonly<Record<string, unknown>>;
  /**
   * Models with a price for each call, which nothing here charges: the channel must not serve them
   * at another price.
   */
  withoutPrice: readonly string[];
}

/** Members of Laisky's `model_configs` that nothing here reads. */
const unreadMembers = ["embedding", "time_windows", "image_price_usd"];

function buildPrices(
  kind: FamilyKind,
  prices: FamilyPrices,
  channel: FamilyChannel,
  { models, mapping }: PricedModels,
  lose: Lose,
): ChannelPrices {
  if (kind === "laisky-one-api")
    return { configs: buildLaiskyPrices(channel, lose), withoutPrice: [] };
  const configs: Record<string, ImportedModelConfig> = {};
  const stored = kind === "one-api" ? (parseJsonObject(channel.model_mapping) ?? {}) : mapping;
  const [missing, guessed, withoutPrice]: [string[], string[], string[]] = [[], [], []];
  for (const requested of models) {
    const mapped = stored[requested];
    const reading = readPrice(kind, prices, {
      requested,
      mapped: typeof mapped === "string" && mapped !== "" ? mapped : requested,
      type: channel.type,
    });
    if (reading.kind === "missing") missing.push(requested);
    else if (reading.kind === "per_call") {
      withoutPrice.push(requested);
      lose("price_per_call", requested, String(reading.dollars));
    } else {
      // Prices are looked up here by the name that the provider gets.
      configs[mapping[requested] ?? requested] = reading.config;
      if (!reading.isCompletionKnown) guessed.push(requested);
    }
  }
  if (missing.length > 0) lose("price_missing", "models", missing.join(", "));
  if (guessed.length > 0) lose("completion_price_missing", "models", guessed.join(", "));
  return { configs, withoutPrice };
}

function buildLaiskyPrices(channel: FamilyChannel, lose: Lose): Readonly<Record<string, unknown>> {
  const stored = ["", "null", "{}"].includes(channel.model_configs)
    ? {}
    : parseJsonObject(channel.model_configs);
  if (stored === undefined) lose("json_invalid", "model_configs");
  const configs: Record<string, unknown> = {};
  for (const [model, config] of Object.entries(stored ?? {})) {
    const members = Object.entries(buildJsonRecord(config)).filter(([, value]) => value !== null);
    const unread = members.filter(([name]) => unreadMembers.includes(name)).map(([name]) => name);
    if (unread.length > 0) lose("price_member_not_read", model, unread.join(", "));
    if (members.length > 0) configs[model] = Object.fromEntries(members);
  }
  // Rows of before model_configs keep two maps of their own.
  const [ratios, completions] = [
    parseRatios(channel.model_ratio),
    parseRatios(channel.completion_ratio),
  ];
  for (const [model, ratio] of ratios) {
    const completion = completions.get(model);
    configs[model] ??= { ratio, ...(completion !== undefined && { completion_ratio: completion }) };
  }
  return configs;
}
