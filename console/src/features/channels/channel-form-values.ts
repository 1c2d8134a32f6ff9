/** A channel as the form holds it, and what becomes of it on the wire. */
import type { Channel, createChannel, updateChannel } from "@tollgate/contract/channels.ts";
import type { BodyIn } from "@tollgate/contract/endpoint.ts";
import { bothIds } from "../../wire.ts";
import { memberOf, withMember, withoutMember } from "./channel-json-text.ts";
import { groupNames, listed, plainBaseUrl } from "./channel-rules.ts";
import { type ChannelSettings, joinedKey, liftSettings, lowerSettings, noSettings } from "./channel-settings.ts";

/** What the form holds: text as typed. JSON stays text, so that members nobody knows here survive an edit. */
export type ChannelFormValues = {
  name: string;
  type: string;
  key: string;
  /** Each line of the key is one of several; a member of `config`. */
  multi_key: boolean;
  /** The keys that are typed come to the stored ones. */
  key_added: boolean;
  base_url: string;
  models: string[];
  model_mapping: string;
  model_configs: string;
  groups: string[];
  priority: string;
  weight: string;
  ratelimit: string;
  system_prompt: string;
  /** Without what has a field of its own in `settings`; so is `config`. */
  other: string;
  config: string;
  inference_profile_arn_map: string;
  settings: ChannelSettings;
};

type Numbers = "type" | "priority" | "weight" | "ratelimit";
/** What the schema makes of it. */
export type CheckedChannel = Omit<ChannelFormValues, Numbers> & Record<Numbers, number>;

export const newChannel: ChannelFormValues = {
  name: "",
  type: "1",
  key: "",
  multi_key: false,
  key_added: false,
  base_url: "",
  models: [],
  model_mapping: "",
  model_configs: "",
  groups: ["default"],
  priority: "0",
  weight: "0",
  ratelimit: "0",
  system_prompt: "",
  other: "",
  config: "",
  inference_profile_arn_map: "",
  settings: noSettings,
};

export function toForm(channel: Channel): ChannelFormValues {
  return {
    name: channel.name,
    type: String(channel.type),
    key: "",
    base_url: channel.base_url ?? "",
    models: listed(channel.models),
    model_mapping: channel.model_mapping ?? "",
    model_configs: channel.model_configs ?? "",
    groups: groupNames(channel.group),
    priority: String(channel.priority ?? 0),
    weight: String(channel.weight ?? 0),
    ratelimit: String(channel.ratelimit ?? 0),
    system_prompt: channel.system_prompt ?? "",
    inference_profile_arn_map: channel.inference_profile_arn_map ?? "",
    key_added: false,
    ...liftSeveralKeys(liftSettings(channel.type, { config: channel.config ?? "", other: channel.other ?? "" })),
  };
}

const severalKeys = "multi_key";

/** What is no yes or no stays where it is, to be told. */
function liftSeveralKeys<Texts extends { config: string }>(texts: Texts): Texts & { multi_key: boolean } {
  const said = memberOf(texts.config, severalKeys);
  if (typeof said !== "boolean") return { ...texts, multi_key: false };
  return { ...texts, config: withoutMember(texts.config, severalKeys), multi_key: said };
}

function lowered(values: CheckedChannel, readConfig: string): { config: string; other: string } {
  const texts = lowerSettings(values.type, values, readConfig);
  return values.multi_key ? { ...texts, config: withMember(texts.config, severalKeys, true) } : texts;
}

/** The key to send; empty keeps the stored one. Of some types it is joined, and sent only where a part of it changed. */
export function keyIn({ type, key, settings }: CheckedChannel, read: Channel | undefined): string {
  const joined = joinedKey(type);
  if (joined === undefined) return key;
  const join = (from: ChannelSettings) => joined.parts.map((part) => from[part].trim()).join("|");
  const isWhole = joined.parts.every((part) => settings[part] !== "");
  const isKept = read?.type === type && join(toForm(read).settings) === join(settings);
  return isWhole && !isKept ? join(settings) : "";
}

export function toCreation(values: CheckedChannel): BodyIn<typeof createChannel> {
  const { config, other } = lowered(values, "");
  return { ...shared(values), other: orNull(other), config, key: keyIn(values, undefined) };
}

export function toChange(values: CheckedChannel, read: Channel): BodyIn<typeof updateChannel> {
  const { config, other } = textsOf(values, read);
  const key = keyIn(values, read);
  return {
    ...bothIds(read),
    ...shared(values),
    // A null leaves `other` as it is and an empty `config` too: what was emptied here has to be said in so many words.
    other: orNull(other) ?? (read.other ? "" : null),
    config: config || (read.config ? "{}" : ""),
    ...(key === "" ? {} : { key }),
    ...(key !== "" && values.multi_key && values.key_added && { key_added: true }),
    updated_at: read.updated_at,
  };
}

/** As they were read, to the last space, where nobody changed them. */
function textsOf(values: CheckedChannel, read: Channel): { config: string; other: string } {
  const before = toForm(read);
  const isSame =
    values.type === read.type &&
    values.multi_key === before.multi_key &&
    values.config === before.config.trim() &&
    values.other === before.other.trim() &&
    Object.entries(before.settings).every(
      ([name, value]) => values.settings[name as keyof ChannelSettings] === value.trim(),
    );
  if (isSame) return { config: read.config ?? "", other: read.other ?? "" };
  return lowered(values, read.type === values.type ? (read.config ?? "") : "");
}

function shared(values: CheckedChannel) {
  return {
    name: values.name,
    type: values.type,
    base_url: plainBaseUrl(values.base_url),
    models: values.models.join(","),
    group: values.groups.join(","),
    priority: values.priority,
    weight: values.weight,
    ratelimit: values.ratelimit,
    model_mapping: orNull(values.model_mapping),
    model_configs: orNull(values.model_configs),
    system_prompt: orNull(values.system_prompt),
    inference_profile_arn_map: orNull(values.inference_profile_arn_map),
  };
}

const orNull = (text: string): string | null => (text.trim() === "" ? null : text);
