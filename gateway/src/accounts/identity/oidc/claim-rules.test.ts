import type { ClaimRule } from "@tollgate/contract/accounts/oidc-providers.ts";
import { roles } from "@tollgate/contract/accounts/roles.ts";
import { teamRoles } from "@tollgate/contract/accounts/teams.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  applyProviderGrants,
  evaluateClaimRules,
  explainUnmatched,
  hasProvedSecondFactor,
  type ProviderStanding,
  readValues,
} from "./claim-rules.ts";

const noTeam = { team: "", team_role: "member" as const, team_budget: null };
const rule = (
  claim: string,
  value: string,
  gives: { role?: 1 | 10; group?: string } & Partial<ClaimRule>,
): ClaimRule => ({ ...{ claim, value, role: null, group: "" }, ...noTeam, ...gives });

describe("the values at a path", () => {
  test("are found through members, in lists, and under names that have dots themselves", () => {
    expect(readValues({ groups: ["a", "b"] }, "groups")).toEqual(["a", "b"]);
    expect(readValues({ realm_access: { roles: ["x"] } }, "realm_access.roles")).toEqual(["x"]);
    expect(readValues({ "https://example.com/roles": "x" }, "https://example.com/roles")).toEqual([
      "x",
    ]);
    expect(readValues({ admin: true, level: 3 }, "admin")).toEqual(["true"]);
    expect(readValues({ level: 3 }, "level")).toEqual(["3"]);
  });

  test("are none where the path leads nowhere, into a prototype, or to what is no text", () => {
    const claims = { groups: [{ name: "a" }, null, ["b"]], nothing: null, text: "abc" };
    for (const path of [
      "missing",
      "groups",
      "nothing",
      "text.length",
      "constructor.name",
      "__proto__",
      "",
      ".",
    ])
      expect(readValues(claims, path), path).toEqual([]);
  });

  test("never throw, whatever a provider sends", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (claims, path) => {
        expect(readValues(claims, path).every((value) => typeof value === "string")).toBe(true);
      }),
    );
  });
});

test("the operator reads what stood in each claim that rules look at, and no more than fits a line of the log", () => {
  const rules = [
    rule("groups", "a", { role: 1 }),
    rule("groups", "b", { role: 1 }),
    rule("realm.roles", "c", { role: 1 }),
  ];
  expect(explainUnmatched(rules, { groups: ["x", "y\n"], sub: "mira" })).toBe(
    'no rule matches: groups holds ["x","y\\n"], realm.roles holds []',
  );
  expect(explainUnmatched(rules, { groups: Array(100).fill("z".repeat(500)) }).length).toBe(1_000);
});

describe("the verdict", () => {
  const rules = [
    rule("groups", "admins", { role: 10 }),
    rule("groups", "staff", { role: 1, group: "vip" }),
    rule("groups", "all", { group: "default" }),
  ];

  test("takes role and group from the first rule that gives each", () => {
    expect(evaluateClaimRules(rules, true, { groups: ["staff", "admins", "all"] })).toEqual({
      is_admitted: true,
      role: 10,
      group: "vip",
      teams: [],
      matched: [0, 1, 2],
      is_overage: false,
    });
  });

  test("is reached for every claim that JSON can hold, also for objects that turn into no text", () => {
    const noText = { toString: null, valueOf: null };
    const value = fc.oneof(fc.jsonValue(), fc.constant(noText));
    const names = ["groups", "hasgroups", "_claim_names", "amr", "acr", "__proto__", "toString"];
    const claims = fc.dictionary(fc.constantFrom(...names), value);
    expect(evaluateClaimRules(rules, true, { hasgroups: noText })).toMatchObject({
      is_admitted: false,
      is_overage: false,
    });
    fc.assert(
      fc.property(claims, (sent) => {
        const { role } = evaluateClaimRules(rules, true, sent);
        expect([null, 1, 10]).toContain(role);
        hasProvedSecondFactor(sent, ["gold"]);
      }),
    );
  });

  test("gives every team of the matching rules, each as the first of its rules says", () => {
    const budget = { amount: 5, window: "week" as const };
    const teams = [
      rule("groups", "leads", { team: "search", team_role: "admin" }),
      rule("groups", "staff", { team: "search", team_budget: budget }),
      rule("groups", "staff", { team: "ads", team_role: "viewer", role: 1 }),
    ];
    const given = (...groups: string[]) => evaluateClaimRules(teams, true, { groups }).teams;
    expect(given("staff", "leads")).toEqual([
      { team: "search", role: "admin", budget: null },
      { team: "ads", role: "viewer", budget: null },
    ]);
    expect(given("staff")).toEqual([
      { team: "search", role: "member", budget },
      { team: "ads", role: "viewer", budget: null },
    ]);
    expect(given("others")).toEqual([]);
  });

  test("compares values exactly", () => {
    for (const group of ["Admins", "admins ", "admin", "admins,staff"])
      expect(evaluateClaimRules(rules, true, { groups: [group] }), group).toMatchObject({
        is_admitted: false,
        role: null,
      });
  });

  test("recognises groups that Microsoft Entra left out, only where rules look at groups", () => {
    for (const claims of [
      { _claim_names: { groups: "src1" } },
      { hasgroups: true },
      { hasgroups: "true" },
    ])
      expect(evaluateClaimRules(rules, false, claims).is_overage).toBe(true);
    expect(
      evaluateClaimRules([rule("roles", "x", { role: 1 })], false, { hasgroups: true }).is_overage,
    ).toBe(false);
    expect(evaluateClaimRules(rules, false, { groups: [], hasgroups: false }).is_overage).toBe(
      false,
    );
  });

  test("never gives what no rule gives, and nothing to claims that match no rule", () => {
    const anyRule = fc.record({
      claim: fc.constantFrom("groups", "roles", "realm.roles"),
      value: fc.constantFrom("a", "b", "c"),
      role: fc.constantFrom(null, 1 as const, 10 as const),
      group: fc.constantFrom("", "vip", "staff"),
      team: fc.constantFrom("", "search", "ads"),
      team_role: fc.constantFrom(...teamRoles),
      team_budget: fc.constant(null),
    });
    const anyClaims = fc.dictionary(
      fc.constantFrom("groups", "roles", "realm", "__proto__"),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(fc.array(anyRule), anyClaims, fc.boolean(), (given, claims, refuses) => {
        const verdict = evaluateClaimRules(given, refuses, claims);
        const matching = verdict.matched.map((index) => given[index]);
        expect(verdict.role === null || matching.some((one) => one?.role === verdict.role)).toBe(
          true,
        );
        expect(verdict.group === "" || matching.some((one) => one?.group === verdict.group)).toBe(
          true,
        );
        for (const { team, role } of verdict.teams)
          expect(matching.find((one) => one?.team === team)?.team_role).toBe(role);
        const named = new Set(matching.flatMap((one) => one?.team || []));
        expect(new Set(verdict.teams.map(({ team }) => team))).toEqual(named);
        expect(verdict.is_admitted).toBe(matching.length > 0 || !refuses);
      }),
    );
  });
});

