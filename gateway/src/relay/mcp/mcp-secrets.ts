/**
 * The words of a server go to clients as they are, except for the credentials that the gateway sent
 * it. Pure.
 */
import { makeSecretCleaner } from "../upstream/redact-secrets.ts";
import { isRecord, type JsonRecord } from "../wire/json-parts.ts";

/**
 * The value without the secrets wherever a text holds one in any spelling, also in names of members
 * and in JSON within texts. The value must not be nested deeper than the stack allows.
 */
export const stripSecrets = (value: JsonRecord, secrets: readonly string[]): JsonRecord =>
  secrets.length === 0 ? value : (cleanText(value, makeSecretCleaner(secrets)) as JsonRecord);

function cleanText(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === "string") return clean(value);
  if (Array.isArray(value)) return value.map((item) => cleanText(item, clean));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [clean(name), cleanText(member, clean)]),
  );
}
