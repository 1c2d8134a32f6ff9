/** Reads the identity in a provider's reply and derives the username here. Pure. */

import { isJsonRecord } from "@tollgate/contract/api/json-record.ts";

export interface ExternalIdentity {
  /** The identifier that never changes at the provider. */
  id: string;
  /** The name of the account at the provider; only shown, and the base of the username. */
  name: string;
  /** The person's name, where the provider knows it apart from the account's. */
  displayName?: string;
  /** An address that the provider has verified, in lower case; absent or empty: none. */
  email?: string;
  /** `proof` showed the identity, where the provider would accept it more than once. */
  proof?: string;
}

/**
 * The provider knows the user, and the user may not sign in; the reason is repeated to the user.
 */
export interface RefusedIdentity {
  refused: string;
}

/** `accountIdPatterns` are what the immutable ids of these providers look like. */
export const accountIdPatterns = {
  /** The `open_id`. */
  lark: /^[\w-]{1,128}$/,
  /** A snowflake: 64 bits as decimal text, for JSON numbers cannot hold it. */
  discord: /^[1-9]\d{0,19}$/,
  /** The forum's number. */
  linuxdo: /^[1-9]\d{0,15}$/,
  telegram: /^[1-9]\d{0,15}$/,
  /** The `openid` of the official account. */
  wechat: /^[\w-]{1,128}$/,
} as const;

const nameMax = 100;
const usernameMin = 3;
/** Leaves space for the suffix within the 30 characters of a username. */
const usernameMax = 23;
const displayNameMax = 20;

const readMember = (value: unknown, name: string): unknown =>
  isJsonRecord(value) ? value[name] : undefined;
const readText = (value: unknown): string => (typeof value === "string" ? value : "");

/** Names are untrusted input. */
export const cleanName = (name: string) =>
  name
    .replace(/\p{Cc}/gu, "")
    .trim()
    .slice(0, nameMax);

/**
 * `parseAccessToken` gives all providers put it at the top level; older Lark replies under `data`.
 */
export const parseAccessToken = (body: unknown): string =>
  readText(readMember(body, "access_token")) ||
  readText(readMember(readMember(body, "data"), "access_token"));

/** The provider's code for its refusal, when it is safe to repeat. */
export function parseReason(body: unknown): string {
  const reason = readMember(body, "error") || readMember(body, "code") || "";
  return /^[\w.-]{1,60}$/.test(String(reason)) ? String(reason) : "";
}

export function readGithubIdentity(body: unknown): ExternalIdentity | undefined {
  const id = readMember(body, "id");
  if (!Number.isSafeInteger(id) || (id as number) <= 0) return undefined;
  return { id: String(id), name: cleanName(readText(readMember(body, "login"))) };
}

export function readLarkIdentity(body: unknown): ExternalIdentity | undefined {
  const data = readMember(body, "data");
  const id = readText(readMember(data, "open_id"));
  if (!accountIdPatterns.lark.test(id)) return undefined;
  return {
    id,
    name: cleanName(readText(readMember(data, "name")) || readText(readMember(data, "en_name"))),
  };
}

export function readDiscordIdentity(body: unknown): ExternalIdentity | undefined {
  const id = readText(readMember(body, "id"));
  if (!accountIdPatterns.discord.test(id)) return undefined;
  const displayName = cleanName(readText(readMember(body, "global_name")));
  return { id, name: cleanName(readText(readMember(body, "username"))), displayName };
}

/** Moderators of the forum suspend users, and trust them in levels from 0 to 4. */
export function readLinuxdoIdentity(
  body: unknown,
  minimumTrustLevel: number,
): ExternalIdentity | RefusedIdentity | undefined {
  const [id, trust] = [readMember(body, "id"), readMember(body, "trust_level")];
  if (typeof id !== "number" || !Number.isSafeInteger(id) || id <= 0) return undefined;
  if (readMember(body, "active") === false) return { refused: "inactive" };
  // A level that the reply does not state is none.
  if (minimumTrustLevel > 0 && !(typeof trust === "number" && trust >= minimumTrustLevel))
    return { refused: `trust_level_below_${minimumTrustLevel}` };
  const displayName = cleanName(readText(readMember(body, "name")));
  return { id: String(id), name: cleanName(readText(readMember(body, "username"))), displayName };
}

/**
 * `readWechatIdentity` gives what the code server says of a code. A wrong code and one that is too
 * old get the same reply.
 */
export function readWechatIdentity(
  body: unknown,
  code: string,
): ExternalIdentity | RefusedIdentity | undefined {
  if (readMember(body, "success") === false) return { refused: "code" };
  const id = readText(readMember(body, "data"));
  if (readMember(body, "success") !== true || !accountIdPatterns.wechat.test(id)) return undefined;
  // Another user may get the same digits later.
  return { id, name: "", proof: `${code} ${id}` };
}

/**
 * A username close to the name. The suffix makes it unique when the plain name is taken or too
 * short.
 */
export function chooseUsername(name: string, provider: string, suffix: string): string {
  const plain = name
    .normalize("NFKC")
    .replace(/[^\p{L}\p{N}_.-]|\p{DI}/gu, "")
    .slice(0, usernameMax)
    .replace(/[\uD800-\uDBFF]$/, "");
  const base = plain.length < usernameMin ? provider : plain;
  return suffix === "" ? base : `${base}-${suffix}`;
}

export const chooseDisplayName = (name: string, username: string): string =>
  (name || username).slice(0, displayNameMax).replace(/[\uD800-\uDBFF]$/, "");
