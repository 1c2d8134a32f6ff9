/** Settings of the whole server. Values are text on the wire, whatever their type. */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { line, prose, unixMillis } from "../api/scalars.ts";

export const option = z.object({
  key: z.string(),
  value: z.string(),
  /** The value before root changes the setting; other servers of the family name none. */
  default_value: z.optional(z.string()),
  created_at: unixMillis,
  /** 0 for a default that was never changed. */
  updated_at: unixMillis,
});
export type Option = z.output<typeof option>;

/** Keys with these endings hold secrets: values can be replaced or cleared but never read. */
export const isSecretOption = (key: string) =>
  /(?:Token|Secret|SecretKey|Password|APIKey)$/.test(key);

export const listOptions = endpoint("GET", "/api/option/", {
  access: "root",
  scope: "options:read",
  summary: "All settings except secrets",
  data: z.array(option),
  /** Names of the secret settings that have a value. */
  extras: z.object({ secrets_set: z.array(z.string()) }),
});

export const optionValueMax = 200_000;

export const updateOption = endpoint("PUT", "/api/option/", {
  access: "root",
  scope: "options:write",
  summary: "Change one setting with immediate effect",
  body: z.object({
    key: line(100).check(z.minLength(1)),
    value: prose(optionValueMax),
    /**
     * Clears a secret. An empty value alone leaves it unchanged, since forms send that for an
     * untouched field.
     */
    clear: z.optional(z.boolean()),
  }),
});

export const getOwnVersion = endpoint("GET", "/api/option/update", {
  access: "root",
  scope: "options:read",
  summary: "The running version; no other server is contacted",
  data: z.object({ tag_name: z.string(), content: z.string() }),
});
