/**
 * API keys of all users for administrators, without the keys themselves, and what their owners are
 * told.
 */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { bodyReference, isNamed, namedExplanation } from "../api/ids.ts";
import { listExtras, pageFields, sortFields } from "../api/page.ts";
import { line, queryInteger, unixMillis } from "../api/scalars.ts";
import { keyHash, pauseReason, tokenPause } from "./tokens.ts";

export const heldToken = z.object({
  id: z.int(),
  uuid: z.string(),
  name: z.string(),
  user_id: z.int(),
  user_uuid: z.string(),
  username: z.string(),
  /** The last four characters of the key; empty for a key that the gateway cannot read. */
  key_ending: z.string(),
  /**
   * After a rotation, while the old key works: its last characters, and its end in Unix seconds.
   * Empty and 0 otherwise.
   */
  old_key_ending: z.string(),
  old_key_until: z.int(),
  status: z.int(),
  /** Null unless the status is paused. */
  paused: z.nullable(tokenPause),
  remain_quota: z.int(),
  unlimited_quota: z.boolean(),
  used_quota: z.int(),
  /** Unix seconds. */
  created_time: z.int(),
  accessed_time: z.int(),
  /** Unix seconds; -1 never. */
  expired_time: z.int(),
});
export type HeldToken = z.output<typeof heldToken>;

export const heldTokenSorts = [
  "id",
  "name",
  "username",
  "status",
  "used_quota",
  "created_time",
  "accessed_time",
] as const;

/** Shorter than a key, so that no address holds one: a whole key is found by its hash. */
const keyword = z.optional(z.string().check(z.maxLength(40)));

export const listAllTokens = endpoint("GET", "/api/token/all", {
  access: "admin",
  scope: "tokens:read",
  summary:
    "Tokens of all users, by owner, name, ending of the key, uuid, or id as #7; each look is recorded",
  query: z.object({
    ...pageFields,
    ...sortFields(heldTokenSorts),
    keyword,
    /** The status that lists show: a key whose time or quota is over is not enabled. */
    status: z.optional(queryInteger(1, 5)),
    /** The user name of the owner, exactly. */
    owner: z.optional(line(64)),
  }),
  data: z.array(heldToken),
  extras: listExtras,
});

export const findAnyToken = endpoint("POST", "/api/token/all/find", {
  access: "admin",
  scope: "tokens:read",
  summary: "The token of any user with this key; each look is recorded",
  body: z.object({ key_hash: keyHash }),
  data: z.array(heldToken),
});

const tokenReference = z.object(bodyReference).check(z.refine(isNamed, namedExplanation));

export const disableAnyToken = endpoint("POST", "/api/token/all/disable", {
  access: "admin",
  scope: "tokens:write",
  summary: "Disable a token of any user in reach; its owner is told",
  body: tokenReference,
  data: heldToken,
});

export const pauseAnyToken = endpoint("POST", "/api/token/all/pause", {
  access: "admin",
  scope: "tokens:write",
  summary: "Pause a token of any user in reach, or resume it; its owner is told of a pause",
  body: z
    .object({
      ...bodyReference,
      /** False resumes it. */
      paused: z._default(z.boolean(), true),
      pause_reason: z.optional(pauseReason),
    })
    .check(z.refine(isNamed, namedExplanation)),
  data: heldToken,
});

export const replaceAnyToken = endpoint("POST", "/api/token/all/replace", {
  access: "admin",
  scope: "tokens:write",
  summary:
    "Give a token of any user in reach a new key, which its owner alone can read; the old one stops",
  body: tokenReference,
  data: heldToken,
});

export const takenActions = ["disabled", "paused", "replaced"] as const;
export type TakenAction = (typeof takenActions)[number];

const tokenNotice = z.object({
  uuid: z.string(),
  name: z.string(),
  action: z.enum(takenActions),
  at: unixMillis,
});
export type TokenNotice = z.output<typeof tokenNotice>;

export const listTokenNotices = endpoint("GET", "/api/token/notices", {
  access: "user",
  scope: "tokens:read",
  summary: "What administrators did to the caller's tokens and the caller has not confirmed",
  data: z.array(tokenNotice),
});

export const confirmTokenNotices = endpoint("POST", "/api/token/notices/confirm", {
  access: "user",
  scope: "tokens:write",
  summary: "The caller has read the notices until this moment",
  body: z.object({ until: unixMillis }),
});
