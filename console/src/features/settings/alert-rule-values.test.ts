import { findAlertRulesIssue } from "@tollgate/contract/notices/alert-rule-settings.ts";
import { expect, test } from "vitest";
import {
  buildAlertRuleValues,
  buildUsualRuleValues,
  findRuleLimitIssue,
  formatAlertRulesText,
  isUsual,
} from "./alert-rule-values.ts";

const balance = { begins: 5, ends: 6, max: 1_000_000, unit: "dollars" } as const;
const failing = { begins: 20, ends: 10, max: 100, unit: "percent" } as const;

test("the form shows the usual values of what is not set, and stores only what differs from them", () => {
  const values = buildAlertRuleValues('{"channel.balance_low":{"begins":3}}');
  expect(values["channel.balance_low"]).toEqual({
    enabled: true,
    begins: "3",
    ends: "6",
    pauses: false,
  });
  expect(isUsual("calls.failing", values["calls.failing"])).toBe(true);
  expect(formatAlertRulesText(values, "{}")).toBe('{"channel.balance_low":{"begins":3}}');
  const reset = { ...values, "channel.balance_low": buildUsualRuleValues("channel.balance_low") };
  expect(formatAlertRulesText(reset, "{}")).toBe("{}");
});

test("a rule that pauses is stored as one, and is not usual", () => {
  const stored = '{"spend.spike":{"pauses":true}}';
  const values = buildAlertRuleValues(stored);
  expect(isUsual("spend.spike", values["spend.spike"])).toBe(false);
  expect(formatAlertRulesText(values, stored)).toBe(stored);
});

test("a rule of a newer server keeps what is set for it", () => {
  const stored = '{"moon.full":{"enabled":false}}';
  const values = {
    ...buildAlertRuleValues(stored),
    "usage.capped": { enabled: false, begins: "0", ends: "0", pauses: false },
  };
  expect(JSON.parse(formatAlertRulesText(values, stored))).toEqual({
    "usage.capped": { enabled: false },
    "moon.full": { enabled: false },
  });
});

test.each([
  [balance, "3", "4.5", undefined],
  [balance, "", "6", "begins_number"],
  [balance, "5", "6 dollars", "ends_number"],
  [balance, "6", "6", "ends_beyond"],
  [failing, "101", "10", "begins_number"],
  [failing, "10", "10", "ends_beyond"],
] as const)("limits of %o from %s to %s: %s", (usual, begins, ends, issue) => {
  expect(findRuleLimitIssue(usual, { enabled: true, begins, ends, pauses: false })).toBe(issue);
});

test("what cannot be saved is refused by the server too, and never stored as something else", () => {
  const values = {
    ...buildAlertRuleValues(""),
    "calls.failing": { enabled: true, begins: "many", ends: "10", pauses: false },
  };
  expect(findAlertRulesIssue(formatAlertRulesText(values, "{}"))).toContain("calls.failing");
});
