/** What root sets for each rule, as JSON in the setting `AlertRules`: `{"channel.balance_low": {"begins": 20, "ends": 25}}`. Pure. */
import { type AlertRuleName, alertRules, isAlertRule } from "./alert-rule-table.ts";

export interface AlertRuleSetting {
  /** Off, the rule raises nothing, and what it raised ends untold. */
  enabled: boolean;
  limits: RuleLimits;
}

/** An alert begins at one limit and ends at another one, so that a figure around them does not raise it again and again. */
interface RuleLimits {
  begins: number;
  ends: number;
}

export type AlertRuleSettings = Readonly<Record<AlertRuleName, AlertRuleSetting>>;

/** Rules with limits: dollars of a balance, which begins below; per cent of calls, which begins above. */
const usualLimits: Partial<Record<AlertRuleName, RuleLimits & { max: number }>> = {
  "channel.balance_low": { begins: 5, ends: 6, max: 1_000_000 },
  "calls.failing": { begins: 20, ends: 10, max: 100 },
};

const noLimits: RuleLimits = { begins: 0, ends: 0 };

/** Stored text that a newer or older version wrote keeps what this one knows. */
export function alertRuleSettings(text: string): AlertRuleSettings {
  const stored = membersOf(text) ?? {};
  const settings = alertRules.map((rule) => {
    const usual = usualLimits[rule] ?? noLimits;
    const set =
      settingIssue(rule, stored[rule]) === undefined ? (stored[rule] as Partial<FlatSetting> | undefined) : {};
    const { enabled = true, begins = usual.begins, ends = usual.ends } = set ?? {};
    return [rule, { enabled, limits: { begins, ends } }] as const;
  });
  return Object.fromEntries(settings) as Record<AlertRuleName, AlertRuleSetting>;
}

/** What is wrong with a text that is to be stored, or undefined. */
export function alertRulesIssue(text: string): string | undefined {
  const members = membersOf(text);
  if (!members) return "must be a JSON object with the names of alert rules";
  for (const [name, value] of Object.entries(members)) {
    const issue = isAlertRule(name) ? settingIssue(name, value) : `names ${name}, which is no alert rule`;
    if (issue !== undefined) return issue;
  }
  return undefined;
}

interface FlatSetting extends RuleLimits {
  enabled: boolean;
}

function settingIssue(rule: AlertRuleName, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return `needs an object for ${rule}`;
  const { enabled = true, begins, ends, ...others } = value as Record<string, unknown>;
  const [other] = Object.keys(others);
  if (other !== undefined) return `has ${other} for ${rule}; it knows enabled, begins and ends`;
  if (typeof enabled !== "boolean") return `needs true or false as enabled of ${rule}`;
  if (begins === undefined && ends === undefined) return undefined;
  const usual = usualLimits[rule];
  if (!usual) return `has limits for ${rule}, which has none`;
  const limits = { begins: begins ?? usual.begins, ends: ends ?? usual.ends };
  const isNumber = (limit: unknown): limit is number => typeof limit === "number" && limit >= 0 && limit <= usual.max;
  if (!isNumber(limits.begins) || !isNumber(limits.ends))
    return `needs numbers from 0 to ${usual.max} as begins and ends of ${rule}`;
  const beginsBelow = usual.begins < usual.ends;
  if (beginsBelow ? limits.begins < limits.ends : limits.ends < limits.begins) return undefined;
  return beginsBelow ? `needs an end of ${rule} above its begin` : `needs an end of ${rule} below its begin`;
}

function membersOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text === "" ? "{}" : text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
