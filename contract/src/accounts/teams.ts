/** Teams: people who share a wallet, with keys of their own. */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { bodyReference, byId, entityId, isNamed, namedExplanation } from "../api/ids.ts";
import { listExtras, pageFields } from "../api/page.ts";
import { line, movedUnits, nameList, queryFlag, unixMillis } from "../api/scalars.ts";
import { byExternalId, externalIdFilter, externalIdOrNone } from "./external-ids.ts";
import { buildEachTokenLimit, type TokenLimitName, tokenLimitMax } from "./token-restrictions.ts";
import { token, tokenInput } from "./tokens.ts";

/** An admin manages the team, a member makes keys, a viewer reads its figures. */
export const teamRoles = ["admin", "member", "viewer"] as const;
export type TeamRole = (typeof teamRoles)[number];

/** A deleted team keeps its row: ledger and logs name it. Its name is free again. */
export const teamStatus = { enabled: 1, disabled: 2, deleted: 3 } as const;

const name = line(60).check(z.minLength(1, "Name is required"));
const note = line(500);
const group = line(64).check(z.minLength(1, makeAboutField("is required")));
const models = nameList(10_000);
const limit = (name: TokenLimitName) =>
  z
    .int()
    .check(
      z.minimum(0),
      z.maximum(tokenLimitMax[name], makeAboutField(`must be at most ${tokenLimitMax[name]}`)),
    );

export const team = z.object({
  id: z.int(),
  uuid: z.string(),
  /** The name that a program gave it; empty for none. */
  external_id: z.string(),
  name: z.string(),
  /** Empty for those who do not manage it. */
  note: z.string(),
  /** Decides the price ratio and the channels of all its keys. */
  group: z.string(),
  /** Comma-joined; empty allows every model. */
  models: z.string(),
  status: z.int(),
  owner_id: z.int(),
  /** The caller's; empty for an administrator of the site who is no member. */
  role: z.union([z.enum(teamRoles), z.literal("")]),
  /** Null for members who may not know it, as `held` and `debt`. */
  balance: z.nullable(z.int()),
  held: z.nullable(z.int()),
  debt: z.nullable(z.int()),
  members_see_balance: z.boolean(),
  /**
   * Calls per minute, tokens per minute and parallel calls of all its keys together; 0 means no
   * limit.
   */
  ...buildEachTokenLimit(() => z.int()),
  /** `members` hold those who did not leave. */
  members: z.int(),
  keys: z.int(),
  /**
   * The configuration file that owns it; empty for what was made in the console, and for those who
   * do not manage it.
   */
  managed_by: z.string(),
  created_at: unixMillis,
  updated_at: unixMillis,
});
export type Team = z.output<typeof team>;

/**
 * `rulingProvider` is the sign-in provider by whose rules something was given: it is changed there
 * alone. Slug and name are empty for the reverse proxy. Null for what was given by hand.
 */
export const rulingProvider = z.nullable(z.object({ slug: z.string(), name: z.string() }));
export type RulingProvider = NonNullable<z.output<typeof rulingProvider>>;

export const teamMember = z.object({
  /**
   * `id` is that of the membership: the subject of its budgets. It stays the same when the user
   * leaves and joins again.
   */
  id: z.int(),
  user_id: z.int(),
  username: z.string(),
  display_name: z.string(),
  role: z.enum(teamRoles),
  is_owner: z.boolean(),
  is_enabled: z.boolean(),
  by_provider: rulingProvider,
  keys: z.int(),
  created_at: unixMillis,
});
export type TeamMember = z.output<typeof teamMember>;

export const teamToken = z.extend(z.omit(token, { key: true, user_uuid: true, recent: true }), {
  /** Empty for the key of a service. */
  username: z.string(),
  service: z.boolean(),
});
export type TeamToken = z.output<typeof teamToken>;

export const teamInput = z.object({
  external_id: externalIdOrNone,
  name,
  note: z._default(note, ""),
  /** `default` when it is left out. */
  group: z._default(group, "default"),
  models: z._default(models, ""),
  members_see_balance: z._default(z.boolean(), true),
  ...buildEachTokenLimit((name) => z._default(limit(name), 0)),
  /** The first admin; the caller when it is left out. */
  owner_id: z.optional(entityId),
});
export type TeamInput = z.output<typeof teamInput>;

/**
 * `teamSettings` are what a change of a team names; who may change which member says
 * `team-rules.ts`.
 */
export const teamSettings = {
  name: z.optional(name),
  note: z.optional(note),
  members_see_balance: z.optional(z.boolean()),
  ...buildEachTokenLimit((name) => z.optional(limit(name))),
  group: z.optional(group),
  models: z.optional(models),
  status: z.optional(
    z.union([z.literal(1), z.literal(2)], makeAboutField("must be 1 to enable or 2 to disable")),
  ),
  /** An admin of the team, who gets it at once. Owners offer it by an invitation instead. */
  owner_id: z.optional(entityId),
};
export type TeamSetting = keyof typeof teamSettings;

