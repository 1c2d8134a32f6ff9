/**
 * Invitations into a team, by the name of an account or by a mail address. They answer alike for
 * known and unknown ones.
 */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { byId, entityId } from "../api/ids.ts";
import { line, unixMillis } from "../api/scalars.ts";
import { teamRoles } from "./teams.ts";

/** An invitation ends unanswered after seven days. */
export const invitationDays = 7;
/** Open invitations of one team: more are a mistake, or a way to send mail to strangers. */
export const openInvitationsMax = 200;

/** `owner` offers the team to one of its admins: it changes hands when that admin accepts. */
export const invitedRoles = [...teamRoles, "owner"] as const;
export type InvitedRole = (typeof invitedRoles)[number];

export const teamInvitation = z.object({
  id: z.int(),
  /** The name or the mail address as it was typed. */
  to: z.string(),
  role: z.enum(invitedRoles),
  /** The username of who invited. */
  invited_by: z.string(),
  created_at: unixMillis,
  expires_at: unixMillis,
});
export type TeamInvitation = z.output<typeof teamInvitation>;

const madeInvitation = z.extend(teamInvitation, {
  /**
   * `link` is for the inviter to hand over, where the site sends no mail, for an address. Empty
   * otherwise, and never shown again.
   */
  link: z.string(),
});

/** `receivedInvitation` is what the invited person sees of it. */
export const receivedInvitation = z.object({
  id: z.int(),
  team_name: z.string(),
  role: z.enum(invitedRoles),
  invited_by: z.string(),
  created_at: unixMillis,
  expires_at: unixMillis,
});
export type ReceivedInvitation = z.output<typeof receivedInvitation>;

export const inviteToTeam = endpoint("POST", "/api/team/:id/invite", {
  access: "user",
  scope: "teams:write",
  inTeam: true,
  summary:
    "Invite someone into a team by username or mail address; answers alike whether there is such an account",
  params: byId,
  body: z.object({
    to: line(254).check(z.minLength(1, makeAboutField("is required"))),
    role: z.enum(invitedRoles),
  }),
  data: madeInvitation,
});

export const listTeamInvitations = endpoint("GET", "/api/team/:id/invitations", {
  access: "user",
  scope: "teams:read",
  inTeam: true,
  summary: "The open invitations of a team, for its admins",
  params: byId,
  data: z.array(teamInvitation),
});

const byInvitation = z.object({ invitation_id: entityId });

export const resendTeamInvitation = endpoint("POST", "/api/team/:id/resend_invitation", {
  access: "user",
  scope: "teams:write",
  inTeam: true,
  summary: "Begin an invitation anew: with seven days and a new link, and the old link ends",
  params: byId,
  body: byInvitation,
  data: madeInvitation,
});

export const withdrawTeamInvitation = endpoint("POST", "/api/team/:id/withdraw_invitation", {
  access: "user",
  scope: "teams:write",
  inTeam: true,
  summary: "Withdraw an open invitation of a team",
  params: byId,
  body: byInvitation,
});

export const listReceivedInvitations = endpoint("GET", "/api/user/invitations", {
  access: "user",
  scope: "teams:read",
  summary: "Open invitations into teams for the caller, by username or verified mail address",
  data: z.array(receivedInvitation),
});

/** The secret of a link `/invitation#CODE`. */
const code = line(128).check(z.minLength(1));

export const readInvitation = endpoint("POST", "/api/user/invitation", {
  access: "user",
  scope: "none",
  inReadOnly: true,
  summary: "The open invitation of a link",
  body: z.object({ code }),
  data: receivedInvitation,
});

export const answerInvitation = endpoint("POST", "/api/user/invitation/answer", {
  access: "user",
  scope: "none",
  summary: "Accept or decline an invitation into a team, by its id or by the code of its link",
  body: z.object({ id: z.optional(entityId), code: z.optional(code), accept: z.boolean() }).check(
    z.refine((body) => (body.id === undefined) !== (body.code === undefined), {
      ...makeAboutField("or code is required, and not both"),
      path: ["id"],
    }),
  ),
  /** The team that the caller is in now; null where the caller declined. */
  data: z.object({ team_id: z.nullable(z.int()) }),
});
