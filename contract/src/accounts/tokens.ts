/** API keys of users. A user sees and changes only their own. */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { bodyReference, byId, isNamed, namedExplanation } from "../api/ids.ts";
import { listExtras, pageFields, sortFields } from "../api/page.ts";
import {
  expirySeconds,
  line,
  nameList,
  prose,
  queryInteger,
  quotaUnits,
  unixMillis,
} from "../api/scalars.ts";
import { keptBodies } from "../call-bodies.ts";
import { recentCalls, recentFilter } from "../figures/recent-calls.ts";
import { byExternalId, externalIdFilter, externalIdOrNone } from "./external-ids.ts";
import { teamFilter } from "./team-filter.ts";
import {
  buildEachTokenLimit,
  promptMarks,
  requestedRestrictions,
  subnetList,
} from "./token-restrictions.ts";

/**
 * Paused is disabled with a reason, by the owner, by others or by a budget: nothing but a person or
 * program ends it.
 */
export const tokenStatus = {
  enabled: 1,
  disabled: 2,
  expired: 3,
  exhausted: 4,
  paused: 5,
} as const;

/**
 * `pauseOrigins` are what can pause a token: its owner, an administrator, a management key of
 * either, a budget that was used up, an alert about its spending, or an identity provider with
 * which its owner has not signed in for long.
 */
export const pauseOrigins = [
  "owner",
  "administrator",
  "management_key",
  "budget",
  "alert",
  "provider",
] as const;
export type PauseOrigin = (typeof pauseOrigins)[number];

export const tokenPause = z.object({
  by: z.enum(pauseOrigins),
  /**
   * The name of the owner, the management key, the budget, the rule of the alert or the provider;
   * empty for an administrator in replies to the owner, and for people and programs in replies to
   * callers.
   */
  name: z.string(),
  /** `reason` is what the one who paused it wrote; may be empty. */
  reason: z.string(),
  at: unixMillis,
});
export type TokenPause = z.output<typeof tokenPause>;

export const pauseReason = line(200);

export const token = z.object({
  id: z.int(),
  uuid: z.string(),
  user_id: z.int(),
  user_uuid: z.string(),
  /**
   * `username` names the owner of a key in the list of a team; empty for a service's. Missing
   * elsewhere.
   */
  username: z.optional(z.string()),
  name: z.string(),
  /** `key` comes with its `sk-` prefix; masked where the settings show keys only at creation. */
  key: z.string(),
  status: z.int(),
  /** Null unless the status is paused. */
  paused: z.nullable(tokenPause),
  remain_quota: z.int(),
  unlimited_quota: z.boolean(),
  used_quota: z.int(),
  created_time: z.int(),
  accessed_time: z.int(),
  /** Unix seconds; -1 never. */
  expired_time: z.int(),
  /** Comma-joined; empty allows every model. */
  models: z.string(),
  /** Comma-joined address blocks; empty allows every address. */
  subnet: z.string(),
  /** Comma-joined, in the order in which calls try their channels; empty: the owner's group. */
  groups: z.string(),
  /**
   * Comma-joined names of MCP servers, and of single tools as `server/tool`; empty allows all that
   * its groups may use without being named.
   */
  mcp_tools: z.string(),
  /** Comma-joined `key=value`: tags that its calls have, whatever their client says. */
  tags: z.string(),
  /** Comma-joined keys of tags without which its calls are refused. */
  required_tags: z.string(),
  /** Calls per minute, tokens per minute, parallel calls; 0 means no limit. */
  ...buildEachTokenLimit(() => z.int()),
  /**
   * `bodies` are what is kept of the contents of its calls: empty for nothing, `redacted` or
   * `full`.
   */
  bodies: z.enum(keptBodies),
  /**
   * The greatest age of an answer of the response cache that its calls may ask for; 0: its calls
   * have no part in the cache.
   */
  cache_seconds: z.int(),
  /**
   * `prompt_marks` say whether its prompts are marked for the cache of Claude: empty as the channel
   * says, `on` or `off`.
   */
  prompt_marks: z.enum(promptMarks),
  /** The name that a program gave it; empty for none. */
  external_id: z.string(),
  /**
   * After a rotation, while the old key works: its last characters, and its end in Unix seconds.
   * Empty and 0 otherwise.
   */
  old_key_ending: z.string(),
  old_key_until: z.int(),
  created_at: unixMillis,
  updated_at: unixMillis,
  recent: recentCalls,
});
export type Token = z.output<typeof token>;

const tokenName = line(30).check(z.minLength(1, "Token name is required"));

const settable = z.object({
  name: tokenName,
  remain_quota: quotaUnits,
  unlimited_quota: z.boolean(),
  /** 0 and -1: never. */
  expired_time: expirySeconds,
});

/**
 * `newApiRestrictions` says how forms of newer servers of the family send restrictions: understood
 * or refused (`token-rules.ts`), never ignored.
 */
const newApiRestrictions = {
  model_limits_enabled: z.optional(z.boolean()),
  model_limits: z.optional(z.nullable(nameList(10_000))),
  /** `allow_ips` are one address or block in each line. */
  allow_ips: z.optional(
    z.nullable(
      z.pipe(
        z.pipe(
          prose(2000),
          z.transform((text) => text.replace(/[\r\n]+/g, ",")),
        ),
        subnetList,
      ),
    ),
  ),
  group: z.optional(z.nullable(line(64))),
};

export const tokenInput = z.object({
  ...settable.shape,
  remain_quota: z._default(quotaUnits, 0),
  unlimited_quota: z._default(z.boolean(), false),
  /** 0, -1 or missing: never. */
  expired_time: z._default(expirySeconds, -1),
  external_id: externalIdOrNone,
  ...requestedRestrictions,
  ...newApiRestrictions,
});
export type TokenInput = z.output<typeof tokenInput>;

