/** The setting `AlertRules` as the values of a form, and back. Pure. */
import {
  alertRuleMembers,
  alertRuleSettings,
  isApart,
  isRuleLimit,
  type UsualRuleLimits,
} from "@tollgate/contract/alert-rule-settings.ts";
import { type AlertRuleName, alertRules, isAlertRule, isUsuallyOn } from "@tollgate/contract/alert-rule-table.ts";

/** Limits as they are typed. */
export type RuleValues = { enabled: boolean; begins: string; ends: string; pauses: boolean };
export type AlertRuleValues = Readonly<Record<AlertRuleName, RuleValues>>;

export function alertRuleValues(text: string): AlertRuleValues {
  const settings = alertRuleSettings(text);
  const values = alertRules.map((rule): [AlertRuleName, RuleValues] => {
    const { enabled, limits, pauses } = settings[rule];
    return [rule, { enabled, begins: String(limits.begins), ends: String(limits.ends), pauses }];
  });
  return Object.fromEntries(values) as Record<AlertRuleName, RuleValues>;
}

const usualValues = alertRuleValues("");

export const usualRuleValues = (rule: AlertRuleName): RuleValues => usualValues[rule];

export function isUsual(rule: AlertRuleName, { enabled, begins, ends, pauses }: RuleValues): boolean {
  const usual = usualValues[rule];
  return enabled === usual.enabled && begins === usual.begins && ends === usual.ends && !pauses;
}

/** The text to store: only what differs from the usual, and what `stored` says of rules that this console does not know. */
export function alertRulesText(values: AlertRuleValues, stored: string): string {
  const foreign = Object.entries(alertRuleMembers(stored) ?? {}).filter(([name]) => !isAlertRule(name));
  const own = alertRules.flatMap((rule) => {
    const { enabled, begins, ends, pauses } = values[rule];
    const usual = usualValues[rule];
    const changes = {
      ...(enabled !== isUsuallyOn(rule) && { enabled }),
      ...(begins !== usual.begins && { begins: typedNumber(begins) ?? begins }),
      ...(ends !== usual.ends && { ends: typedNumber(ends) ?? ends }),
      ...(pauses && { pauses }),
    };
    return Object.keys(changes).length === 0 ? [] : [[rule, changes] as const];
  });
  return JSON.stringify(Object.fromEntries([...own, ...foreign]));
}

export type RuleLimitIssue = "begins_number" | "ends_number" | "ends_beyond";

/** What is wrong with the limits of a rule, if anything. */
export function ruleLimitIssue(usual: UsualRuleLimits, values: RuleValues): RuleLimitIssue | undefined {
  const [begins, ends] = [typedNumber(values.begins), typedNumber(values.ends)];
  if (!isRuleLimit(usual, begins)) return "begins_number";
  if (!isRuleLimit(usual, ends)) return "ends_number";
  return isApart(usual, { begins, ends }) ? undefined : "ends_beyond";
}

const typedNumber = (text: string): number | undefined =>
  /^[0-9]+(\.[0-9]+)?$/.test(text.trim()) ? Number(text) : undefined;
