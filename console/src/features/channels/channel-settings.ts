/**
 * The settings of a channel type beyond the common fields. The API stores them in `config`, for
 * some types in `other`; the form has a field for each and keeps all other members of the two
 * texts.
 */
import { channelTypeIds as ids } from "@tollgate/contract/catalogue/channel-types.ts";
import { addMember, buildMember, stripMember } from "./channel-json-text.ts";

export const settingNames = [
  "region",
  "ak",
  "sk",
  "user_id",
  "api_version",
  "library_id",
  "plugin",
  "vertex_ai_project_id",
  "vertex_ai_adc",
  "auth_type",
  "api_format",
] as const;
export type SettingName = (typeof settingNames)[number];
export type ChannelSettings = Record<SettingName, string>;

export const noSettings = Object.fromEntries(
  settingNames.map((name) => [name, ""]),
) as ChannelSettings;

const settingsByType: Readonly<Record<number, readonly SettingName[]>> = {
  [ids.azure]: ["api_version"],
  [ids.qianwen]: ["plugin"],
  [ids.spark]: ["api_version"],
  [ids.library]: ["library_id"],
  [ids.gemini]: ["api_version"],
  [ids.bedrock]: ["ak", "sk", "region"],
  [ids.coze]: ["auth_type", "user_id"],
  [ids.cloudflare]: ["user_id"],
  [ids.vertex]: ["region", "vertex_ai_project_id", "vertex_ai_adc"],
  [ids.compatible]: ["api_format"],
};
const buildSettings = (type: number): readonly SettingName[] => settingsByType[type] ?? [];

/** Types whose `other` is the plain value of their first setting. */
const typesWithPlainOther: readonly number[] = [
  ids.azure,
  ids.qianwen,
  ids.spark,
  ids.library,
  ids.gemini,
];
const findPlainOtherSetting = (type: number): SettingName | undefined =>
  typesWithPlainOther.includes(type) ? buildSettings(type)[0] : undefined;

/**
 * Types whose API key is composed of settings, in this order. `secret` is the part that is never
 * sent back.
 */
const compositeKeys: Readonly<
  Record<number, { parts: readonly SettingName[]; secret: SettingName }>
> = {
  [ids.bedrock]: { parts: ["ak", "sk", "region"], secret: "sk" },
  [ids.vertex]: {
    parts: ["region", "vertex_ai_project_id", "vertex_ai_adc"],
    secret: "vertex_ai_adc",
  },
};
export const buildCompositeKey = (type: number) => compositeKeys[type];

/** `defaultSettings` are what a new channel of the type starts with. */
const defaultSettings: Readonly<Record<number, Partial<ChannelSettings>>> = {
  [ids.azure]: { api_version: "2024-03-01-preview" },
  [ids.coze]: { auth_type: "personal_access_token" },
};

/**
 * The settings after a change of type: those that were not touched become the defaults of the new
 * type.
 */
export function buildSettingsAfterPick(
  settings: ChannelSettings,
  from: number,
  to: number,
): ChannelSettings {
  const next = { ...settings };
  for (const name of ["api_version", "auth_type"] as const) {
    if (settings[name] === (defaultSettings[from]?.[name] ?? ""))
      next[name] = defaultSettings[to]?.[name] ?? "";
  }
  return next;
}

type ChannelTexts = { config: string; other: string };

/** Moves the settings of a type out of the two texts. */
export function extractSettings(
  type: number,
  texts: ChannelTexts,
): ChannelTexts & { settings: ChannelSettings } {
  const settings = { ...noSettings };
  let { config, other } = texts;
  for (const name of buildSettings(type)) {
    const value = buildMember(config, name);
    if (typeof value !== "string") continue;
    settings[name] = value;
    config = stripMember(config, name);
  }
  const plainName = findPlainOtherSetting(type);
  if (plainName !== undefined && !isInConfig(plainName, texts.config)) {
    settings[plainName] = other;
    other = "";
  }
  return { settings, config, other };
}

/** Moves the settings back into the texts; `readConfig` is the `config` of the edited channel. */
export function mergeSettings(
  type: number,
  { settings, config, other }: ChannelTexts & { settings: ChannelSettings },
  readConfig: string,
): ChannelTexts {
  const plainName = findPlainOtherSetting(type);
  const merged = { config, other };
  for (const name of buildSettings(type)) {
    const value = settings[name];
    if (name === plainName && !isInConfig(name, readConfig)) merged.other = value;
    else if (value !== "") merged.config = addMember(merged.config, name, value);
  }
  return merged;
}

const isInConfig = (name: SettingName, config: string): boolean =>
  typeof buildMember(config, name) === "string";