const settableStatuses: readonly number[] = [
  tokenStatus.enabled,
  tokenStatus.disabled,
  tokenStatus.paused,
];
const settableStatus = z.int().check(
  z.minimum(1),
  z.maximum(5),
  z.refine(
    (status) => settableStatuses.includes(status),
    makeAboutField("must be 1 to enable, 2 to disable or 5 to pause"),
  ),
);

/** A missing member keeps its value. */
export const tokenChange = z
  .object({
    ...bodyReference,
    ...z.partial(settable).shape,
    status: z.optional(z.int().check(z.minimum(1), z.maximum(5))),
    /**
     * `pause_reason` says why a status of 5 pauses the token; shown with it and told to its
     * callers.
     */
    pause_reason: z.optional(pauseReason),
    /**
     * The quota that the form read: the edit is then applied as a difference, so that it undoes no
     * spending.
     */
    remain_quota_read: z.optional(quotaUnits),
    external_id: externalIdOrNone,
    ...requestedRestrictions,
    ...newApiRestrictions,
    /** The version that the form read; refused when it is older than the stored one. */
    updated_at: z.optional(unixMillis),
  })
  .check(z.refine(isNamed, namedExplanation));
export type TokenChange = z.output<typeof tokenChange>;

/** The quota is that of a new token: a repetition must not give back what was spent. */
export const tokenByExternalId = z.object({
  ...z.partial(settable).shape,
  status: z.optional(settableStatus),
  pause_reason: z.optional(pauseReason),
  ...requestedRestrictions,
});
export type TokenByExternalId = z.output<typeof tokenByExternalId>;

export const tokenStatusChange = z
  .object({ ...bodyReference, status: settableStatus, pause_reason: z.optional(pauseReason) })
  .check(z.refine(isNamed, namedExplanation));

export const tokenSorts = [
  "id",
  "uuid",
  "name",
  "key",
  "status",
  "expired_time",
  "remain_quota",
  "used_quota",
  "created_at",
  "created_time",
  "accessed_time",
  "updated_at",
] as const;

export const tokenQuery = z.object({
  ...pageFields,
  ...sortFields(tokenSorts, ["remain_quota", "used_quota"]),
  /** The status that lists show: a key whose time or quota is over is not enabled. */
  status: z.optional(queryInteger(1, 5)),
  ...externalIdFilter,
  ...recentFilter,
  ...teamFilter,
});

export const listTokens = endpoint("GET", "/api/token/", {
  access: "user",
  scope: "tokens:read",
  inTeam: true,
  summary: "The caller's tokens, or those of a team with masked keys",
  query: tokenQuery,
  data: z.array(token),
  extras: listExtras,
});

export const searchTokens = endpoint("GET", "/api/token/search", {
  access: "user",
  scope: "tokens:read",
  inTeam: true,
  summary: "The caller's tokens by a part of their name, by uuid, or by id as #7",
  query: z.extend(tokenQuery, { keyword: z.optional(z.string().check(z.maxLength(100))) }),
  data: z.array(token),
  extras: listExtras,
});

/**
 * SHA-256 in lower-case hex of a whole key without its `sk-`: the key itself is in no address and
 * no log.
 */
export const keyHash = z
  .string()
  .check(z.regex(/^[0-9a-f]{64}$/, makeAboutField("must be a SHA-256 in hex")));

export const findToken = endpoint("POST", "/api/token/find", {
  access: "user",
  scope: "tokens:read",
  summary: "The caller's token with this key; read-only",
  body: z.object({ key_hash: keyHash }),
  data: z.array(token),
});

/** `listTokenGroups` are what a token may name in `groups`. */
export const listTokenGroups = endpoint("GET", "/api/token/groups", {
  access: "user",
  scope: "tokens:read",
  summary:
    "The groups that the caller's tokens may name, the caller's own first, with the price ratio of each",
  data: z.array(z.object({ name: z.string(), ratio: z.number() })),
});

export const getToken = endpoint("GET", "/api/token/:id", {
  access: "user",
  scope: "tokens:read",
  summary: "One token",
  params: byId,
  data: token,
});

export const createToken = endpoint("POST", "/api/token/", {
  access: "user",
  scope: "tokens:write",
  summary: "Create a token; this reply always shows the full key",
  body: tokenInput,
  data: token,
  /** Present when no other reply will show the key. */
  extras: z.object({ key_shown_once: z.optional(z.boolean()) }),
});

export const updateToken = endpoint("PUT", "/api/token/", {
  access: "user",
  scope: "tokens:write",
  summary: "Change a token; missing members keep their values",
  body: tokenChange,
  data: token,
});

export const putToken = endpoint("PUT", "/api/token/by-external/:external_id", {
  access: "user",
  scope: "tokens:write",
  summary:
    "Create the caller's token of this external_id, or change it; only the reply to its creation shows the key",
  params: byExternalId,
  body: tokenByExternalId,
  data: token,
});

export const updateTokenStatus = endpoint("PUT", "/api/token/", {
  access: "user",
  scope: "tokens:write",
  summary: "Enable, disable or pause a token; enabling one that is paused resumes it",
  variant: "status_only",
  query: z.object({
    status_only: z.union([z.number(), z.boolean(), z.string().check(z.maxLength(16))]),
  }),
  body: tokenStatusChange,
  data: token,
});

export const deleteToken = endpoint("DELETE", "/api/token/:id", {
  access: "user",
  scope: "tokens:write",
  summary: "Delete a token",
  params: byId,
});
