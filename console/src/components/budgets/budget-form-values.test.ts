import type { Budget } from "@tollgate/contract/accounts/budgets.ts";
import { expect, test } from "vitest";
import {
  buildBudget,
  buildBudgetForm,
  defineBudgetFormSchema,
  writeTerms,
} from "./budget-form-values.ts";

const messages = {
  name: "name",
  amount: "amount",
  subject: "subject",
  thresholds: "thresholds",
  model: "model",
  days: "days",
};
const schema = defineBudgetFormSchema(messages, true);
const typed = (values: object) =>
  schema.safeParse({ ...buildBudget(), name: "b", amount: "5", ...values });
const sent = (values: object) => {
  const { data } = typed(values);
  if (!data) throw new Error("the form is not filled in");
  return writeTerms(data);
};

test("a budget begins on the chosen day of its week or month, in the chosen zone", () => {
  const chosen = { week_day: "7", month_day: "31", zone: "Asia/Tokyo" };
  expect(sent({ ...chosen, window: "week" })).toMatchObject({
    window: "week",
    first_day: 7,
    zone: "Asia/Tokyo",
  });
  expect(sent({ ...chosen, window: "month" })).toMatchObject({ first_day: 31 });
  expect(sent({ ...chosen, window: "day", zone: "" })).not.toHaveProperty("first_day");
  expect(sent({})).not.toHaveProperty("zone");
});

test("thresholds are percentages with commas between them, or none", () => {
  for (const [text, thresholds] of [
    ["", []],
    ["50,80 , 100%", [50, 80, 100]],
    ["80, 80", [80]],
  ] as const)
    expect(sent({ thresholds: text }).thresholds).toEqual(thresholds);
  for (const wrong of ["0", "101", "80;90", "1,2,3,4,5,6", "80,", "half"])
    expect(typed({ thresholds: wrong }).success, wrong).toBe(false);
});

test("a budget that is opened and saved unchanged says what it said", () => {
  const terms = {
    name: "b",
    window: "week",
    first_day: 3,
    zone: "Europe/Berlin",
    amount: 5,
    hard: true,
  } as const;
  const whole = {
    ...terms,
    on_reached: "refuse",
    thresholds: [50, 100],
    models: ["a", "b"],
    note: "n",
  } as const;
  const { first_day: _, ...ofDays } = {
    ...whole,
    window: "days:14",
    anchor: "2026-11-02",
  } as const;
  for (const stored of [whole, ofDays]) {
    const budget = { ...stored, subject: "site", subject_name: "" } as unknown as Budget;
    const { data } = defineBudgetFormSchema(messages, false).safeParse(buildBudgetForm(budget));
    expect(data && writeTerms(data)).toEqual(stored);
  }
});

test("a number of days is 1 to 366, and a budget of a model has no list of models", () => {
  expect(sent({ window: "days", days: "014", anchor: "" })).toMatchObject({ window: "days:14" });
  expect(sent({ models: " a,b c,, " }).models).toEqual(["a", "b", "c"]);
  expect(sent({ models: "a", subject: "model", subject_name: "m" }).models).toEqual([]);
  for (const wrong of ["0", "367", "", "1.5", "-1", "ten"])
    expect(typed({ window: "days", days: wrong }).success, wrong).toBe(false);
});

test("what becomes of calls is sent as the form offers it", () => {
  const reaction = (values: object) => sent(values).on_reached;
  expect(reaction({})).toBe("refuse");
  expect(reaction({ subject: "user", subject_name: "mira", reaction: "pause" })).toBe("pause");
  expect(reaction({ subject: "site", reaction: "pause" })).toBe("refuse");
  expect(reaction({ reaction: "model", model_instead: " small " })).toBe("model:small");
  expect(reaction({ reaction: "model", model_instead: "small", hard: false })).toBe("refuse");
  expect(typed({ reaction: "model" }).error?.issues).toMatchObject([
    { path: ["model_instead"], message: "model" },
  ]);
});
