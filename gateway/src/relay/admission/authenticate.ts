/** Who is calling: the key in any of its forms, and whether it may be used from here, now. */
import type { IncomingHttpHeaders } from "node:http";
import { blockContains, parseAddress } from "@tollgate/contract/cidr.ts";
import { denied } from "../wire/relay-refusal.ts";
import type { ApiKeys, RelayCaller } from "./api-keys.ts";

export interface ApiKeyCredential {
  key: string;
  /** An administrator's wish for one channel: its integer id or uuid. */
  pin: string | undefined;
}

const prefixes = ["sk-", "laisky-"];
const pinSuffix = /-(\d{1,15}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/;
const keyLengthMax = 256;
const admin = 10;

/** Addresses end up in histories and logs; Google's own interface is the one where clients count on it. */
const keyInAddress = /^\/v1beta\/[^?]*\?(?:.*&)?key=([^&]+)/;

/**
 * The first credential among the headers that client libraries use, prefixes and pin taken apart. `target` is the
 * address that was asked for, with its query.
 */
export function credentialOf(
  headers: IncomingHttpHeaders,
  keyPrefix: string,
  target = "",
): ApiKeyCredential | undefined {
  const { authorization, "x-api-key": plain, "api-key": azure, "x-goog-api-key": google } = headers;
  const carried = [authorization, plain, azure, google, keyInAddress.exec(target)?.[1]].find(
    (value) => typeof value === "string" && value !== "",
  ) as string | undefined;
  if (!carried || carried.length > keyLengthMax) return undefined;
  let key = carried.replace(/^Bearer\s+/i, "").trim();
  for (const prefix of [keyPrefix, ...prefixes]) if (key.startsWith(prefix)) key = key.slice(prefix.length);
  const pin = pinSuffix.exec(key)?.[1];
  if (pin) key = key.slice(0, -pin.length - 1);
  return key === "" ? undefined : { key, pin };
}

export async function authenticate(
  { key, pin }: ApiKeyCredential,
  keys: ApiKeys,
  address: string,
  now: number,
): Promise<RelayCaller> {
  const caller = await keys.find(key);
  if (!caller) throw denied(401, "The API key is not valid");
  if (caller.tokenStatus === 2) throw denied(401, "The API key is disabled");
  if (caller.expiredAt !== null && caller.expiredAt <= now) throw denied(401, "The API key has expired");
  if (caller.tokenStatus === 4 || (!caller.isUnlimited && caller.remainQuota <= 0)) {
    keys.invalidate(key);
    throw denied(401, "The quota of the API key is used up");
  }
  if (caller.userStatus !== 1) throw denied(403, "The owner of this API key is disabled");
  if (caller.subnets.length > 0 && !isInside(address, caller.subnets)) {
    throw denied(403, `The API key may not be used from ${address}`);
  }
  if (pin !== undefined && caller.role < admin) {
    throw denied(403, "Only administrators may choose a channel with their key");
  }
  return caller;
}

function isInside(address: string, subnets: RelayCaller["subnets"]): boolean {
  const bytes = parseAddress(address);
  return bytes !== undefined && subnets.some((block) => blockContains(block, bytes));
}
