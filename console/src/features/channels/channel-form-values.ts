/** Form values of a channel, and their conversion from and to the API. */

import type { BodyIn } from "@tollgate/contract/api/endpoint.ts";
import {
  buyingFactorMember,
  type ChannelFlag,
  channelFlags,
  falseUsageMember,
  headerMask,
  isBuyingFactor,
  isHeaderMask,
} from "@tollgate/contract/catalogue/channel-overrides.ts";
import type {
  Channel,
  createChannel,
  updateChannel,
} from "@tollgate/contract/catalogue/channels.ts";
import { buildEntityIds } from "../../compat/entity-ids.ts";
import { numberText } from "../../components/forms/whole-number.ts";
import { addMember, buildMember, stripMember } from "./channel-json-text.ts";
import { groupNames, normalizeBaseUrl, splitNames } from "./channel-screen-rules.ts";
import {
  buildCompositeKey,
  type ChannelSettings,
  extractSettings,
  mergeSettings,
  noSettings,
} from "./channel-settings.ts";

/** A custom header: its value is write-only, so a stored one is empty here until it is replaced. */
export type ChannelHeader = { name: string; value: string; isStored: boolean };

/**
 * Form values: text as typed. JSON stays text, so that an edit keeps members that the console does
 * not know.
 */
export type ChannelFormValues = {
  name: string;
  type: string;
  key: string;
  /** Each line of `key` is a key of its own; stored as a member of `config`. */
  multi_key: boolean;
  /**
   * Members that change the model or the price pass without a charge for them; stored as a member
   * of `config`.
   */
  pass_cost_members: boolean;
  /** `true`, `false`, or empty where the address decides; stored as a member of `config`. */
  false_usage: string;
  /**
   * `buying_factor` is what the operator pays, as a multiple of list prices; empty for unknown;
   * stored as a member of `config`.
   */
  buying_factor: string;
  /** Stored objects that the gateway does not know may be named. */
  allow_unknown_state: boolean;
  mark_prompt_cache: boolean;
  /** The typed keys are added to the stored ones instead of replacing them. */
  key_added: boolean;
  base_url: string;
  models: string[];
  model_mapping: string;
  model_configs: string;
  groups: string[];
  priority: string;
  weight: string;
  ratelimit: string;
  tag: string;
  system_prompt: string;
  /** The custom headers of `config`. */
  headers: ChannelHeader[];
  /**
   * `other` comes without the members that have a field in `settings`; the same holds for `config`.
   */
  other: string;
  config: string;
  inference_profile_arn_map: string;
  settings: ChannelSettings;
};

type NumericChannelField = "type" | "priority" | "weight" | "ratelimit";
/** The values after validation. */
export type ChannelFormOutput = Omit<ChannelFormValues, NumericChannelField> &
  Record<NumericChannelField, number>;

export const newChannel: ChannelFormValues = {
  name: "",
  type: "1",
  key: "",
  multi_key: false,
  pass_cost_members: false,
  false_usage: "",
  buying_factor: "",
  allow_unknown_state: false,
  mark_prompt_cache: false,
  key_added: false,
  base_url: "",
  models: [],
  model_mapping: "",
  model_configs: "",
  groups: ["default"],
  priority: "0",
  weight: "0",
  ratelimit: "0",
  tag: "",
  system_prompt: "",
  headers: [],
  other: "",
  config: "",
  inference_profile_arn_map: "",
  settings: noSettings,
};

export function buildChannelForm(channel: Channel): ChannelFormValues {
  return {
    name: channel.name,
    type: numberText(channel.type),
    key: "",
    base_url: channel.base_url ?? "",
    models: splitNames(channel.models),
    model_mapping: channel.model_mapping ?? "",
    model_configs: channel.model_configs ?? "",
    groups: groupNames(channel.group),
    priority: String(channel.priority || 0),
    weight: String(channel.weight || 0),
    ratelimit: String(channel.ratelimit || 0),
    tag: channel.tag ?? "",
    system_prompt: channel.system_prompt ?? "",
    inference_profile_arn_map: channel.inference_profile_arn_map ?? "",
    key_added: false,
    ...extractHeaders(
      extractBuyingFactor(
        extractFalseUsage(
          extractFlags(
            extractSettings(channel.type, {
              config: channel.config ?? "",
              other: channel.other ?? "",
            }),
          ),
        ),
      ),
    ),
  };
}

/** A value that is not a boolean stays in `config`, where validation reports it. */
function extractFlags<Texts extends { config: string }>(
  texts: Texts,
): Texts & Record<ChannelFlag, boolean> {
  let { config } = texts;
  const flags: Record<ChannelFlag, boolean> = {
    multi_key: false,
    pass_cost_members: false,
    allow_unknown_state: false,
    mark_prompt_cache: false,
  };
  for (const name of channelFlags) {
    const member = buildMember(config, name);
    if (typeof member !== "boolean") continue;
    config = stripMember(config, name);
    flags[name] = member;
  }
  return { ...texts, config, ...flags };
}

function extractFalseUsage<Texts extends { config: string }>(
  texts: Texts,
): Texts & { false_usage: string } {
  const member = buildMember(texts.config, falseUsageMember);
  if (typeof member !== "boolean") return { ...texts, false_usage: "" };
  return {
    ...texts,
    config: stripMember(texts.config, falseUsageMember),
    false_usage: String(member),
  };
}

