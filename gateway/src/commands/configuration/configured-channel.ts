/**
 * A channel as a configuration document writes it, and the request that brings a channel to that
 * state. Pure.
 */
import { isDeepStrictEqual } from "node:util";
import { isJsonRecord } from "@tollgate/contract/api/json-record.ts";
import { headerMask } from "@tollgate/contract/catalogue/channel-overrides.ts";
import { findChannelType } from "@tollgate/contract/catalogue/channel-types.ts";
import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import {
  type ConfiguredChannel,
  findType,
  formatTypeName,
} from "@tollgate/contract/commands/configuration.ts";
import type { ChannelRow } from "../../catalogue/channels/channel-store.ts";
import { readSecretReference } from "./secret-reference.ts";

/**
 * `ChannelRequest` has the members of `ChannelInput` and `ChannelChange`, before they are parsed.
 */
export type ChannelRequest = Record<string, unknown>;

const listed = (text: string): string[] => text.split(",").filter((name) => name !== "");

function parseReply(text: string | null): unknown {
  if (text === null || text === "") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // An import took it as it was.
    return undefined;
  }
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  (typeof value === "object" && value !== null && Object.keys(value).length === 0);

/** The stored text where it means the same: its spelling is no difference. */
function formatJsonText(stored: string | null | undefined, wanted: unknown): string {
  const before = parseReply(stored ?? null);
  if (isDeepStrictEqual(before, wanted) || (isEmpty(before) && isEmpty(wanted)))
    return stored ?? "";
  return wanted === undefined ? "" : JSON.stringify(wanted);
}

/** Automatic disabling is no wish of the file: a channel that is wanted enabled keeps it. */
function findStatus(enabled: boolean | undefined, stored: number | undefined): number | undefined {
  if (enabled === undefined) return undefined;
  if (!enabled) return channelStatus.disabled;
  return stored === channelStatus.disabled || stored === undefined
    ? channelStatus.enabled
    : undefined;
}

/**
 * `buildChannelRequest` is for a new channel where there is no `row`. A key that is left out is the
 * stored one.
 */
export function buildChannelRequest(
  wanted: ConfiguredChannel,
  row: ChannelRow | undefined,
): ChannelRequest {
  const type = findType(wanted.type) ?? 0;
  const status = findStatus(wanted.enabled, row?.status);
  const config = formatJsonText(row?.config, wanted.config);
  return {
    name: wanted.name,
    type,
    ...(wanted.key !== undefined && { key: wanted.key }),
    ...(status !== undefined && { status }),
    base_url: wanted.baseUrl ?? findChannelType(type)?.defaultBaseUrl ?? "",
    other: wanted.other ?? "",
    ...(wanted.models && { models: wanted.models.join(",") }),
    hidden_models: formatJsonText(row?.hidden_models, wanted.hiddenModels),
    model_mapping: formatJsonText(row?.model_mapping, wanted.modelMapping),
    model_configs: formatJsonText(row?.model_configs, wanted.modelConfigs),
    system_prompt: wanted.systemPrompt ?? "",
    inference_profile_arn_map: formatJsonText(
      row?.inference_profile_arn_map,
      wanted.inferenceProfileArns,
    ),
    testing_model: wanted.testingModel ?? "",
    ...(wanted.groups && { group: wanted.groups.join(",") }),
    // An edit ignores an empty text here.
    config: config === "" && row !== undefined && row.config !== "" ? "{}" : config,
    priority: wanted.priority ?? 0,
    weight: wanted.weight ?? 0,
    ratelimit: wanted.ratelimit ?? 0,
    tag: wanted.tag ?? "",
  };
}

const readReference = (...parts: string[]): string =>
  readSecretReference("TOLLGATE_CHANNEL", ...parts);

/** `externalId`: by which a document finds it. */
export function buildConfiguredChannel(row: ChannelRow, externalId: string): ConfiguredChannel {
  const json = (text: string | null) => {
    const value = parseReply(text);
    return isEmpty(value) ? undefined : value;
  };
  const config = json(row.config);
  const isDefaultUrl = row.base_url === (findChannelType(row.type)?.defaultBaseUrl ?? "");
  return stripUndefined({
    name: row.name,
    externalId: externalId === row.name ? undefined : externalId,
    type: formatTypeName(row.type),
    key: row.key_sealed === "" ? undefined : readReference(externalId),
    enabled: row.status === channelStatus.disabled ? false : undefined,
    baseUrl: isDefaultUrl ? undefined : row.base_url,
    other: row.other || undefined,
    models: row.models === "" ? undefined : listed(row.models),
    hiddenModels: json(row.hidden_models) as string[] | undefined,
    modelMapping: json(row.model_mapping) as Record<string, string> | undefined,
    modelConfigs: json(row.model_configs) as Record<string, unknown> | undefined,
    systemPrompt: row.system_prompt || undefined,
    inferenceProfileArns: json(row.inference_profile_arn_map) as Record<string, string> | undefined,
    testingModel: row.testing_model || undefined,
    groups: row.group === "" ? undefined : listed(row.group),
    config: isJsonRecord(config) ? addReferences(config, externalId) : undefined,
    priority: row.priority || undefined,
    weight: row.weight || undefined,
    ratelimit: row.ratelimit || undefined,
    tag: row.tag || undefined,
  });
}

function addReferences(
  config: Record<string, unknown>,
  externalId: string,
): Record<string, unknown> {
  const { custom_headers: headers } = config;
  if (!isJsonRecord(headers)) return config;
  const referenced = Object.entries(headers).map(([name, shown]) => [
    name,
    shown === headerMask ? readReference(externalId, name) : shown,
  ]);
  return { ...config, custom_headers: Object.fromEntries(referenced) };
}

const stripUndefined = (
  channel: { [Name in keyof ConfiguredChannel]: ConfiguredChannel[Name] | undefined },
) =>
  Object.fromEntries(
    Object.entries(channel).filter(([, value]) => value !== undefined),
  ) as ConfiguredChannel;
