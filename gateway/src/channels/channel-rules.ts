/** What a request makes of a channel. Pure. */
import type { ChannelChange, ChannelInput } from "@tollgate/contract/channel-input.ts";
import { isJson, otherHoldsJson, otherMessage } from "@tollgate/contract/channel-json.ts";
import { channelType } from "@tollgate/contract/channel-types.ts";
import { channelStatus } from "@tollgate/contract/channels.ts";
import { refuse } from "../http/refusal.ts";
import type { ChannelRow } from "../storage/schema.ts";
import { hostOf, separateSecrets } from "./channel-key.ts";

/** The columns that requests set; the key is sealed by whoever writes the row. */
export type ChannelColumns = Pick<
  ChannelRow,
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
  | "key_host"
>;

export interface Outcome {
  columns: ChannelColumns;
  /** The key in clear where the request brought one. */
  key: string | undefined;
}

const orNull = (text: string | null | undefined) => text || null;
const listed = (model: string | null, models: string) =>
  model !== null && models.split(",").includes(model) ? model : null;

export function createdChannel(input: ChannelInput): Outcome {
  const { type, name } = input;
  const models = input.models ?? "";
  const base_url = input.base_url || channelType(type)?.defaultBaseUrl || "";
  const { config, key } = separateSecrets(type, input.config ?? "", input.key);
  return {
    key,
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
      testing_model: listed(orNull(input.testing_model), models),
      group: input.group || "default",
      config,
      priority: input.priority ?? 0,
      weight: input.weight ?? 0,
      ratelimit: input.ratelimit ?? 0,
      key_host: hostOf(type, base_url),
    },
  };
}

/** Present counts for these: null and "" clear; a missing member keeps. */
const cleared = (kept: string | null, said: string | null | undefined) => (said === undefined ? kept : said || null);

export function changedChannel(
  kept: ChannelColumns & { key_hint: string },
  said: ChannelChange,
  hasKey: boolean,
): Outcome {
  // Name, type, models, group, status and config: what is empty is skipped.
  const type = said.type || kept.type;
  const models = said.models || kept.models;
  // Address, other, weight, priority and limit: null is skipped, "" and 0 are values.
  const base_url = said.base_url ?? kept.base_url;
  const other = said.other ?? kept.other;
  if (other !== "" && said.other !== undefined && otherHoldsJson(type) && !isJson(other))
    throw refuse("invalid_request", { message: otherMessage, fields: { other: otherMessage } });

  const { config, key } = separateSecrets(type, said.config || kept.config, said.key?.trim() ?? "");
  const key_host = hostOf(type, base_url);
  // Otherwise whoever may edit a channel could have its key sent to a host of their own.
  if (key_host !== kept.key_host && key === "" && hasKey)
    throw refuse("channel_key_required", { fields: { key: "Please enter the API key again" } });

  const status = said.status || kept.status;
  return {
    key: key === "" ? undefined : key,
    columns: {
      name: said.name ?? kept.name,
      type,
      status,
      disabled_reason: status === channelStatus.autoDisabled ? kept.disabled_reason : "",
      base_url,
      other,
      models,
      hidden_models: cleared(kept.hidden_models, said.hidden_models),
      model_mapping: cleared(kept.model_mapping, said.model_mapping),
      model_configs: cleared(kept.model_configs, said.model_configs),
      system_prompt: cleared(kept.system_prompt, said.system_prompt),
      inference_profile_arn_map: cleared(kept.inference_profile_arn_map, said.inference_profile_arn_map),
      testing_model: listed(cleared(kept.testing_model, said.testing_model), models),
      group: said.group || kept.group,
      config,
      priority: said.priority ?? kept.priority,
      weight: said.weight ?? kept.weight,
      ratelimit: said.ratelimit ?? kept.ratelimit,
      key_host,
    },
  };
}

/** For the audit trail: what differs, without anything secret. */
export function differences(
  before: ChannelColumns,
  after: ChannelColumns,
  keyChanged: boolean,
): Record<string, unknown> {
  const hidden = new Set(["config"]);
  const names = Object.keys(after) as (keyof ChannelColumns)[];
  const changed = names.filter((name) => before[name] !== after[name]);
  return {
    ...Object.fromEntries(changed.map((name) => [name, hidden.has(name) ? "changed" : after[name]])),
    ...(keyChanged && { key: "changed" }),
  };
}
