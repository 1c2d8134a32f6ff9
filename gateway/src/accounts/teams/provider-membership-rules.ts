/** What the rules of a sign-in provider change of the teams of one person. Pure. */
import type { GivenBudget, TeamGrant } from "@tollgate/contract/accounts/oidc-providers.ts";
import { createTeamCap } from "@tollgate/contract/accounts/team-caps.ts";
import type { BudgetRow } from "../budgets/budget-store.ts";

/** `HeldMembership` is a membership of the person in a living team, also one that ended. */
export interface HeldMembership {
  team_id: number;
  /** `team` is its uuid. */
  team: string;
  role: TeamGrant["role"];
  by_provider: string;
  left_at: number | null;
}

interface MembershipChanges<Held> {
  /** `put` are those that begin, or whose role changes. */
  put: TeamGrant[];
  /** `kept` are those that the provider gives as they are. */
  kept: TeamGrant[];
  ended: Held[];
}

/**
 * `compareMemberships` leaves alone what was given by hand, or by another provider: that decides as
 * long as the person is in the team.
 */
export function compareMemberships<Held extends HeldMembership>(
  provider: string,
  held: readonly Held[],
  given: readonly TeamGrant[],
): MembershipChanges<Held> {
  const present = new Map(
    held.filter(({ left_at }) => left_at === null).map((one) => [one.team, one]),
  );
  const own = given.filter(({ team }) => (present.get(team)?.by_provider ?? provider) === provider);
  const isKept = ({ team, role }: TeamGrant) => present.get(team)?.role === role;
  const givenTeams = new Set(given.map(({ team }) => team));
  return {
    put: own.filter((one) => !isKept(one)),
    kept: own.filter(isKept),
    ended: [...present.values()].filter(
      ({ team, by_provider }) => by_provider === provider && !givenTeams.has(team),
    ),
  };
}

/** `isSameBudget` says whether the stored budget is what the rule gives. */
export const isSameBudget = (
  stored: Pick<BudgetRow, "amount" | "window">,
  { amount, window }: GivenBudget,
): boolean => stored.amount === amount && stored.window === window;

/** `buildGivenTerms` gives the terms of a budget that a rule gives: the rest are defaults. */
export const buildGivenTerms = (name: string, given: GivenBudget) =>
  createTeamCap.body.parse({ name, ...given });
