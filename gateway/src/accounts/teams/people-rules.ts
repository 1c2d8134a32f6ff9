/** Rules for many people who come into a team in one step, and the view of each of them. Pure. */
import { userStatus } from "@tollgate/contract/accounts/roles.ts";
import type { JoinedPerson, TeamPeopleInput } from "@tollgate/contract/accounts/team-people.ts";
import { type Refusal, refuse } from "../../http/refusal.ts";
import type { Principal } from "../../http/request-context.ts";
import { canManage } from "../identity/users/user-edit-rules.ts";
import type { UserAccount } from "../identity/users/user-store.ts";
import type { TeamMemberRow } from "./team-store.ts";

/** `AskedPerson` is an account that a request names, with its membership, also one that ended. */
export interface AskedPerson {
  /** The name as the request has it. */
  name: string;
  account: UserAccount | undefined;
  member: TeamMemberRow | undefined;
}

export const isPresent = ({ member }: AskedPerson): boolean => member?.left_at === null;

export const chooseRole = (person: AskedPerson, { role }: Pick<TeamPeopleInput, "role">) =>
  person.member !== undefined && isPresent(person) ? person.member.role : role;

interface PeopleRules extends Pick<TeamPeopleInput, "role" | "key"> {
  principal: Principal;
  keysMax: number;
}

/** `findProblem` is why nobody is added; undefined where nothing is in the way of this person. */
export function findProblem(
  person: AskedPerson,
  { principal, keysMax, ...input }: PeopleRules,
): Refusal | undefined {
  const { account, member } = person;
  if (!account) return refuse("user_not_found");
  if (account.status !== userStatus.enabled) return refuse("account_disabled");
  if (input.key === undefined) return undefined;
  if (chooseRole(person, input) === "viewer") return refuse("team_viewer_without_key");
  if ((member?.keys ?? 0) >= keysMax) return refuse("too_many_tokens");
  // A key is shown to who makes it.
  if (account.id !== principal.id && !canManage(principal, account))
    return refuse("user_out_of_reach");
  return undefined;
}

export function viewPerson(
  person: AskedPerson,
  input: Pick<TeamPeopleInput, "role">,
  problem: Refusal | undefined,
  key = "",
): JoinedPerson {
  const { account, name } = person;
  return {
    user_id: account?.id ?? 0,
    username: account?.username ?? name,
    display_name: account?.display_name ?? "",
    role: chooseRole(person, input),
    is_member: isPresent(person),
    problem: problem === undefined ? null : { code: problem.code, message: problem.message },
    key,
  };
}
