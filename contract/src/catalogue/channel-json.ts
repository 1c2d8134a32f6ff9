/** Checks of the channel fields that hold JSON as text. */

import * as z from "zod/mini";
import { isJsonRecord } from "../api/json-record.ts";
import { prose } from "../api/scalars.ts";
import {
  buildChannelIssue,
  type ChannelIssue,
  formatChannelIssueMessage,
} from "./channel-issues.ts";
import { channelTypeIds as ids } from "./channel-types.ts";
import { modelPrices } from "./model-prices.ts";

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
export const formatJsonObjectText = (message: string) =>
  prose(jsonMax).check(z.refine(isJsonObject, message));

const isNames = (values: unknown[]) =>
  values.every((value) => typeof value === "string" && value !== "");

/** JSON text of an object whose values are names. */
export const formatJsonNamesText = (message: string) =>
  formatJsonObjectText(message).check(
    z.refine((text) => {
      const names = read(text);
      return !isJsonRecord(names) || isNames(Object.values(names));
    }, message),
  );

/** JSON text of a list of names. */
export const formatJsonListText = (message: string) =>
  prose(jsonMax).check(
    z.refine((text) => {
      const names = read(text);
      return text === "" || (Array.isArray(names) && isNames(names));
    }, message),
  );

const isRatio = (value: unknown) =>
  typeof value === "number" && Number.isFinite(value) && value >= 0;

/** The first issue in a `model_configs` text. */
export function findModelConfigsIssue(text: string): ChannelIssue | undefined {
  if (text === "") return;
  const configs = read(text);
  if (!isJsonRecord(configs)) return buildChannelIssue("configs_not_object");
  for (const [model, config] of Object.entries(configs)) {
    if (model.trim() === "") return buildChannelIssue("config_name_empty");
    if (!isJsonRecord(config)) return buildChannelIssue("config_not_object", { model });
    for (const field of ["ratio", "completion_ratio"])
      if (config[field] !== undefined && !isRatio(config[field]))
        return buildChannelIssue("config_not_number", { field, model });
    const limit = config.max_tokens;
    if (limit !== undefined && !(isRatio(limit) && Number.isSafeInteger(limit)))
      return buildChannelIssue("config_not_integer", { field: "max_tokens", model });
    for (const name of ["prices", "buying_prices"]) {
      const wrong =
        config[name] === undefined ? undefined : z.safeParse(modelPrices, config[name]).error;
      if (!wrong) continue;
      const field = [name, ...(wrong.issues[0]?.path ?? [])].join(".");
      return buildChannelIssue("config_prices", { field, model });
    }
    // An entry that prices only other things (images, audio, cached tokens) comes from later
    // servers and is kept.
    if (Object.keys(config).length === 0) return buildChannelIssue("config_empty", { model });
  }
}

/** A zod check that fails with a sentence on the issue that `find` returns. */
export const stripIssue = <Value>(
  find: (value: Value) => ChannelIssue | undefined,
  {
    path = [],
    message = formatChannelIssueMessage,
  }: { path?: PropertyKey[]; message?(issue: ChannelIssue): string } = {},
) =>
  z.refine<Value>((value) => find(value) === undefined, {
    error: ({ input }) => {
      const issue = find(input as Value);
      return issue && message(issue);
    },
    path,
  });

export const modelConfigsText = prose(jsonMax).check(stripIssue(findModelConfigsIssue));

/** Types whose `other` is a plain version, library or plugin name. */
const plainOther = new Set<number>([ids.azure, ids.qianwen, ids.spark, ids.library, ids.gemini]);
export const otherHoldsJson = (type: number) => !plainOther.has(type);
export const otherMessage = "Invalid JSON format in other configuration";

const cozeFields = [
  "client_type",
  "client_id",
  "coze_www_base",
  "coze_api_base",
  "private_key",
  "public_key_id",
];

/** `findCozeKeyIssue` gives what a Coze key with `oauth_jwt` lacks. */
export function findCozeKeyIssue(key: string): ChannelIssue | undefined {
  const parts = read(key);
  if (!isJsonRecord(parts)) return buildChannelIssue("coze_key_not_json");
  const field = cozeFields.find((name) => typeof parts[name] !== "string" || parts[name] === "");
  return field === undefined ? undefined : buildChannelIssue("coze_field_missing", { field });
}
