import { expect, test } from "vitest";
import type { LitellmBudget } from "./litellm-budgets.ts";
import type { ModelScope } from "./litellm-models.ts";
import { readLitellmTeam } from "./litellm-teams.ts";

const now = Date.UTC(2026, 10, 1);

interface GivenTeam {
  scope?: ModelScope;
  holders?: readonly string[];
  budgets?: Readonly<Record<string, Partial<LitellmBudget> & { spent?: number }>>;
}

function read(row: Readonly<Record<string, unknown>>, given: GivenTeam = {}) {
  const { scope = "all", holders = [], budgets = {} } = given;
  const { item, losses } = readLitellmTeam(
    { team_id: "t", team_alias: "search", ...row },
    {
      rules: { unlimitedAs: 900, now },
      isKnownUser: (userId) => !userId.startsWith("gone"),
      scopeOf: () => scope,
      keyHoldersOf: () => new Set(holders),
      memberBudgetsOf: () =>
        new Map(
          Object.entries(budgets).map(([userId, { spent = 0, ...budget }]) => [
            userId,
            { budget: { max: 100, duration: "", resetAtMs: undefined, ...budget }, spent },
          ]),
        ),
    },
  );
  return { team: item, reasons: losses.map(({ reason }) => reason) };
}

test("people come from the lists of all versions, the newest decides on the role, and who is gone is told", () => {
  const { team, reasons } = read({
    members: "{a,b,gone}",
    admins: "{b}",
    members_with_roles: JSON.stringify([
      { user_id: "a", role: "admin" },
      { user_id: "c", role: "user" },
      { role: "user", user_email: "nobody@example.com" },
    ]),
    max_budget: "1",
  });
  expect(team?.members.map(({ userSourceId, role }) => [userSourceId, role])).toEqual([
    ["a", "admin"],
    ["b", "admin"],
    ["c", "member"],
  ]);
  expect(reasons).toEqual(["team_members_missing"]);
});

test("who has a key of the team becomes a member, because the key would be refused without", () => {
  const { team, reasons } = read({ max_budget: "1" }, { holders: ["a"] });
  expect(team?.members).toEqual([{ userSourceId: "a", role: "member", budget: undefined }]);
  expect(reasons).toEqual(["team_members_of_keys"]);
});

test.each([
  ["for good, less what was spent", { spent: 30 }, { amount: 70, window: "lifetime" }],
  ["for good, and spent", { spent: 500 }, { amount: 1, window: "lifetime" }],
  ["of days", { duration: "45d", spent: 30 }, { amount: 100, window: "days:45" }],
  ["of a month", { duration: "1mo" }, { amount: 100, window: "month" }],
  ["of a day", { duration: "24h" }, { amount: 100, window: "day" }],
  ["of minutes, which no window here has", { duration: "90m" }, undefined],
  ["of more days than a window has", { duration: "400d" }, undefined],
  ["without a limit", { max: null }, undefined],
] as const)("the budget of a member: %s", (_, budget, expected) => {
  const row = { members: "{a}", max_budget: "1" };
  const { team, reasons } = read(row, { budgets: { a: budget } });
  expect(team?.members[0]?.budget).toEqual(expected);
  const isLimited = !("max" in budget);
  expect(reasons).toEqual(
    isLimited ? [expected ? "member_budget_anew" : "member_budget_not_carried"] : [],
  );
});

test("a restriction that cannot be carried closes the team, and one that can binds all its keys", () => {
  expect(read({ max_budget: "1" }, { scope: new Set() })).toMatchObject({
    team: { isEnabled: false, models: "" },
    reasons: ["models_empty"],
  });
  expect(read({ max_budget: "1", rpm_limit: "0" })).toMatchObject({
    team: { isEnabled: false },
    reasons: ["limit_of_zero"],
  });
  expect(read({ max_budget: "1", rpm_limit: "60" }, { scope: new Set(["m"]) })).toMatchObject({
    team: { isEnabled: true, models: "m", limits: { rpm_limit: 60, tpm_limit: 0 } },
    reasons: [],
  });
});

test("without a budget the wallet ends all the same, and a line says so", () => {
  expect(read({})).toMatchObject({ team: { balance: 900 }, reasons: ["budget_unlimited"] });
});
