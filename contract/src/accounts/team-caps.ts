/**
 * Caps of the members of a team: a template of the team gives each member a budget of the member's
 * own. Pure data for gateway and console.
 */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { byId, entityId } from "../api/ids.ts";
import { listExtras, pageFields } from "../api/page.ts";
import { queryInteger, unixMillis } from "../api/scalars.ts";
import { budgetTemplate } from "./budget-templates.ts";
import { budget, budgetSettings, changeableSettings, dayOfWeekCheck } from "./budgets.ts";
import { rulingProvider } from "./teams.ts";

/**
 * `teamCapsMax` leaves half of the budgets that a member may have for what is set for one member
 * alone.
 */
export const teamCapsMax = 4;

/**
 * `teamBudgetSubjects` say what the calls of a budget have in common: the whole team, or one
 * member's keys in it.
 */
export const teamBudgetSubjects = ["team", "member"] as const;
export type TeamBudgetSubject = (typeof teamBudgetSubjects)[number];

export const teamCap = z.extend(
  z.omit(budgetTemplate, { subject: true, group: true, external_id: true }),
  {
    /**
     * Budgets of members who left, and were changed for them alone. `followers` hold the others.
     */
    own: z.int(),
  },
);
export type TeamCap = z.output<typeof teamCap>;

export const teamBudget = z.extend(budget, {
  /** `user_id` is the member's; 0 for the budget of the whole team. */
  user_id: z.int(),
  /**
   * The cap of the team that gave it; null for none. Where `template_id` is null besides, it was
   * changed for this member alone.
   */
  cap_id: z.nullable(z.int()),
  by_provider: rulingProvider,
});
export type TeamBudget = z.output<typeof teamBudget>;

const memberCapInput = z.object({ user_id: entityId, ...budgetSettings }).check(dayOfWeekCheck);
const capInput = z.object(budgetSettings).check(dayOfWeekCheck);
export type TeamCapInput = z.output<typeof capInput>;

/** The version that the form read; refused when it is older than the stored one. */
const readVersion = { updated_at: z.optional(unixMillis) };
const capChange = z
  .object({ cap_id: entityId, ...changeableSettings, ...readVersion })
  .check(dayOfWeekCheck);
const memberCapChange = z
  .object({
    budget_id: entityId,
    ...changeableSettings,
    ...readVersion,
    /** Back to what the cap of the team says, and with its changes from then on. */
    follow: z.optional(z.literal(true)),
  })
  .check(
    dayOfWeekCheck,
    z.refine(
      (body) =>
        body.follow !== true || Object.keys(changeableSettings).every((name) => !(name in body)),
      {
        ...makeAboutField("takes everything from the cap of the team"),
        path: ["follow"],
      },
    ),
  );

export const listTeamBudgets = endpoint("GET", "/api/team/:id/budgets", {
  access: "user",
  scope: "teams:read",
  inTeam: true,
  summary:
    "The budgets of a team and of its members in their current windows; a member sees the own ones",
  params: byId,
  query: z.object({
    ...pageFields,
    subject: z.optional(z.enum(teamBudgetSubjects)),
    /** `user_id` selects the budgets of this member alone. */
    user_id: z.optional(queryInteger(1, Number.MAX_SAFE_INTEGER)),
  }),
  data: z.array(teamBudget),
  extras: listExtras,
});

export const listTeamCaps = endpoint("GET", "/api/team/:id/caps", {
  access: "user",
  scope: "teams:read",
  inTeam: true,
  summary: "The caps that each member of a team has, with the number of members who follow each",
  params: byId,
  data: z.array(teamCap),
});

export const createTeamCap = endpoint("POST", "/api/team/:id/cap", {
  access: "user",
  scope: "teams:write",
  inTeam: true,
  summary:
    "Create a cap: each member, now and later, gets a budget by it that counts from that moment on",
  params: byId,
  body: capInput,
  data: teamCap,
});

export const updateTeamCap = endpoint("PUT", "/api/team/:id/cap", {
  access: "user",
  scope: "teams:write",
  inTeam: true,
  summary:
    "Change a cap of a team for all members but those for whom it was changed alone; the next call obeys it",
  params: byId,
  body: capChange,
  data: teamCap,
});

export const removeTeamCap = endpoint("POST", "/api/team/:id/remove_cap", {
  access: "user",
  scope: "teams:write",
  inTeam: true,
  summary: "End a cap of a team; what was changed for one member alone stays with that member",
  params: byId,
  body: z.object({ cap_id: entityId }),
});

export const createMemberCap = endpoint("POST", "/api/team/:id/member_cap", {
  access: "user",
  scope: "teams:write",
  inTeam: true,
  summary: "Create a cap for one member of a team alone",
  params: byId,
  body: memberCapInput,
  data: teamBudget,
});

export const updateMemberCap = endpoint("PUT", "/api/team/:id/member_cap", {
  access: "user",
  scope: "teams:write",
  inTeam: true,
  summary:
    "Change the cap of one member alone: it keeps what it counted and leaves the cap of the team, or follows it again",
  params: byId,
  body: memberCapChange,
  data: teamBudget,
});

export const removeMemberCap = endpoint("POST", "/api/team/:id/remove_member_cap", {
  access: "user",
  scope: "teams:write",
  inTeam: true,
  summary: "End the cap of one member of a team",
  params: byId,
  body: z.object({ budget_id: entityId }),
});
