/** Checks of the channel fields that hold JSON as text, with the messages that the form shows. */
import * as z from "zod/mini";
import { prose } from "./scalars.ts";

const jsonMax = 200_000;
const read = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isJson = (text: string) => text === "" || read(text) !== undefined;
export const isJsonObject = (text: string) => text === "" || isObject(read(text));

/** JSON text of an object; empty means none. */
export const jsonObjectText = (message: string) => prose(jsonMax).check(z.refine(isJsonObject, message));

const isNames = (values: unknown[]) => values.every((value) => typeof value === "string" && value !== "");

/** JSON text of an object whose values are names. */
export const jsonNamesText = (message: string) =>
  jsonObjectText(message).check(
    z.refine((text) => {
      const names = read(text);
      return !isObject(names) || isNames(Object.values(names));
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

/** The first thing wrong with a `model_configs` text, in words, or nothing. */
export function modelConfigsIssue(text: string): string | undefined {
  if (text === "") return;
  const configs = read(text);
  if (!isObject(configs)) return "Model configs must be a JSON object";
  for (const [model, config] of Object.entries(configs)) {
    if (model.trim() === "") return "Model name cannot be empty";
    if (!isObject(config)) return `Configuration for model "${model}" must be an object`;
    for (const field of ["ratio", "completion_ratio"])
      if (config[field] !== undefined && !isRatio(config[field]))
        return `Invalid ${field} for model "${model}": must be a non-negative number`;
    const limit = config.max_tokens;
    if (limit !== undefined && !(isRatio(limit) && Number.isSafeInteger(limit)))
      return `Invalid max_tokens for model "${model}": must be a non-negative integer`;
    // An entry that only prices other things (images, audio, cached tokens) is one of the later servers' and kept.
    if (Object.keys(config).length === 0)
      return `Configuration for model "${model}" must have ratio, completion_ratio or max_tokens`;
  }
}

export const modelConfigsText = prose(jsonMax).check(
  z.refine((text) => modelConfigsIssue(text) === undefined, {
    error: (issue) => modelConfigsIssue(String(issue.input)) ?? "Model configs must be a JSON object",
  }),
);

/** Types whose `other` is a plain version, library or plugin name: Azure, Qianwen, Spark, AI Proxy library, Gemini. */
const plainOther = new Set([3, 17, 18, 21, 24]);
export const otherHoldsJson = (type: number) => !plainOther.has(type);
export const otherMessage = "Invalid JSON format in other configuration";

const cozeFields = ["client_type", "client_id", "coze_www_base", "coze_api_base", "private_key", "public_key_id"];

/** What a Coze key with `oauth_jwt` lacks, in words, or nothing. */
export function cozeKeyIssue(key: string): string | undefined {
  const parts = read(key);
  if (!isObject(parts)) return "The key must be valid JSON for OAuth JWT";
  const missing = cozeFields.find((field) => typeof parts[field] !== "string" || parts[field] === "");
  return missing && `Missing required field: ${missing}`;
}
