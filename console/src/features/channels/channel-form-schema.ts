/** Validation of the channel form. */

import { readKeyDestination } from "@tollgate/contract/accounts/key-destination.ts";
import type { ChannelIssue } from "@tollgate/contract/catalogue/channel-issues.ts";
import {
  findCozeKeyIssue,
  findModelConfigsIssue,
  isJson,
  isJsonObject,
  otherHoldsJson,
  stripIssue,
} from "@tollgate/contract/catalogue/channel-json.ts";
import {
  findHeaderIssue,
  findOverridesIssue,
  isBuyingFactor,
} from "@tollgate/contract/catalogue/channel-overrides.ts";
import { channelTypeIds, requiresKey } from "@tollgate/contract/catalogue/channel-types.ts";
import type { Channel } from "@tollgate/contract/catalogue/channels.ts";
import * as z from "zod/mini";
import {
  buildChannelForm,
  buildTextsToSend,
  type ChannelFormOutput,
  type ChannelFormValues,
  type ChannelHeader,
  readKeyToSend,
} from "./channel-form-values.ts";
import { buildCompositeKey, type SettingName, settingNames } from "./channel-settings.ts";

/** The translated validation messages. */
export type ChannelFormMessages = {
  name: string;
  type: string;
  key: string;
  keyRequiredAgain: string;
  keysRequiredAgain: string;
  remainingKey: string;
  headerRequired: string;
  headerRequiredAgain: string;
  headerRepeated: string;
  required: string;
  mapping: string;
  other: string;
  config: string;
  arnMap: string;
  priority: string;
  weight: string;
  ratelimit: string;
  buyingFactor: string;
  issue: (issue: ChannelIssue) => string;
};

type ChannelFormIssue = { path: string[]; message: string };

/** `read` is the edited channel; undefined for a new one, which requires a key. */
export function defineChannelFormSchema(
  messages: ChannelFormMessages,
  read: Channel | undefined,
): z.ZodMiniType<ChannelFormOutput, ChannelFormValues> {
  const text = () => z.string().check(z.trim());
  const jsonText = (isValid: (text: string) => boolean, message: string) =>
    text().check(z.refine(isValid, message));
  const whole = (message: string, min?: number) =>
    z.pipe(
      text().check(z.regex(/^-?\d+$/, message)),
      z.pipe(
        z.transform((digits: string) => Number(digits)),
        min === undefined ? z.int(message) : z.int(message).check(z.minimum(min, message)),
      ),
    );
  return z
    .object({
      name: text().check(z.minLength(1, messages.name)),
      type: whole(messages.type, 1),
      key: text(),
      multi_key: z.boolean(),
      pass_cost_members: z.boolean(),
      false_usage: text(),
      buying_factor: text().check(z.refine(isFactorText, messages.buyingFactor)),
      allow_unknown_state: z.boolean(),
      mark_prompt_cache: z.boolean(),
      key_added: z.boolean(),
      base_url: z.string(),
      models: z.array(z.string()),
      model_mapping: jsonText(isJsonObject, messages.mapping),
      model_configs: text().check(stripIssue(findModelConfigsIssue, { message: messages.issue })),
      groups: z.array(z.string()),
      priority: whole(messages.priority),
      weight: whole(messages.weight, 0),
      ratelimit: whole(messages.ratelimit, 0),
      tag: text(),
      system_prompt: z.string(),
      headers: z.array(z.object({ name: text(), value: z.string(), isStored: z.boolean() })),
      other: text(),
      config: jsonText(isJsonObject, messages.config).check(
        stripIssue(findOverridesIssue, { message: messages.issue }),
      ),
      inference_profile_arn_map: jsonText(isJsonObject, messages.arnMap),
      settings: z.record(z.enum(settingNames), text()),
    })
    .check((context) => {
      for (const issue of listCrossFieldIssues(context.value, messages, read))
        context.issues.push({ code: "custom", input: context.value, ...issue });
    });
}

const isFactorText = (text: string): boolean =>
  text === "" || (/^\d+(\.\d+)?$/.test(text) && isBuyingFactor(Number(text)));

