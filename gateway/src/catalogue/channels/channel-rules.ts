/** The columns that a request sets on a channel. Pure. */

import { readKeyDestination } from "@tollgate/contract/accounts/key-destination.ts";
import {
  type ChannelChange,
  type ChannelInput,
  isOfferedType,
} from "@tollgate/contract/catalogue/channel-input.ts";
import { isJson, otherHoldsJson, otherMessage } from "@tollgate/contract/catalogue/channel-json.ts";
import { findChannelType, requiresKey } from "@tollgate/contract/catalogue/channel-types.ts";
import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import { listsModel } from "@tollgate/contract/catalogue/model-patterns.ts";
import { buildMemberChanges } from "../../http/member-changes.ts";
import { refuse } from "../../http/refusal.ts";
import type { ChannelsTable } from "../../storage/tables/channel-tables.ts";
import { type HeaderValues, splitHeaders } from "./channel-headers.ts";
import { extractSecrets } from "./channel-key.ts";

/** Columns a request may set. The caller encrypts the key. */
export type ChannelColumns = Pick<
  ChannelsTable,
  | "name"
  | "type"
  | "status"
  | "disabled_reason"
  | "base_url"
  | "other"
  | "models"
  | "hidden_models"
  | "model_mapping"
  | "model_configs"
  | "system_prompt"
  | "inference_profile_arn_map"
  | "testing_model"
  | "group"
  | "config"
  | "priority"
  | "weight"
  | "ratelimit"
  | "tag"
  | "external_id"
>;

export interface ChannelEdit {
  columns: ChannelColumns;
  /** The key in plain text, if the request has one. */
  key: string | undefined;
  /** The values of all custom headers in plain text. */
  headers: HeaderValues;
  /** `isMoved` says whether the channel sends its secrets elsewhere from now on. */
  isMoved: boolean;
}

/** `StoredSecrets` are what an edit needs to know of the stored secrets. */
export interface StoredSecrets {
  hasKey: boolean;
  headers: HeaderValues;
}

const orNull = (text: string | null | undefined) => text || null;
const findListedModel = (model: string | null, models: string) =>
  model !== null && listsModel(models.split(","), model) ? model : null;

export function buildCreatedChannel(input: ChannelInput): ChannelEdit {
  const { type, name } = input;
  const models = input.models ?? "";
  const base_url = input.base_url || findChannelType(type)?.defaultBaseUrl || "";
  const extracted = extractSecrets(type, input.config ?? "", input.key);
  const { config, values: headers } = splitHeaders(extracted.config, {});
  return {
    key: extracted.key,
    headers,
    isMoved: false,
    columns: {
      name,
      type,
      status: input.status || channelStatus.enabled,
      disabled_reason: "",
      base_url,
      other: input.other ?? "",
      models,
      hidden_models: orNull(input.hidden_models),
      model_mapping: orNull(input.model_mapping),
      model_configs: orNull(input.model_configs),
      system_prompt: orNull(input.system_prompt),
      inference_profile_arn_map: orNull(input.inference_profile_arn_map),
      testing_model: findListedModel(orNull(input.testing_model), models),
      group: input.group || "default",
      config,
      priority: input.priority ?? 0,
      weight: input.weight ?? 0,
      ratelimit: input.ratelimit ?? 0,
      tag: input.tag ?? "",
      external_id: orNull(input.external_id),
    },
  };
}

/**
 * `checkKey` refuses a channel without a key, whose every call would fail, except at providers that
 * need none. Imports keep the keys that they find.
 */
export function checkKey(type: number, hasKey: boolean): void {
  if (hasKey || !requiresKey(type)) return;
  const message = "API key is required";
  throw refuse("invalid_request", { message, fields: { key: message } });
}

/** A missing member keeps the value; null and "" clear it. */
const clearable = (stored: string | null, edit: string | null | undefined) =>
  edit === undefined ? stored : edit || null;

export function changeChannel(
  stored: ChannelColumns,
  edit: ChannelChange,
  secrets: StoredSecrets,
): ChannelEdit {
  // Name, type, models, group, status and config: an empty value is ignored.
  const type = edit.type || stored.type;
  if (type !== stored.type && !isOfferedType(type)) {
    const message = "This gateway does not serve channels of this type";
    throw refuse("invalid_request", { message, fields: { type: message } });
  }
  const models = edit.models || stored.models;
  // Address, other, weight, priority, limit and tag: null is ignored, "" and 0 are values.
  const base_url = edit.base_url ?? stored.base_url;
  const other = edit.other ?? stored.other;
  if (other !== "" && edit.other !== undefined && otherHoldsJson(type) && !isJson(other))
    throw refuse("invalid_request", { message: otherMessage, fields: { other: otherMessage } });

  const { config: given, key } = extractSecrets(
    type,
    edit.config || stored.config,
    edit.key?.trim() ?? "",
  );
  // Otherwise an administrator could have the stored secrets sent to another destination.
  const isMoved =
    readKeyDestination({ type, base_url, config: given }) !== readKeyDestination(stored);
  if (isMoved && key === "" && secrets.hasKey)
    throw refuse("channel_key_required", { fields: { key: "Please enter the API key again" } });
  // A channel from before this rule may be edited; only a change of type asks for what it lacks.
  if (type !== stored.type) checkKey(type, key !== "" || secrets.hasKey);
  const { config, values: headers } = splitHeaders(given, isMoved ? {} : secrets.headers);

  const status = edit.status || stored.status;
  return {
    key: key === "" ? undefined : key,
    headers,
    isMoved,
    columns: {
      name: edit.name ?? stored.name,
      type,
      status,
      disabled_reason: status === channelStatus.autoDisabled ? stored.disabled_reason : "",
      base_url,
      other,
      models,
      hidden_models: clearable(stored.hidden_models, edit.hidden_models),
      model_mapping: clearable(stored.model_mapping, edit.model_mapping),
      model_configs: clearable(stored.model_configs, edit.model_configs),
      system_prompt: clearable(stored.system_prompt, edit.system_prompt),
      inference_profile_arn_map: clearable(
        stored.inference_profile_arn_map,
        edit.inference_profile_arn_map,
      ),
      testing_model: findListedModel(clearable(stored.testing_model, edit.testing_model), models),
      group: edit.group || stored.group,
      config,
      priority: edit.priority ?? stored.priority,
      weight: edit.weight ?? stored.weight,
      ratelimit: edit.ratelimit ?? stored.ratelimit,
      tag: edit.tag ?? stored.tag,
      external_id: clearable(stored.external_id, edit.external_id),
    },
  };
}

/** The changed columns without secrets, for the audit trail. */
export function listDifferences(
  before: ChannelColumns,
  after: ChannelColumns,
  { isKeyChanged, areHeadersChanged }: { isKeyChanged: boolean; areHeadersChanged: boolean },
): Record<string, unknown> {
  const { config, ...changes } = buildMemberChanges(before, after);
  return {
    ...changes,
    ...(config && { config: "changed" }),
    ...(isKeyChanged && { key: "changed" }),
    ...(areHeadersChanged && { custom_headers: "changed" }),
  };
}
