/**
 * Keys for programs that manage the gateway: each has a part of its maker's rights, expires, and
 * may be bound to networks. They work on this API alone, in `Authorization: Bearer`.
 */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { byId, entityId } from "../api/ids.ts";
import { listExtras, pageFields } from "../api/page.ts";
import { line, unixMillis } from "../api/scalars.ts";
import { confirmation } from "./accounts.ts";
import { scopes } from "./scopes.ts";
import { teamFilter } from "./team-filter.ts";
import { subnetList } from "./token-restrictions.ts";

/** Scanners of public code find keys by it. */
export const managementKeyPrefix = "tgm-";
/** A key outlives the memory of what it was made for; root alone may decide otherwise. */
export const managementKeyDaysMax = 90;
export const managementKeyDaysMaxOfRoot = 3650;
export const managementKeyCallsPerMinute = 120;

export const managementKey = z.object({
  id: z.int(),
  uuid: z.string(),
  name: z.string(),
  /** The last four characters. */
  hint: z.string(),
  /** `scopes` are as given; only those that the maker's present role may give are in force. */
  scopes: z.array(z.enum(scopes)),
  /** Comma-joined address blocks; empty allows every address. */
  subnet: z.string(),
  user_id: z.int(),
  /** The maker's name. */
  username: z.string(),
  /** The team that the key is bound to; null for a key with rights of the account. */
  team_id: z.nullable(z.int()),
  /** The name of that team; empty without one. */
  team: z.string(),
  disabled: z.boolean(),
  created_at: unixMillis,
  expires_at: unixMillis,
  /** Exact to minutes; null before the first call. */
  used_at: z.nullable(unixMillis),
});
export type ManagementKey = z.output<typeof managementKey>;

export const listManagementKeys = endpoint("GET", "/api/management_key/", {
  access: "user",
  scope: "none",
  summary:
    "The caller's management keys; for root, those of all users; for admins of a team, those of the team",
  query: z.object({ ...pageFields, ...teamFilter }),
  data: z.array(managementKey),
  extras: listExtras,
});

export const managementKeyInput = z.object({
  name: line(50).check(z.minLength(1, "Name is required")),
  scopes: z
    .array(z.enum(scopes))
    .check(z.minLength(1, "At least one scope is required"), z.maxLength(scopes.length)),
  subnet: z._default(subnetList, ""),
  /** The one team that the key may reach, of which the caller is an admin. */
  team_id: z.optional(entityId),
  lifetime_days: z
    .int()
    .check(
      z.minimum(1, makeAboutField("must be 1 or more")),
      z.maximum(
        managementKeyDaysMaxOfRoot,
        makeAboutField(`must be at most ${managementKeyDaysMaxOfRoot}`),
      ),
    ),
  ...confirmation,
});
export type ManagementKeyInput = z.output<typeof managementKeyInput>;

export const createManagementKey = endpoint("POST", "/api/management_key/", {
  access: "user",
  scope: "none",
  summary: "Create a management key; only this reply shows it",
  body: managementKeyInput,
  /**
   * A repetition with the same Idempotency-Key shows it masked: the gateway keeps no more than its
   * hash.
   */
  data: z.extend(managementKey, { key: z.string() }),
  limit: "sign-in",
});

/**
 * A separate operation, because stopping a key must be possible at once and enabling one needs
 * proof.
 */
export const disableManagementKey = endpoint("POST", "/api/management_key/:id/disable", {
  access: "user",
  scope: "none",
  summary: "Disable a management key: it stops working at once",
  params: byId,
  data: managementKey,
});

export const enableManagementKey = endpoint("POST", "/api/management_key/:id/enable", {
  access: "user",
  scope: "none",
  summary: "Enable one of the caller's own management keys again",
  params: byId,
  body: z.object(confirmation),
  data: managementKey,
  limit: "sign-in",
});

/** Programs try the same with the header `Dry-Run: true`. */
export const tryManagementKey = endpoint("POST", "/api/management_key/:id/try", {
  access: "user",
  scope: "none",
  summary:
    "What a call with a management key would be answered: its rights and the form of its body; the call is not made",
  params: byId,
  body: z.object({
    /** Its name in the OpenAPI document (`operationId`). */
    operation: line(100),
    body: z._default(z.record(z.string(), z.unknown()), {}),
    /** `address` is where the call comes from; empty for an address that the key allows. */
    address: z._default(line(45), ""),
  }),
  data: z.object({ status: z.int(), reply: z.record(z.string(), z.unknown()) }),
});

export const deleteManagementKey = endpoint("DELETE", "/api/management_key/:id", {
  access: "user",
  scope: "none",
  summary: "Delete a management key: it stops working at once",
  params: byId,
});