/** `extractBuyingFactor` does as the flags do: anything but a factor stays in `config`. */
function extractBuyingFactor<Texts extends { config: string }>(
  texts: Texts,
): Texts & { buying_factor: string } {
  const member = buildMember(texts.config, buyingFactorMember);
  if (!isBuyingFactor(member)) return { ...texts, buying_factor: "" };
  return {
    ...texts,
    config: stripMember(texts.config, buyingFactorMember),
    buying_factor: String(member),
  };
}

const headersMember = "custom_headers";

/** Headers that are not names and texts stay in `config`, where validation reports them. */
function extractHeaders<Texts extends { config: string }>(
  texts: Texts,
): Texts & { headers: ChannelHeader[] } {
  const member = buildMember(texts.config, headersMember);
  const named =
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.entries(member)
      : [];
  if (named.length === 0 || named.some(([, value]) => typeof value !== "string"))
    return { ...texts, headers: [] };
  const headers = named.map(([name, value]: [string, string]) => {
    const isStored = isHeaderMask(value);
    return { name, value: isStored ? "" : value, isStored };
  });
  return { ...texts, config: stripMember(texts.config, headersMember), headers };
}

function mergeTexts(
  values: ChannelFormOutput,
  readConfig: string,
): { config: string; other: string } {
  const { config, other } = mergeSettings(values.type, values, readConfig);
  const withHeaders =
    values.headers.length > 0
      ? addMember(config, headersMember, buildHeadersToSend(values.headers))
      : config;
  const set = channelFlags.filter((name) => values[name]);
  const withFlags = set.reduce((text, name) => addMember(text, name, true), withHeaders);
  const { false_usage, buying_factor } = values;
  const withUsage =
    false_usage === "" ? withFlags : addMember(withFlags, falseUsageMember, false_usage === "true");
  return {
    other,
    config:
      buying_factor === ""
        ? withUsage
        : addMember(withUsage, buyingFactorMember, Number(buying_factor)),
  };
}

/** A mask keeps the stored value. */
export const buildHeadersToSend = (headers: readonly ChannelHeader[]): Record<string, string> =>
  Object.fromEntries(
    headers.map(({ name, value, isStored }) => [name, isStored ? headerMask : value]),
  );

/**
 * The key to send; empty keeps the stored one. A key composed of parts is sent only when a part
 * changed.
 */
export function readKeyToSend(
  { type, key, settings }: ChannelFormOutput,
  read: Channel | undefined,
): string {
  const compositeKey = buildCompositeKey(type);
  if (compositeKey === undefined) return key;
  const join = (from: ChannelSettings) =>
    compositeKey.parts.map((part) => from[part].trim()).join("|");
  const isComplete = compositeKey.parts.every((part) => settings[part] !== "");
  const isUnchanged =
    read?.type === type && join(buildChannelForm(read).settings) === join(settings);
  return isComplete && !isUnchanged ? join(settings) : "";
}

export function buildChannelCreate(values: ChannelFormOutput): BodyIn<typeof createChannel> {
  const { config, other } = mergeTexts(values, "");
  return {
    ...buildCommonFields(values),
    other: orNull(other),
    config,
    key: readKeyToSend(values, undefined),
  };
}

export function buildChannelUpdate(
  values: ChannelFormOutput,
  read: Channel,
): BodyIn<typeof updateChannel> {
  const { config, other } = buildTextsToSend(values, read);
  const key = readKeyToSend(values, read);
  return {
    ...buildEntityIds(read),
    ...buildCommonFields(values),
    // The API keeps `other` on null and `config` on an empty text, so cleared values are sent
    // explicitly.
    other: orNull(other) ?? (read.other ? "" : null),
    config: config || (read.config ? "{}" : ""),
    ...(key === "" ? {} : { key }),
    ...(key !== "" && values.multi_key && values.key_added && { key_added: true }),
    updated_at: read.updated_at,
  };
}

/** Unchanged texts are sent back exactly as they were read. */
export function buildTextsToSend(
  values: ChannelFormOutput,
  read: Channel,
): { config: string; other: string } {
  const before = buildChannelForm(read);
  const isSame =
    values.type === read.type &&
    channelFlags.every((name) => values[name] === before[name]) &&
    values.false_usage === before.false_usage &&
    values.buying_factor === before.buying_factor &&
    JSON.stringify(buildHeadersToSend(values.headers)) ===
      JSON.stringify(buildHeadersToSend(before.headers)) &&
    values.config === before.config.trim() &&
    values.other === before.other.trim() &&
    Object.entries(before.settings).every(
      ([name, value]) => values.settings[name as keyof ChannelSettings] === value.trim(),
    );
  if (isSame) return { config: read.config ?? "", other: read.other ?? "" };
  return mergeTexts(values, read.type === values.type ? (read.config ?? "") : "");
}

function buildCommonFields(values: ChannelFormOutput) {
  return {
    name: values.name,
    type: values.type,
    base_url: normalizeBaseUrl(values.base_url),
    models: values.models.join(","),
    group: values.groups.join(","),
    priority: values.priority,
    weight: values.weight,
    ratelimit: values.ratelimit,
    tag: values.tag,
    model_mapping: orNull(values.model_mapping),
    model_configs: orNull(values.model_configs),
    system_prompt: orNull(values.system_prompt),
    inference_profile_arn_map: orNull(values.inference_profile_arn_map),
  };
}

const orNull = (text: string): string | null => (text.trim() === "" ? null : text);
