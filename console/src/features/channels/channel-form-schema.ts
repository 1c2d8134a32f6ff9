/** What the channel form accepts, and what it says when it does not. */
import {
  cozeKeyIssue,
  isJson,
  isJsonObject,
  modelConfigsIssue,
  otherHoldsJson,
} from "@tollgate/contract/channel-json.ts";
import { overridesIssue } from "@tollgate/contract/channel-overrides.ts";
import { channelType } from "@tollgate/contract/channel-types.ts";
import type { Channel } from "@tollgate/contract/channels.ts";
import * as z from "zod/mini";
import { type ChannelFormValues, type CheckedChannel, keyIn, toForm } from "./channel-form-values.ts";
import { plainBaseUrl } from "./channel-rules.ts";
import { channelTypeIds, joinedKey, type SettingName, settingNames } from "./channel-settings.ts";

/** What the form says when it refuses, in the reader's language. */
export type ChannelFormWords = {
  name: string;
  type: string;
  key: string;
  keyAgain: string;
  keysAgain: string;
  keyThatStays: string;
  required: string;
  mapping: string;
  other: string;
  config: string;
  arnMap: string;
  priority: string;
  weight: string;
  ratelimit: string;
  overrides: (trouble: string) => string;
  configs: (trouble: string) => string;
  coze: (trouble: string) => string;
};

type Trouble = { path: string[]; message: string };

/** `read` is the channel that is edited; without one the key is required. */
export function channelFormSchema(
  words: ChannelFormWords,
  read: Channel | undefined,
): z.ZodMiniType<CheckedChannel, ChannelFormValues> {
  const text = () => z.string().check(z.trim());
  const json = (fits: (text: string) => boolean, message: string) => text().check(z.refine(fits, message));
  const whole = (message: string, least?: number) =>
    z.pipe(
      text().check(z.regex(/^-?\d+$/, message)),
      z.pipe(
        z.transform((digits: string) => Number(digits)),
        least === undefined ? z.int(message) : z.int(message).check(z.minimum(least, message)),
      ),
    );
  return z
    .object({
      name: text().check(z.minLength(1, words.name)),
      type: whole(words.type, 1),
      key: text(),
      multi_key: z.boolean(),
      key_added: z.boolean(),
      base_url: z.string(),
      models: z.array(z.string()),
      model_mapping: json(isJsonObject, words.mapping),
      model_configs: text().check(
        z.refine((configs) => modelConfigsIssue(configs) === undefined, {
          error: (issue) => words.configs(modelConfigsIssue(String(issue.input)) ?? ""),
        }),
      ),
      groups: z.array(z.string()),
      priority: whole(words.priority),
      weight: whole(words.weight, 0),
      ratelimit: whole(words.ratelimit, 0),
      system_prompt: z.string(),
      other: text(),
      config: json(isJsonObject, words.config).check(
        z.refine((config) => overridesIssue(config) === undefined, {
          error: (issue) => words.overrides(overridesIssue(String(issue.input)) ?? ""),
        }),
      ),
      inference_profile_arn_map: json(isJsonObject, words.arnMap),
      settings: z.record(z.enum(settingNames), text()),
    })
    .check((context) => {
      for (const trouble of troublesIn(context.value, words, read))
        context.issues.push({ code: "custom", input: context.value, ...trouble });
    });
}

function troublesIn(values: CheckedChannel, words: ChannelFormWords, read: Channel | undefined): Trouble[] {
  const { type, other } = values;
  return [
    ...keyTroubles(values, words, read),
    ...(otherHoldsJson(type) && !isJson(other) ? [{ path: ["other"], message: words.other }] : []),
  ];
}

/** Amazon's key for Bedrock alone, which needs no access key beside it. */
const isBedrockApiKey = (text: string): boolean => /^(ABSK|bedrock-api-key-)/.test(text);

function keyTroubles(values: CheckedChannel, words: ChannelFormWords, read: Channel | undefined): Trouble[] {
  const { type, settings } = values;
  const key = keyIn(values, read);
  const joined = joinedKey(type);
  const place = joined === undefined ? ["key"] : ["settings", joined.secret];

  if (joined !== undefined) {
    const before = read?.type === type ? toForm(read).settings : undefined;
    const changed = joined.parts.filter((part) => settings[part] !== before?.[part].trim());
    if (changed.length === 0) return [];
    const isOptional = (part: SettingName): boolean => part === "ak" && isBedrockApiKey(settings.sk);
    const missing = joined.parts.filter((part) => part !== joined.secret && settings[part] === "" && !isOptional(part));
    // A new account needs its secret; the region may change alone.
    const needsSecret = before === undefined || changed.includes("ak");
    return [
      ...missing.map((part) => ({ path: ["settings", part], message: words.required })),
      ...(needsSecret && settings[joined.secret] === "" ? [{ path: place, message: words.key }] : []),
    ];
  }
  if (key === "") {
    if (read === undefined) return [{ path: place, message: words.key }];
    if (movesHost(values, read)) return [{ path: place, message: words.keyAgain }];
    if (!values.multi_key && (read.keys ?? []).length > 1) return [{ path: place, message: words.keyThatStays }];
  } else if (read !== undefined && values.multi_key && values.key_added && movesHost(values, read)) {
    return [{ path: place, message: words.keysAgain }];
  }
  if (type !== channelTypeIds.coze || settings.auth_type !== "oauth_jwt") return [];
  // What is stored is a personal access token.
  const wasOther = read === undefined || toForm(read).settings.auth_type !== "oauth_jwt";
  if (key === "") return wasOther ? [{ path: place, message: words.key }] : [];
  const trouble = cozeKeyIssue(key);
  return trouble === undefined ? [] : [{ path: place, message: words.coze(trouble) }];
}

/** A key is good for the host it was entered for. */
function movesHost({ type, base_url }: CheckedChannel, read: Channel): boolean {
  // Other servers do not tell whether a key is stored, and do not bind it to its host.
  return (read.key_hint ?? "") !== "" && hostOf(type, base_url) !== hostOf(read.type, read.base_url);
}

function hostOf(type: number, baseUrl: string | null): string {
  const address = plainBaseUrl(baseUrl) || (channelType(type)?.defaultBaseUrl ?? "");
  return URL.parse(address)?.host ?? address;
}