export const teamChange = z
  .object({
    ...bodyReference,
    ...teamSettings,
    /** Empty: the team and its budgets belong to their configuration file no longer. */
    managed_by: z.optional(z.literal("")),
    /** The version that the form read; refused when it is older than the stored one. */
    updated_at: z.optional(unixMillis),
  })
  .check(z.refine(isNamed, namedExplanation));
export type TeamChange = z.output<typeof teamChange>;

/**
 * The caller's own balance, the team's (back to a user, by administrators of the site), or new
 * quota from root.
 */
export const transferSources = ["own", "team", "issuance"] as const;
export type TransferSource = (typeof transferSources)[number];

export const teamTransfer = z
  .object({
    source: z.enum(transferSources),
    amount: movedUnits,
    /** `user_id` is who gets it, where the source is the team. */
    user_id: z.optional(entityId),
  })
  .check(
    z.refine(({ source, user_id }) => (source === "team") === (user_id !== undefined), {
      ...makeAboutField("names the user who gets what the team gives"),
      path: ["user_id"],
    }),
  );
export type TeamTransfer = z.output<typeof teamTransfer>;

export const listTeams = endpoint("GET", "/api/team/", {
  access: "user",
  scope: "teams:read",
  inTeam: true,
  summary: "The caller's teams; all teams for administrators",
  query: z.object({ ...pageFields, ...externalIdFilter, keyword: z.optional(line(100)) }),
  data: z.array(team),
  extras: listExtras,
});

export const createTeam = endpoint("POST", "/api/team/", {
  access: "user",
  scope: "teams:write",
  summary:
    "Create a team with an empty wallet; users make and own as many as the setting TeamsByUsers allows",
  body: teamInput,
  data: team,
});

export const getTeam = endpoint("GET", "/api/team/:id", {
  access: "user",
  scope: "teams:read",
  inTeam: true,
  summary: "One team of the caller; any for administrators",
  params: byId,
  data: team,
});

export const updateTeam = endpoint("PUT", "/api/team/", {
  access: "user",
  scope: "teams:write",
  inTeam: true,
  summary: "Change a team; missing members keep their values, and the next call of its keys obeys",
  body: teamChange,
  data: team,
});

export const putTeam = endpoint("PUT", "/api/team/by-external/:external_id", {
  access: "admin",
  scope: "teams:write",
  summary:
    "Create the team of this external_id with an empty wallet, or change it; a repetition changes nothing",
  params: byExternalId,
  /** A new team needs a name; missing members of another one keep their values. */
  body: z.object(teamSettings),
  data: team,
});

export const deleteTeam = endpoint("DELETE", "/api/team/:id", {
  access: "user",
  scope: "none",
  summary:
    "Delete a team: its keys stop at once, and what its wallet has left goes back to the operator",
  params: byId,
  /** Root bears what the team owes; without it, a team that owes something is not deleted. */
  query: z.object({ write_off: z.optional(queryFlag) }),
});

export const listTeamMembers = endpoint("GET", "/api/team/:id/members", {
  access: "user",
  scope: "teams:read",
  inTeam: true,
  summary: "Who is in a team; a member sees the own row",
  params: byId,
  data: z.array(teamMember),
});

export const setTeamMember = endpoint("PUT", "/api/team/:id/member", {
  access: "user",
  scope: "teams:write",
  inTeam: true,
  summary: "Change the role of a member; administrators of the site add users so",
  params: byId,
  body: z.object({ user_id: entityId, role: z.enum(teamRoles) }),
  data: z.array(teamMember),
});

export const removeTeamMember = endpoint("POST", "/api/team/:id/remove_member", {
  access: "user",
  scope: "teams:write",
  inTeam: true,
  summary: "Remove a member, or leave a team: the member's keys of the team stop at once",
  params: byId,
  body: z.object({ user_id: entityId }),
});

export const transferToTeam = endpoint("POST", "/api/team/:id/transfer", {
  access: "user",
  scope: "none",
  summary: "Move quota into a team's wallet or out of it",
  params: byId,
  body: teamTransfer,
  data: team,
});

export const listTeamTokens = endpoint("GET", "/api/team/:id/tokens", {
  access: "user",
  scope: "teams:read",
  inTeam: true,
  summary: "The keys of a team without their secrets; a member sees the own ones",
  params: byId,
  query: z.object(pageFields),
  data: z.array(teamToken),
  extras: listExtras,
});

export const createTeamToken = endpoint("POST", "/api/team/:id/token", {
  access: "user",
  scope: "teams:write",
  inTeam: true,
  summary: "Create a key that the team pays for; only this reply shows it",
  params: byId,
  body: z.extend(tokenInput, {
    /**
     * The key of a service: it belongs to no account and survives its maker. Admins of the team
     * make such keys.
     */
    service: z._default(z.boolean(), false),
  }),
  data: z.extend(teamToken, { key: z.string() }),
});

export const setTeamTokenStatus = endpoint("PUT", "/api/team/:id/token", {
  access: "user",
  scope: "teams:write",
  inTeam: true,
  summary: "Enable or disable a key of a team",
  params: byId,
  body: z.object({
    token_id: entityId,
    status: z.union(
      [z.literal(1), z.literal(2)],
      makeAboutField("must be 1 to enable or 2 to disable"),
    ),
  }),
  data: teamToken,
});
