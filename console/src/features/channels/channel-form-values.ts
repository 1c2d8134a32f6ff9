import { isJson, isJsonObject, modelConfigsTrouble, otherHoldsJson } from "@tollgate/contract/channel-json.ts";
import { channelType } from "@tollgate/contract/channel-types.ts";
import type { Channel, createChannel, updateChannel } from "@tollgate/contract/channels.ts";
import type { BodyIn } from "@tollgate/contract/endpoint.ts";
import * as z from "zod/mini";
import { bothIds } from "../../wire.ts";
import { groupNames, listed, plainBaseUrl } from "./channel-rules.ts";

/** What the form holds: text as typed. JSON stays text, so that members nobody knows here survive an edit. */
export type ChannelFormValues = {
  name: string;
  type: string;
  key: string;
  base_url: string;
  models: string[];
  model_mapping: string;
  model_configs: string;
  groups: string[];
  priority: string;
  weight: string;
  ratelimit: string;
  system_prompt: string;
  other: string;
  config: string;
  inference_profile_arn_map: string;
};

type Numbers = "type" | "priority" | "weight" | "ratelimit";
/** What the schema makes of it. */
export type CheckedChannel = Omit<ChannelFormValues, Numbers> & Record<Numbers, number>;

/** What the form says when it refuses, in the reader's language. */
export type ChannelFormWords = {
  name: string;
  type: string;
  key: string;
  keyAgain: string;
  mapping: string;
  other: string;
  config: string;
  arnMap: string;
  priority: string;
  weight: string;
  ratelimit: string;
  configs: (trouble: string) => string;
};

export const newChannel: ChannelFormValues = {
  name: "",
  type: "1",
  key: "",
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
};

/** `read` is the channel that is edited; without one the key is required. */
export function channelFormSchema(
  words: ChannelFormWords,
  read: Channel | undefined,
): z.ZodMiniType<CheckedChannel, ChannelFormValues> {
  const json = (fits: (text: string) => boolean, message: string) =>
    z.string().check(z.trim(), z.refine(fits, message));
  const whole = (message: string, least?: number) =>
    z.pipe(
      z.string().check(z.trim(), z.regex(/^-?\d+$/, message)),
      z.pipe(
        z.transform((digits: string) => Number(digits)),
        least === undefined ? z.int(message) : z.int(message).check(z.minimum(least, message)),
      ),
    );
  return z
    .object({
      name: z.string().check(z.trim(), z.minLength(1, words.name)),
      type: whole(words.type, 1),
      key: z.string().check(z.trim()),
      base_url: z.string(),
      models: z.array(z.string()),
      model_mapping: json(isJsonObject, words.mapping),
      model_configs: z.string().check(
        z.trim(),
        z.refine((text) => modelConfigsTrouble(text) === undefined, {
          error: (issue) => words.configs(modelConfigsTrouble(String(issue.input)) ?? ""),
        }),
      ),
      groups: z.array(z.string()),
      priority: whole(words.priority),
      weight: whole(words.weight, 0),
      ratelimit: whole(words.ratelimit, 0),
      system_prompt: z.string(),
      other: z.string().check(z.trim()),
      config: json(isJsonObject, words.config),
      inference_profile_arn_map: json(isJsonObject, words.arnMap),
    })
    .check(
      z.refine((values) => values.key !== "" || read !== undefined, { error: words.key, path: ["key"] }),
      z.refine((values) => values.key !== "" || read === undefined || !movesHost(values, read), {
        error: words.keyAgain,
        path: ["key"],
      }),
      z.refine(({ type, other }) => !otherHoldsJson(type) || isJson(other), { error: words.other, path: ["other"] }),
    );
}

/** A key is good for the host it was entered for. */
function movesHost({ type, base_url }: CheckedChannel, read: Channel): boolean {
  return read.key_hint !== "" && hostOf(type, base_url) !== hostOf(read.type, read.base_url);
}

function hostOf(type: number, baseUrl: string): string {
  const address = plainBaseUrl(baseUrl) || (channelType(type)?.defaultBaseUrl ?? "");
  return URL.parse(address)?.host ?? address;
}

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
    other: channel.other ?? "",
    config: channel.config ?? "",
    inference_profile_arn_map: channel.inference_profile_arn_map ?? "",
  };
}

export function toCreation(values: CheckedChannel): BodyIn<typeof createChannel> {
  return { ...shared(values), other: orNull(values.other), config: values.config, key: values.key };
}

export function toChange(values: CheckedChannel, read: Channel): BodyIn<typeof updateChannel> {
  return {
    ...bothIds(read),
    ...shared(values),
    // A null leaves `other` as it is and an empty `config` too: what was emptied here has to be said in so many words.
    other: orNull(values.other) ?? (read.other ? "" : null),
    config: values.config || (read.config ? "{}" : ""),
    ...(values.key === "" ? {} : { key: values.key }),
    updated_at: read.updated_at,
  };
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
