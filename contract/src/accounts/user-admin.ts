/** Operations of administrators on accounts. users.ts has the schema of an account. */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { bodyReference, byId, isNamed, namedExplanation, reference, uuid7 } from "../api/ids.ts";
import { listExtras, pageFields, sortFields } from "../api/page.ts";
import { line, queryFlag, queryInteger, quotaUnits, unixMillis } from "../api/scalars.ts";
import { recentFilter } from "../figures/recent-calls.ts";
import { byExternalId, externalIdFilter, externalIdOrNone } from "./external-ids.ts";
import { defineUsername, editedUsername, email, user } from "./users.ts";

const givenPasswordMin = 6;
/**
 * A password set by an administrator. One that is too short for users is temporary: the user must
 * replace it.
 */
const readGivenPassword = (isRequired: boolean) =>
  z.string().check(
    z.refine(
      (text) => text.length >= givenPasswordMin || (text === "" && !isRequired),
      `Password must be at least ${givenPasswordMin} characters`,
    ),
    z.maxLength(128, "Password must be at most 128 characters"),
  );
const userGroup = line(32).check(z.minLength(1, "Group is required"));
const settableStatus = z.int().check(z.minimum(1), z.maximum(2));
/** Other roles are never assigned. */
const settableRole = z.union(
  [z.literal(1), z.literal(10), z.literal(100)],
  makeAboutField("must be 1, 10 or 100"),
);

export const userInput = z.object({
  username: defineUsername(1, "Username is required"),
  password: readGivenPassword(true),
  /** Empty or missing: the username. */
  display_name: z.optional(line(20)),
  email: z.optional(email),
  quota: z.optional(quotaUnits),
  group: z.optional(userGroup),
  /** Must be lower than the caller's. A new account has role 1 regardless. */
  role: z.optional(settableRole),
  external_id: externalIdOrNone,
});
export type UserInput = z.output<typeof userInput>;

/** A missing member keeps its value. */
export const userChange = z
  .object({
    ...bodyReference,
    username: z.optional(editedUsername),
    display_name: z.optional(line(20)),
    email: z.optional(email),
    group: z.optional(userGroup),
    quota: z.optional(quotaUnits),
    /**
     * The quota that the form read: the edit is then applied as a difference, so that it undoes no
     * spending.
     */
    quota_read: z.optional(quotaUnits),
    /** Empty keeps the password, since forms send that for an untouched field. */
    password: z.optional(readGivenPassword(false)),
    role: z.optional(settableRole),
    /** An auditor: an administrator who sees, and changes the own account alone. Set by root. */
    read_only: z.optional(z.boolean()),
    status: z.optional(settableStatus),
    external_id: externalIdOrNone,
    /** The version that the form read; refused when it is older than the stored one. */
    updated_at: z.optional(unixMillis),
  })
  .check(z.refine(isNamed, namedExplanation));
export type UserChange = z.output<typeof userChange>;

/**
 * Password and quota are those of a new account: a repetition gives no money twice and ends no
 * sign-in.
 */
export const userByExternalId = z.object({
  username: z.optional(editedUsername),
  password: z.optional(readGivenPassword(false)),
  display_name: z.optional(line(20)),
  email: z.optional(email),
  group: z.optional(userGroup),
  quota: z.optional(quotaUnits),
  status: z.optional(settableStatus),
});
export type UserByExternalId = z.output<typeof userByExternalId>;

export const userStatusChange = z
  .object({ ...bodyReference, status: settableStatus })
  .check(z.refine(isNamed, namedExplanation));

export const userActions = ["disable", "enable", "delete", "promote", "demote"] as const;

export const userTopUp = z
  .object({
    user_id: z.optional(reference),
    /** Wins over `user_id`. */
    user_uuid: z.optional(uuid7),
    quota: quotaUnits,
    remark: z.optional(line(255)),
  })
  .check(
    z.refine(({ user_id, user_uuid }) => isNamed({ id: user_id, uuid: user_uuid }), {
      ...makeAboutField("or user_uuid is required"),
      path: ["user_id"],
    }),
  );

export const userSorts = [
  "id",
  "uuid",
  "username",
  "email",
  "display_name",
  "role",
  "status",
  "group",
  "quota",
  "used_quota",
  "request_count",
  "created_at",
  "created_time",
  "updated_at",
] as const;

export const userQuery = z.object({
  ...pageFields,
  ...sortFields(userSorts, ["quota", "used_quota", "request_count"]),
  /** Only accounts of exactly this role. */
  role: z.optional(queryInteger(0, 100)),
  status: z.optional(queryInteger(1, 2)),
  group: z.optional(line(64)),
  /** Includes deleted accounts. */
  deleted: z.optional(queryFlag),
  ...externalIdFilter,
  ...recentFilter,
});

const listing = {
  access: "admin",
  scope: "users:read",
  data: z.array(user),
  extras: listExtras,
} as const;

export const listUsers = endpoint("GET", "/api/user/", {
  ...listing,
  summary: "All accounts",
  query: userQuery,
});

export const searchUsers = endpoint("GET", "/api/user/search", {
  ...listing,
  summary:
    "Accounts by a part of their username, mail address or display name, by uuid, or by id as #7",
  query: z.extend(userQuery, { keyword: z.optional(z.string().check(z.maxLength(100))) }),
});

export const getUser = endpoint("GET", "/api/user/:id", {
  access: "admin",
  scope: "users:read",
  summary: "One account of a lower role",
  params: byId,
  data: user,
});

export const createUser = endpoint("POST", "/api/user/", {
  access: "admin",
  scope: "users:write",
  summary: "Create an account of role 1; a password shorter than 8 is temporary",
  body: userInput,
  data: user,
});

export const updateUser = endpoint("PUT", "/api/user/", {
  access: "admin",
  scope: "users:write",
  summary: "Change an account of a lower role; missing members keep their values",
  body: userChange,
  data: user,
});

export const putUser = endpoint("PUT", "/api/user/by-external/:external_id", {
  access: "admin",
  scope: "users:write",
  summary:
    "Create the account of this external_id, or change it; password and quota are those of a new account",
  params: byExternalId,
  body: userByExternalId,
  data: user,
});

export const updateUserStatus = endpoint("PUT", "/api/user/", {
  access: "admin",
  scope: "users:write",
  summary: "Enable or disable an account",
  variant: "status_only",
  query: z.object({
    status_only: z.union([z.number(), z.boolean(), z.string().check(z.maxLength(16))]),
  }),
  body: userStatusChange,
  data: user,
});

export const manageUser = endpoint("POST", "/api/user/manage", {
  access: "admin",
  scope: "users:write",
  summary: "Enable, disable, delete, promote to administrator or demote an account by its username",
  body: z.object({
    username: line(30).check(z.minLength(1, "Username is required")),
    action: z.enum(userActions),
  }),
  data: user,
});

export const deleteUser = endpoint("DELETE", "/api/user/:id", {
  access: "admin",
  scope: "users:write",
  summary:
    "Delete an account: its sessions end and its name becomes free; its quota stays in the ledger",
  params: byId,
});

export const waiveDebt = endpoint("POST", "/api/user/:id/waive_debt", {
  access: "root",
  scope: "none",
  summary:
    "Waive what an account owes: the operator bears it, and the account can make calls again",
  params: byId,
  data: user,
});

export const topUpUser = endpoint("POST", "/api/topup", {
  access: "admin",
  scope: "wallets:grant",
  summary: "Grant quota to an account of a lower role",
  body: userTopUp,
});