describe("the standing after a sign-in", () => {
  const anyRole = fc.constantFrom(roles.user, roles.admin, roles.root);
  const anyGroup = fc.constantFrom("default", "vip", "staff");
  const standing = fc.record({
    role: anyRole,
    group: anyGroup,
    givenRole: fc.constantFrom(null, roles.admin),
    givenGroup: fc.constantFrom(null, "vip", "staff"),
  });
  const verdict = fc.record({
    role: fc.constantFrom(null, 1 as const, 10 as const),
    group: fc.constantFrom("", "default", "vip", "staff"),
  });

  test("is never root by a provider, and root never loses its role", () => {
    fc.assert(
      fc.property(standing, verdict, (before, ruled) => {
        expect(applyProviderGrants(before, ruled).role === roles.root).toBe(
          before.role === roles.root,
        );
      }),
    );
  });

  test("does not change when the same claims come again", () => {
    fc.assert(
      fc.property(standing, verdict, (before, ruled) => {
        const after = applyProviderGrants(before, ruled);
        expect(applyProviderGrants(after, ruled)).toEqual(after);
      }),
    );
  });

  test("after rules that give nothing holds nothing of the provider, and all that people gave", () => {
    const byHand = fc.record({ role: anyRole, group: anyGroup });
    fc.assert(
      fc.property(byHand, fc.array(verdict), (start, verdicts) => {
        const before: ProviderStanding = { ...start, givenRole: null, givenGroup: null };
        const during = verdicts.reduce(applyProviderGrants, before);
        expect(applyProviderGrants(during, { role: null, group: "" })).toEqual(before);
      }),
    );
  });

  test("keeps what people changed after the provider had given something", () => {
    const demoted = { role: roles.user, group: "staff", givenRole: roles.admin, givenGroup: "vip" };
    expect(applyProviderGrants(demoted, { role: 10, group: "vip" })).toMatchObject({
      role: roles.user,
      group: "staff",
    });
    expect(applyProviderGrants(demoted, { role: null, group: "" })).toEqual({
      ...demoted,
      givenRole: null,
      givenGroup: null,
    });
  });
});

test("a second factor is proved by mfa in the list amr, or by a named class", () => {
  expect(hasProvedSecondFactor({ amr: ["pwd", "mfa"] }, [])).toBe(true);
  expect(hasProvedSecondFactor({ acr: "gold" }, ["gold"])).toBe(true);
  for (const claims of [{ amr: "mfa" }, { amr: ["otp"] }, { acr: "silver" }, { acr: ["gold"] }, {}])
    expect(hasProvedSecondFactor(claims, ["gold"]), JSON.stringify(claims)).toBe(false);
});
