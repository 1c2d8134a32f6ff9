/**
 * The user whom Telegram's login page signed with the token of the site's bot
 * (core.telegram.org/widgets/login, "Checking authorization"). Pure.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { isJsonRecord } from "@tollgate/contract/api/json-record.ts";
import {
  accountIdPatterns,
  cleanName,
  type ExternalIdentity,
  type RefusedIdentity,
} from "./external-rules.ts";

/**
 * The browser brings the signed user here at once; a signature that was found elsewhere later is
 * worth nothing.
 */
const signatureLifetimeMs = 5 * 60_000;
/** `clockToleranceMs` says how far Telegram's clock may be ahead. */
const clockToleranceMs = 60_000;

/** The number before the colon of a bot's token is public: it names the bot. */
export const composeTelegramBotId = (botToken: string): string => botToken.split(":")[0] ?? "";

function readSignedMembers(result: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(result, "base64url").toString("utf8"));
    return isJsonRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * `memberNames` are what the login page sends. Any other member may be a line of a name that a
 * stranger chose.
 */
const memberNames: ReadonlySet<string> = new Set([
  "id",
  "first_name",
  "last_name",
  "username",
  "photo_url",
  "auth_date",
]);

/**
 * `isPlain` refuses a line break in a value: with one, one signed text would be that of several
 * persons.
 */
const isPlain = (value: unknown): value is string | number =>
  typeof value === "string" ? !/\p{Cc}/u.test(value) : Number.isSafeInteger(value);

/**
 * `isSigned` says whether the hash is the HMAC of all other members, sorted by name, under the hash
 * of the token.
 */
function isSigned({ hash, ...members }: Record<string, unknown>, botToken: string): boolean {
  if (typeof hash !== "string" || !/^[0-9a-f]{64}$/.test(hash)) return false;
  if (!Object.entries(members).every(([name, value]) => memberNames.has(name) && isPlain(value)))
    return false;
  const names = Object.keys(members).sort();
  const lines = names.map((name) => `${name}=${members[name]}`).join("\n");
  const key = createHash("sha256").update(botToken).digest();
  return timingSafeEqual(
    createHmac("sha256", key).update(lines).digest(),
    Buffer.from(hash, "hex"),
  );
}

const readText = (value: unknown): string => (typeof value === "string" ? value : "");

/**
 * `result` is the base64url of a JSON object, as Telegram appends it to the address of the
 * callback. `now` in milliseconds.
 */
export function readTelegramIdentity(
  result: string,
  botToken: string,
  now: number,
): ExternalIdentity | RefusedIdentity {
  const members = readSignedMembers(result);
  if (!members || !isSigned(members, botToken)) return { refused: "signature" };
  const signedAt = typeof members.auth_date === "number" ? members.auth_date * 1000 : Number.NaN;
  if (!(signedAt <= now + clockToleranceMs && now - signedAt <= signatureLifetimeMs))
    return { refused: "expired" };
  const id = String(members.id);
  if (!accountIdPatterns.telegram.test(id)) return { refused: "id" };
  const displayName = cleanName(`${readText(members.first_name)} ${readText(members.last_name)}`);
  const name = cleanName(readText(members.username)) || displayName;
  // Not the result: the same signature can be encoded in many ways.
  return { id, name, displayName, proof: readText(members.hash) };
}
