/** Checks of the channel fields that hold JSON as text. */

import * as z from "zod/mini";
import { type ChannelIssue, channelIssue, channelIssueMessage } from "./channel-issues.ts";
import { channelTypeIds as ids } from "./channel-types.ts";
import { isJsonRecord } from "./json-record.ts";
import { modelPrices } from "./model-prices.ts";
import { prose } from "./scalars.ts";

const jsonMax = 200_000;
const read = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

export const isJson = (text: string) => text === "" || read(text) !== undefined;
export const isJsonObject = (text: string) => text === "" || isJsonRecord(read(text));

/** JSON text of an object; empty means none. */
export const jsonObjectText = (message: string) => prose(jsonMax).check(z.refine(isJsonObject, message));

const isNames = (values: unknown[]) => values.every((value) => typeof value === "string" && value !== "");

/** JSON text of an object whose values are names. */
export const jsonNamesText = (message: string) =>
  jsonObjectText(message).check(
    z.refine((text) => {
      const names = read(text);
      return !isJsonRecord(names) || isNames(Object.values(names));
    }, message),
  );

/** JSON text of a list of names. */
export const jsonListText = (message: string) =>
  prose(jsonMax).check(
    z.refine((text) => {
      const names = read(text);
      return text === "" || (Array.isArray(names) && isNames(names));
    }, message),
  );

const isRatio = (value: unknown) => typeof value === "number" && Number.isFinite(value) && value >= 0;

/** The first issue in a `model_configs` text. */
export function modelConfigsIssue(text: string): ChannelIssue | undefined {
  if (text === "") return;
  const configs = read(text);
  if (!isJsonRecord(configs)) return channelIssue("configs_not_object");
  for (const [model, config] of Object.entries(configs)) {
    if (model.trim() === "") return channelIssue("config_name_empty");
    if (!isJsonRecord(config)) return channelIssue("config_not_object", { model });
    for (const field of ["ratio", "completion_ratio"])
      if (config[field] !== undefined && !isRatio(config[field]))
        return channelIssue("config_not_number", { field, model });
    const limit = config.max_tokens;
    if (limit !== undefined && !(isRatio(limit) && Number.isSafeInteger(limit)))
      return channelIssue("config_not_integer", { field: "max_tokens", model });
    for (const name of ["prices", "buying_prices"]) {
      const wrong = config[name] === undefined ? undefined : z.safeParse(modelPrices, config[name]).error;
      if (!wrong) continue;
      const field = [name, ...(wrong.issues[0]?.path ?? [])].join(".");
      return channelIssue("config_prices", { field, model });
    }
    // An entry that prices only other things (images, audio, cached tokens) comes from later servers and is kept.
    if (Object.keys(config).length === 0) return channelIssue("config_empty", { model });
  }
}

/** A zod check that fails with a sentence on the issue that `find` returns. */
export const withoutIssue = <Value>(
  find: (value: Value) => ChannelIssue | undefined,
  { path = [], message = channelIssueMessage }: { path?: PropertyKey[]; message?(issue: ChannelIssue): string } = {},
) =>
  z.refine<Value>((value) => find(value) === undefined, {
    error: ({ input }) => {
      const issue = find(input as Value);
      return issue && message(issue);
    },
    path,
  });

export const modelConfigsText = prose(jsonMax).check(withoutIssue(modelConfigsIssue));

/** Types whose `other` is a plain version, library or plugin name. */
const plainOther = new Set<number>([ids.azure, ids.qianwen, ids.spark, ids.library, ids.gemini]);
export const otherHoldsJson = (type: number) => !plainOther.has(type);
export const otherMessage = "Invalid JSON format in other configuration";

const cozeFields = ["client_type", "client_id", "coze_www_base", "coze_api_base", "private_key", "public_key_id"];

/** What a Coze key with `oauth_jwt` lacks. */
export function cozeKeyIssue(key: string): ChannelIssue | undefined {
  const parts = read(key);
  if (!isJsonRecord(parts)) return channelIssue("coze_key_not_json");
  const field = cozeFields.find((name) => typeof parts[name] !== "string" || parts[name] === "");
  return field === undefined ? undefined : channelIssue("coze_field_missing", { field });
}
