/** The setting `AlertRules` as the values of a form, and back. Pure. */
import {
  buildAlertRuleSettings,
  findAlertRuleMembers,
  isApart,
  isRuleLimit,
} from "@tollgate/contract/notices/alert-rule-settings.ts";
import {
  type AlertRuleName,
  alertRules,
  isAlertRule,
  isUsuallyOn,
  type UsualRuleLimits,
} from "@tollgate/contract/notices/alert-rule-table.ts";

/** Limits as they are typed. */
export type RuleValues = { enabled: boolean; begins: string; ends: string; pauses: boolean };
export type AlertRuleValues = Readonly<Record<AlertRuleName, RuleValues>>;

export function buildAlertRuleValues(text: string): AlertRuleValues {
  const settings = buildAlertRuleSettings(text);
  const values = alertRules.map((rule): [AlertRuleName, RuleValues] => {
    const { enabled, limits, pauses } = settings[rule];
    return [rule, { enabled, begins: String(limits.begins), ends: String(limits.ends), pauses }];
  });
  return Object.fromEntries(values) as Record<AlertRuleName, RuleValues>;
}

const usualValues = buildAlertRuleValues("");

export const buildUsualRuleValues = (rule: AlertRuleName): RuleValues => usualValues[rule];

export function isUsual(
  rule: AlertRuleName,
  { enabled, begins, ends, pauses }: RuleValues,
): boolean {
  const usual = usualValues[rule];
  return enabled === usual.enabled && begins === usual.begins && ends === usual.ends && !pauses;
}

/**
 * The text to store: only what differs from the usual, and what `stored` says of rules that this
 * console does not know.
 */
export function formatAlertRulesText(values: AlertRuleValues, stored: string): string {
  const foreign = Object.entries(findAlertRuleMembers(stored) ?? {}).filter(
    ([name]) => !isAlertRule(name),
  );
  const own = alertRules.flatMap((rule) => {
    const { enabled, begins, ends, pauses } = values[rule];
    const usual = usualValues[rule];
    const changes = {
      ...(enabled !== isUsuallyOn(rule) && { enabled }),
      ...(begins !== usual.begins && { begins: findTypedNumber(begins) ?? begins }),
      ...(ends !== usual.ends && { ends: findTypedNumber(ends) ?? ends }),
      ...(pauses && { pauses }),
    };
    return Object.keys(changes).length === 0 ? [] : [[rule, changes] as const];
  });
  return JSON.stringify(Object.fromEntries([...own, ...foreign]));
}

export type RuleLimitIssue = "begins_number" | "ends_number" | "ends_beyond";

/** `findRuleLimitIssue` gives what is wrong with the limits of a rule, if anything. */
export function findRuleLimitIssue(
  usual: UsualRuleLimits,
  values: RuleValues,
): RuleLimitIssue | undefined {
  const [begins, ends] = [findTypedNumber(values.begins), findTypedNumber(values.ends)];
  if (!isRuleLimit(usual, begins)) return "begins_number";
  if (!isRuleLimit(usual, ends)) return "ends_number";
  return isApart(usual, { begins, ends }) ? undefined : "ends_beyond";
}

const findTypedNumber = (text: string): number | undefined =>
  /^[0-9]+(\.[0-9]+)?$/.test(text.trim()) ? Number(text) : undefined;
