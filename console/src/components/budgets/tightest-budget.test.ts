import { expect, test } from "vitest";
import { sortTightest } from "./tightest-budget.ts";

const budget = (name: string, amount: number, spent: number, other = {}) => ({
  name,
  amount,
  spent,
  held: 0,
  enabled: true,
  hard: true,
  ...other,
});

test("the budget with the least left is first, and one that refuses nothing is none", () => {
  const budgets = [
    budget("roomy", 100, 10),
    budget("held", 100, 0, { held: 95 }),
    budget("off", 1, 1, { enabled: false }),
    budget("counts only", 1, 1, { hard: false }),
    budget("unread", 50, Number.NaN),
  ];
  expect(sortTightest(budgets).map(({ name }) => name)).toEqual(["held", "unread", "roomy"]);
});
