/** Single-use codes that pay quota to the user who redeems them. */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { bodyReference, byId, isNamed, namedExplanation } from "../api/ids.ts";
import { listExtras, pageFields, sortFields } from "../api/page.ts";
import { count, line, queryInteger, quotaUnits, unixMillis } from "../api/scalars.ts";
import { byExternalId, externalIdFilter, externalIdOrNone } from "./external-ids.ts";
import { keyHash } from "./tokens.ts";

export const redemptionStatus = { unused: 1, disabled: 2, used: 3 } as const;

export const redemption = z.object({
  id: z.int(),
  uuid: z.string(),
  /** The name that a program gave it; empty for none. */
  external_id: z.string(),
  /** The administrator who created it. */
  user_id: z.int(),
  user_uuid: z.nullable(z.string()),
  name: z.string(),
  /** The code in full. */
  key: z.string(),
  status: z.int(),
  quota: z.int(),
  /** Meaningful in requests only. */
  count,
  created_time: z.int(),
  /** Unix seconds; 0 until it is redeemed. */
  redeemed_time: z.int(),
  /** The name of the user who redeemed it; empty until then, and where the account is gone. */
  redeemed_by: z.string(),
  created_at: unixMillis,
  updated_at: unixMillis,
});
export type Redemption = z.output<typeof redemption>;

const redemptionName = z
  .string()
  .check(
    z.minLength(1, "Name is required"),
    z.maxLength(20, "Max 20 chars"),
    z.regex(/^[^\p{Cc}]*$/u, makeAboutField("must not contain control characters")),
  );

export const redemptionInput = z.object({
  /** `external_id` is that of a single code. */
  external_id: externalIdOrNone,
  name: redemptionName,
  quota: quotaUnits,
  count: z._default(z.int().check(z.minimum(1, "Count must be positive"), z.maximum(100)), 1),
});
export type RedemptionInput = z.output<typeof redemptionInput>;

/**
 * `redemptionByExternalId` asks only the first request for the members that a new one needs. A
 * missing member keeps its value.
 */
export const redemptionByExternalId = z.object({
  name: z.optional(redemptionName),
  quota: z.optional(quotaUnits),
  status: z.optional(z.int().check(z.minimum(1), z.maximum(2))),
});
export type RedemptionByExternalId = z.output<typeof redemptionByExternalId>;

/** A missing member keeps its value. */
export const redemptionChange = z
  .object({
    ...bodyReference,
    name: z.optional(redemptionName),
    quota: z.optional(quotaUnits),
    /** The version that the form read; refused when it is older than the stored one. */
    updated_at: z.optional(unixMillis),
  })
  .check(z.refine(isNamed, namedExplanation));
export type RedemptionChange = z.output<typeof redemptionChange>;

export const redemptionStatusChange = z
  .object({ ...bodyReference, status: z.int().check(z.minimum(1), z.maximum(2)) })
  .check(z.refine(isNamed, namedExplanation));

export const redemptionSorts = [
  "id",
  "name",
  "key",
  "status",
  "quota",
  "created_time",
  "redeemed_time",
  "created_at",
  "updated_at",
] as const;

export const redemptionQuery = z.object({
  ...pageFields,
  ...sortFields(redemptionSorts),
  status: z.optional(queryInteger(1, 3)),
  ...externalIdFilter,
});

const listing = {
  access: "admin",
  scope: "redemptions:read",
  data: z.array(redemption),
  extras: listExtras,
} as const;

export const listRedemptions = endpoint("GET", "/api/redemption/", {
  ...listing,
  summary: "All redemption codes",
  query: redemptionQuery,
});

export const searchRedemptions = endpoint("GET", "/api/redemption/search", {
  ...listing,
  summary: "Redemption codes by a part of their name, by uuid, or by id as #7",
  query: z.extend(redemptionQuery, { keyword: z.optional(z.string().check(z.maxLength(100))) }),
});

export const findRedemption = endpoint("POST", "/api/redemption/find", {
  access: "admin",
  scope: "redemptions:read",
  summary: "The redemption code with this hash, the SHA-256 of the whole code in hex; read-only",
  body: z.object({ key_hash: keyHash }),
  data: z.array(redemption),
});

export const getRedemption = endpoint("GET", "/api/redemption/:id", {
  access: "admin",
  scope: "redemptions:read",
  summary: "One redemption code",
  params: byId,
  data: redemption,
});

export const createRedemptions = endpoint("POST", "/api/redemption/", {
  access: "admin",
  scope: "redemptions:write",
  summary: "Create redemption codes: all of them or none",
  body: redemptionInput,
  data: z.array(z.string()),
});

export const updateRedemption = endpoint("PUT", "/api/redemption/", {
  access: "admin",
  scope: "redemptions:write",
  summary: "Change name or quota of an unused code",
  body: redemptionChange,
  data: redemption,
});

export const putRedemption = endpoint("PUT", "/api/redemption/by-external/:external_id", {
  access: "admin",
  scope: "redemptions:write",
  summary:
    "Create the redemption code of this external_id, or change an unused one; a repetition changes nothing",
  params: byExternalId,
  body: redemptionByExternalId,
  data: redemption,
});

export const updateRedemptionStatus = endpoint("PUT", "/api/redemption/", {
  access: "admin",
  scope: "redemptions:write",
  summary: "Enable or disable an unused code",
  variant: "status_only",
  query: z.object({
    status_only: z.union([z.number(), z.boolean(), z.string().check(z.maxLength(16))]),
  }),
  body: redemptionStatusChange,
  data: redemption,
});

export const deleteRedemption = endpoint("DELETE", "/api/redemption/:id", {
  access: "admin",
  scope: "redemptions:write",
  summary: "Delete a redemption code; the quota that a used one paid stays",
  params: byId,
});

export const redeemCode = endpoint("POST", "/api/user/topup", {
  access: "user",
  scope: "none",
  summary: "Redeem a code; returns the quota that it paid",
  body: z.object({ key: line(128).check(z.minLength(1, "Redemption code is required")) }),
  data: z.int(),
});
