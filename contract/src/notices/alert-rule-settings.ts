/**
 * The limits that root sets for each rule, as JSON in the setting `AlertRules`:
 * `{"channel.balance_low": {"begins": 20, "ends": 25}}`. Pure.
 */
import {
  type AlertRuleName,
  alertRules,
  canPause,
  findUsualLimits,
  isAlertRule,
  isUsuallyOn,
  type RuleLimits,
  type UsualRuleLimits,
} from "./alert-rule-table.ts";

export interface AlertRuleSetting {
  /** Off, the rule raises nothing, and what it raised ends untold. */
  enabled: boolean;
  limits: RuleLimits;
  /** An alert that begins pauses the API key that it is about. */
  pauses: boolean;
}

export type AlertRuleSettings = Readonly<Record<AlertRuleName, AlertRuleSetting>>;

const noLimits: RuleLimits = { begins: 0, ends: 0 };

export const beginsBelow = ({ begins, ends }: RuleLimits): boolean => begins < ends;

/** Stored text that a newer or older version wrote keeps what this one knows. */
export function buildAlertRuleSettings(text: string): AlertRuleSettings {
  const stored = findAlertRuleMembers(text) ?? {};
  const settings = alertRules.map((rule) => {
    const usual = findUsualLimits(rule) ?? noLimits;
    const set =
      findSettingIssue(rule, stored[rule]) === undefined
        ? (stored[rule] as Partial<FlatSetting> | undefined)
        : {};
    const {
      enabled = isUsuallyOn(rule),
      begins = usual.begins,
      ends = usual.ends,
      pauses = false,
    } = set ?? {};
    return [rule, { enabled, limits: { begins, ends }, pauses }] as const;
  });
  return Object.fromEntries(settings) as Record<AlertRuleName, AlertRuleSetting>;
}

/**
 * `findAlertRulesIssue` says what is wrong with a text that is to be stored; undefined where
 * nothing is.
 */
export function findAlertRulesIssue(text: string): string | undefined {
  const members = findAlertRuleMembers(text);
  if (!members) return "must be a JSON object with the names of alert rules";
  for (const [name, value] of Object.entries(members)) {
    const issue = isAlertRule(name)
      ? findSettingIssue(name, value)
      : `names ${name}, which is no alert rule`;
    if (issue !== undefined) return issue;
  }
  return undefined;
}

interface FlatSetting extends RuleLimits {
  enabled: boolean;
  pauses: boolean;
}

function findSettingIssue(rule: AlertRuleName, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return `needs an object for ${rule}`;
  const {
    enabled = true,
    begins,
    ends,
    pauses = false,
    ...others
  } = value as Record<string, unknown>;
  const [other] = Object.keys(others);
  if (other !== undefined)
    return `has ${other} for ${rule}; it knows enabled, begins, ends and pauses`;
  if (typeof enabled !== "boolean") return `needs true or false as enabled of ${rule}`;
  if (typeof pauses !== "boolean") return `needs true or false as pauses of ${rule}`;
  if (pauses && !canPause(rule)) return `has pauses for ${rule}, which cannot pause anything`;
  if (begins === undefined && ends === undefined) return undefined;
  const usual = findUsualLimits(rule);
  if (!usual) return `has limits for ${rule}, which has none`;
  const limits = { begins: begins ?? usual.begins, ends: ends ?? usual.ends };
  if (!isRuleLimit(usual, limits.begins) || !isRuleLimit(usual, limits.ends))
    return `needs numbers from 0 to ${usual.max} as begins and ends of ${rule}`;
  if (isApart(usual, { begins: limits.begins, ends: limits.ends })) return undefined;
  return beginsBelow(usual)
    ? `needs an end of ${rule} above its begin`
    : `needs an end of ${rule} below its begin`;
}

export const isRuleLimit = ({ max }: UsualRuleLimits, limit: unknown): limit is number =>
  typeof limit === "number" && limit >= 0 && limit <= max;

/** `isApart` says whether the end lies beyond the beginning. */
export const isApart = (usual: UsualRuleLimits, { begins, ends }: RuleLimits): boolean =>
  beginsBelow(usual) ? begins < ends : ends < begins;

/** The members by the names of rules, unchecked; undefined for a text that holds no object. */
export function findAlertRuleMembers(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text === "" ? "{}" : text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? { ...value }
      : undefined;
  } catch {
    return undefined;
  }
}
