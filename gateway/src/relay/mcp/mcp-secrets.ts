/** What a server says goes to clients as it is, except for the credentials that the gateway sent it. Pure. */
import { isRecord, type JsonRecord } from "../wire/json-parts.ts";

const placeholder = "[key]";
/** Shorter values of headers are words and numbers, not credentials. */
const secretMin = 8;

/**
 * The value with each whole secret replaced wherever a text holds one, also in names of members and in JSON within texts. The value must
 * not be nested deeper than the stack allows.
 */
export function withoutSecrets(value: JsonRecord, secrets: readonly string[]): JsonRecord {
  const written = secrets
    .filter((secret) => secret.length >= secretMin)
    .flatMap((secret) => [secret, escaped(secret)])
    .sort((one, other) => other.length - one.length);
  return written.length === 0 ? value : (cleaned(value, written) as JsonRecord);
}

function cleaned(value: unknown, written: readonly string[]): unknown {
  const clean = (text: string): string => written.reduce((rest, secret) => rest.replaceAll(secret, placeholder), text);
  if (typeof value === "string") return clean(value);
  if (Array.isArray(value)) return value.map((item) => cleaned(item, written));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [clean(name), cleaned(member, written)]));
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);
