/** Teams as a configuration document writes them: everything but their money and their keys. */
import * as z from "zod/mini";
import { externalId } from "../accounts/external-ids.ts";
import { teamCapsMax } from "../accounts/team-caps.ts";
import { invitedRoles } from "../accounts/team-invitations.ts";
import { teamInput } from "../accounts/teams.ts";
import { makeAboutField } from "../api/field-message.ts";
import { line } from "../api/scalars.ts";
import { configuredTerms } from "./configured-budgets.ts";

/** A team is shown on one page. */
const membersMax = 1_000;
const teamBudgetsMax = 8;

/** `makeUnwritable` is a member that someone may expect here, with the sentence that it gets. */
const makeUnwritable = (predicate: string) => z.optional(z.never(makeAboutField(predicate)));
const movesMoney =
  "cannot be in a file: a file moves no money. Use a transfer into the team or out of it";

/** The accounts exist already: a file makes none. */
const configuredMember = z
  .strictObject({
    /** `user` is the username; in its place `externalId`, the name that a program gave. */
    user: z.optional(line(255).check(z.minLength(1))),
    externalId: z.optional(externalId),
    /** One member may be the `owner`, who is an admin. */
    role: z._default(z.enum(invitedRoles), "member"),
  })
  .check(
    z.refine(
      ({ user, externalId }) => (user === undefined) !== (externalId === undefined),
      makeAboutField("names one account, by user or by externalId"),
    ),
  );
export type ConfiguredMember = z.output<typeof configuredMember>;

const configuredTeamBudget = z.strictObject({
  ...configuredTerms,
  /** By which it is found; without one, by its name in its team. */
  externalId: z.optional(externalId),
});
export type ConfiguredTeamBudget = z.output<typeof configuredTeamBudget>;

const { shape } = teamInput;
/**
 * A member that is left out has its default; whether the team is enabled and its people stay.
 */
export const configuredTeam = z.strictObject({
  name: shape.name,
  /** `externalId` goes by which later files find it; without one, its name. */
  externalId: z.optional(externalId),
  note: shape.note,
  group: shape.group,
  models: z._default(z.array(line(200).check(z.minLength(1))).check(z.maxLength(2_000)), []),
  enabled: z.optional(z.boolean()),
  membersSeeBalance: shape.members_see_balance,
  rpmLimit: shape.rpm_limit,
  tpmLimit: shape.tpm_limit,
  maxParallelRequests: shape.max_parallel_requests,
  /** Left out: who is in the team is no business of the file. */
  members: z.optional(
    z.array(configuredMember).check(
      z.maxLength(membersMax),
      z.refine(
        (all) => all.filter(({ role }) => role === "owner").length <= 1,
        makeAboutField("must have one owner at most"),
      ),
    ),
  ),
  /** `budgets` count the calls of the whole team. */
  budgets: z._default(z.array(configuredTeamBudget).check(z.maxLength(teamBudgetsMax)), []),
  /** Each member has each of them, with a counter of the member's own. */
  memberBudgets: z._default(z.array(configuredTeamBudget).check(z.maxLength(teamCapsMax)), []),
  balance: makeUnwritable(movesMoney),
  quota: makeUnwritable(movesMoney),
  keys: makeUnwritable("cannot be in a file: API keys are no configuration"),
});
export type ConfiguredTeam = z.output<typeof configuredTeam>;