function listCrossFieldIssues(
  values: ChannelFormOutput,
  messages: ChannelFormMessages,
  read: Channel | undefined,
): ChannelFormIssue[] {
  const { type, other } = values;
  return [
    ...listKeyIssues(values, messages, read),
    ...listHeaderIssues(values, messages, read),
    ...(otherHoldsJson(type) && !isJson(other)
      ? [{ path: ["other"], message: messages.other }]
      : []),
  ];
}

/** An Amazon Bedrock API key, which needs no access key. */
const isBedrockApiKey = (text: string): boolean => /^(ABSK|bedrock-api-key-)/.test(text);

function listKeyIssues(
  values: ChannelFormOutput,
  messages: ChannelFormMessages,
  read: Channel | undefined,
): ChannelFormIssue[] {
  const { type, settings } = values;
  const key = readKeyToSend(values, read);
  const compositeKey = buildCompositeKey(type);
  const path = compositeKey === undefined ? ["key"] : ["settings", compositeKey.secret];

  if (compositeKey !== undefined) {
    const readSettings = read?.type === type ? buildChannelForm(read).settings : undefined;
    const changed = compositeKey.parts.filter(
      (part) => settings[part] !== readSettings?.[part].trim(),
    );
    if (changed.length === 0) return [];
    const isOptional = (part: SettingName): boolean =>
      part === "ak" && isBedrockApiKey(settings.sk);
    const missing = compositeKey.parts.filter(
      (part) => part !== compositeKey.secret && settings[part] === "" && !isOptional(part),
    );
    // A changed access key requires its secret; the region may change alone.
    const needsSecret = readSettings === undefined || changed.includes("ak");
    return [
      ...missing.map((part) => ({ path: ["settings", part], message: messages.required })),
      ...(needsSecret && settings[compositeKey.secret] === ""
        ? [{ path, message: messages.key }]
        : []),
    ];
  }
  if (key === "") {
    if (read === undefined) return requiresKey(type) ? [{ path, message: messages.key }] : [];
    if (needsKeyAgain(values, read)) return [{ path, message: messages.keyRequiredAgain }];
    if (!values.multi_key && read.keys.length > 1)
      return [{ path, message: messages.remainingKey }];
  } else if (
    read !== undefined &&
    values.multi_key &&
    values.key_added &&
    needsKeyAgain(values, read)
  ) {
    return [{ path, message: messages.keysRequiredAgain }];
  }
  if (type !== channelTypeIds.coze || settings.auth_type !== "oauth_jwt") return [];
  // Without `oauth_jwt` the stored key is a personal access token.
  const wasPersonalToken =
    read === undefined || buildChannelForm(read).settings.auth_type !== "oauth_jwt";
  if (key === "") return wasPersonalToken ? [{ path, message: messages.key }] : [];
  const issue = findCozeKeyIssue(key);
  return issue === undefined ? [] : [{ path, message: messages.issue(issue) }];
}

/** The gateway binds the secrets of a channel to their destination. */
function changesDestination(values: ChannelFormOutput, read: Channel): boolean {
  const { config } = buildTextsToSend(values, read);
  return (
    readKeyDestination({ type: values.type, base_url: values.base_url, config }) !==
    readKeyDestination(read)
  );
}

/** Compatible servers send no `key_hint`, and do not bind the key. */
const needsKeyAgain = (values: ChannelFormOutput, read: Channel): boolean =>
  read.key_hint !== "" && changesDestination(values, read);

function listHeaderIssues(
  values: ChannelFormOutput,
  messages: ChannelFormMessages,
  read: Channel | undefined,
): ChannelFormIssue[] {
  const { headers } = values;
  const isMoved = read !== undefined && changesDestination(values, read);
  const messageFor = ({ name, value, isStored }: ChannelHeader, at: number): string | undefined => {
    if (isStored) return isMoved ? messages.headerRequiredAgain : undefined;
    const isRepeated = headers.some(
      (header, other) => other < at && header.name.toLowerCase() === name.toLowerCase(),
    );
    if (isRepeated) return messages.headerRepeated;
    const issue = findHeaderIssue(name, value);
    return issue !== undefined
      ? messages.issue(issue)
      : value === ""
        ? messages.headerRequired
        : undefined;
  };
  return headers.flatMap((header, at) => {
    const message = messageFor(header, at);
    const field =
      header.isStored || (message === messages.headerRequired && header.name !== "")
        ? "value"
        : "name";
    return message === undefined ? [] : [{ path: ["headers", String(at), field], message }];
  });
}
