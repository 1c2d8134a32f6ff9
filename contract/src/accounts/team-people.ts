/**
 * Many people in one step: into a team, or as a new one, each with a key if wanted. All of them or
 * nobody.
 */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { byId, reference } from "../api/ids.ts";
import { line } from "../api/scalars.ts";
import { team, teamInput, teamRoles } from "./teams.ts";
import { tokenInput } from "./tokens.ts";

/**
 * `teamPeopleMax` is as many as the largest page of a list: one request is one transaction, which
 * others wait for.
 */
export const teamPeopleMax = 100;

const people = {
  /** Ids or uuids of accounts; beside them, or instead of them, `usernames`. */
  ids: z._default(z.array(reference), []),
  usernames: z._default(z.array(line(255)), []),
  /** The role of those who join; a person who is in the team keeps the role. */
  role: z._default(z.enum(teamRoles), "member"),
  /**
   * Each of them gets a key that the team pays for, and only the reply shows it. Left out: no keys.
   */
  key: z.optional(z.omit(tokenInput, { external_id: true })),
  /** True: nothing is changed. */
  preview: z.optional(z.boolean()),
};
const countPeople = ({ ids, usernames }: { ids: unknown[]; usernames: unknown[] }) =>
  ids.length + usernames.length;
const peopleCheck = z.refine<Parameters<typeof countPeople>[0]>(
  (body) => countPeople(body) > 0 && countPeople(body) <= teamPeopleMax,
  { ...makeAboutField(`and ids name 1 to ${teamPeopleMax} people together`), path: ["usernames"] },
);

const peopleInput = z.object(people).check(peopleCheck);
export type TeamPeopleInput = z.output<typeof peopleInput>;
const newTeamInput = z.extend(teamInput, people).check(peopleCheck);

export const teamPerson = z.object({
  /** 0 for a name that belongs to no account. */
  user_id: z.int(),
  username: z.string(),
  display_name: z.string(),
  role: z.enum(teamRoles),
  /** `is_member` says that the person is in the team already and gets the key alone. */
  is_member: z.boolean(),
  /** `problem` says why nobody is added; null where nothing is in the way. */
  problem: z.nullable(z.object({ code: z.string(), message: z.string() })),
  /** Empty in a preview, without a key, and where it is shown no more. */
  key: z.string(),
});
export type JoinedPerson = z.output<typeof teamPerson>;

const reply = {
  /** `team` is null in the preview of a new one. */
  data: z.object({ team: z.nullable(team), people: z.array(teamPerson) }),
  timeoutMs: 60_000,
} as const;

export const addTeamPeople = endpoint("POST", "/api/team/:id/people", {
  access: "admin",
  scope: "teams:write",
  summary:
    "Add many accounts to a team, each with a key if wanted, or the preview; all of them or nobody",
  params: byId,
  body: peopleInput,
  ...reply,
});

export const createTeamOfPeople = endpoint("POST", "/api/team/of_people", {
  access: "admin",
  scope: "teams:write",
  summary:
    "Create a team of these accounts, each with a key if wanted, or the preview; all of them or no team",
  body: newTeamInput,
  ...reply,
});
