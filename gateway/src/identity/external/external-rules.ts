/** Reads the identity in a provider's reply and derives the username here. Pure. */

import { isJsonRecord } from "@tollgate/contract/json-record.ts";

export interface ExternalIdentity {
  /** The identifier that never changes at the provider. */
  id: string;
  /** The name of the account at the provider; only shown, and the base of the username. */
  name: string;
  /** The person's name, where the provider knows it apart from the account's. */
  displayName?: string;
  /** An address that the provider has verified, in lower case; absent or empty: none. */
  email?: string;
}

const nameMax = 100;
const usernameMin = 3;
/** Leaves space for the suffix within the 30 characters of a username. */
const usernameMax = 23;
const displayNameMax = 20;

const member = (value: unknown, name: string): unknown => (isJsonRecord(value) ? value[name] : undefined);
const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** Names are untrusted input. */
export const cleanedName = (name: string) =>
  name
    .replace(/\p{Cc}/gu, "")
    .trim()
    .slice(0, nameMax);

/** Both providers put it at the top level; older Lark replies under `data`. */
export const accessTokenIn = (body: unknown): string =>
  text(member(body, "access_token")) || text(member(member(body, "data"), "access_token"));

/** The provider's code for its refusal, when it is safe to repeat. */
export function reasonIn(body: unknown): string {
  const reason = member(body, "error") || member(body, "code") || "";
  return /^[\w.-]{1,60}$/.test(String(reason)) ? String(reason) : "";
}

export function githubIdentity(body: unknown): ExternalIdentity | undefined {
  const id = member(body, "id");
  if (!Number.isSafeInteger(id) || (id as number) <= 0) return undefined;
  return { id: String(id), name: cleanedName(text(member(body, "login"))) };
}

export function larkIdentity(body: unknown): ExternalIdentity | undefined {
  const data = member(body, "data");
  const id = text(member(data, "open_id"));
  if (!/^[\w-]{1,128}$/.test(id)) return undefined;
  return { id, name: cleanedName(text(member(data, "name")) || text(member(data, "en_name"))) };
}

/** A username close to the name. The suffix makes it unique when the plain name is taken or too short. */
export function usernameFor(name: string, provider: string, suffix: string): string {
  const plain = name
    .normalize("NFKC")
    .replace(/[^\p{L}\p{N}_.-]|\p{DI}/gu, "")
    .slice(0, usernameMax)
    .replace(/[\uD800-\uDBFF]$/, "");
  const base = plain.length < usernameMin ? provider : plain;
  return suffix === "" ? base : `${base}-${suffix}`;
}

export const displayNameFor = (name: string, username: string): string =>
  (name || username).slice(0, displayNameMax).replace(/[\uD800-\uDBFF]$/, "");
