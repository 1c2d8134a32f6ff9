/** Settings of the whole server. Values are text on the wire, whatever they mean. */
import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";
import { line, prose, unixMillis } from "./scalars.ts";

export const option = z.object({
  key: z.string(),
  value: z.string(),
  created_at: unixMillis,
  /** 0 where nobody has changed the default. */
  updated_at: unixMillis,
});
export type Option = z.output<typeof option>;

/** Values of keys that end so are written and never read: they can be replaced or cleared. */
export const isSecretOption = (key: string) => /(?:Token|Secret|SecretKey|Password|APIKey)$/.test(key);

export const listOptions = endpoint("GET", "/api/option/", {
  access: "root",
  summary: "Every setting but the secret ones",
  data: z.array(option),
  /** Names of the secret settings that have a value. */
  extras: z.object({ secrets_set: z.array(z.string()) }),
});

export const optionValueMax = 200_000;

export const updateOption = endpoint("PUT", "/api/option/", {
  access: "root",
  summary: "Change one setting; in force at once",
  body: z.object({
    key: line(100).check(z.minLength(1)),
    value: prose(optionValueMax),
    /** An empty value leaves a secret as it is, as forms send it when nothing was typed; this clears it. */
    clear: z.optional(z.boolean()),
  }),
});

export const getOwnVersion = endpoint("GET", "/api/option/update", {
  access: "root",
  summary: "The version that runs here; nothing is asked of other servers",
  data: z.object({ tag_name: z.string(), content: z.string() }),
});
