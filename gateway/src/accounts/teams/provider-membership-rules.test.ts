import { teamRoles } from "@tollgate/contract/accounts/teams.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { compareMemberships, type HeldMembership } from "./provider-membership-rules.ts";

const provider = "oidc:https://login.example";
const teams = ["ads", "maps", "search"];
const anyHeld = fc.uniqueArray(
  fc.record({
    team: fc.constantFrom(...teams),
    team_id: fc.constant(1),
    role: fc.constantFrom(...teamRoles),
    by_provider: fc.constantFrom("", provider, "oidc:https://other.example"),
    left_at: fc.constantFrom(null, 5),
  }),
  { selector: ({ team }) => team },
);
const anyGiven = fc.uniqueArray(
  fc.record({
    team: fc.constantFrom(...teams),
    role: fc.constantFrom(...teamRoles),
    budget: fc.constant(null),
  }),
  { selector: ({ team }) => team },
);
const isPresent = ({ left_at }: HeldMembership) => left_at === null;

test("after a sign-in the person is where the provider says, and where others put them, as they said", () => {
  fc.assert(
    fc.property(anyHeld, anyGiven, (held, given) => {
      const { put, kept, ended } = compareMemberships(provider, held, given);
      const others = held.filter((one) => isPresent(one) && one.by_provider !== provider);
      const byOthers = new Set(others.map(({ team }) => team));
      const wanted = given.filter(({ team }) => !byOthers.has(team));
      // Nothing of others is touched.
      expect(
        [...put, ...kept].map(({ team }) => team).filter((team) => byOthers.has(team)),
      ).toEqual([]);
      expect(ended.every((one) => isPresent(one) && one.by_provider === provider)).toBe(true);
      // The rest is what the rules give, with their roles.
      const after = new Map(
        held
          .filter((one) => isPresent(one) && one.by_provider === provider && !ended.includes(one))
          .map(({ team, role }) => [team, role]),
      );
      for (const { team, role } of put) after.set(team, role);
      expect(after).toEqual(new Map(wanted.map(({ team, role }) => [team, role])));
      expect(kept.every(({ team, role }) => after.get(team) === role)).toBe(true);
    }),
  );
});

test("a second sign-in with the same claims changes nothing", () => {
  fc.assert(
    fc.property(anyGiven, (given) => {
      const held = given.map(({ team, role }) => ({
        ...{ team, team_id: 1, role, by_provider: provider, left_at: null },
      }));
      expect(compareMemberships(provider, held, given)).toEqual({
        put: [],
        kept: given,
        ended: [],
      });
    }),
  );
});
