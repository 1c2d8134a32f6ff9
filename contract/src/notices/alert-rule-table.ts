/** The rules by which the gateway raises alerts. */

export const severities = ["info", "warning", "critical"] as const;
export type Severity = (typeof severities)[number];

/**
 * An alert begins at one limit and ends at another one, so that a figure around them does not raise
 * it again and again.
 */
export interface RuleLimits {
  begins: number;
  ends: number;
}

/** Dollars of a balance, per cent of calls or of a disk, multiples of the usual figure. */
export type RuleLimitUnit = "dollars" | "percent" | "times";

/**
 * `UsualRuleLimits` are the limits until root sets others. A rule that begins below its end begins
 * at figures that fall; the others at figures that rise.
 */
export interface UsualRuleLimits extends RuleLimits {
  max: number;
  unit: RuleLimitUnit;
}

interface AlertRuleFacts {
  severity: Severity;
  /**
   * `isOccurrence` marks an alert that ends by itself when nothing happened for a day; any other
   * ends when its cause is over.
   */
  isOccurrence?: true;
  /**
   * `isOwn` marks an alert that concerns one user, who alone is told, at destinations of that
   * user's own; operators are not.
   */
  isOwn?: true;
  /** `isUsuallyOff` marks a rule that raises nothing until root switches it on. */
  isUsuallyOff?: true;
  /** Root may have it pause the API key that it is about. */
  canPause?: true;
  /** After how long it is told once more; a day where nothing stands. */
  remindsAfterDays?: number;
  /** `limits` stands where a figure raises it. */
  limits?: UsualRuleLimits;
}

const defineTable = <const Rules extends Readonly<Record<string, AlertRuleFacts>>>(rules: Rules) =>
  rules;

export const alertRuleTable = defineTable({
  /** A channel was taken out of service automatically. */
  "channel.disabled": { severity: "critical" },
  /** The calls of a channel have failed for ten minutes, so that it is passed over for a model. */
  "channel.suspended": { severity: "warning", isUsuallyOff: true },
  /** `channel.key_disabled` is one of several keys of a channel was. */
  "channel.key_disabled": { severity: "warning" },
  /** The balance that the provider told last is below five dollars. */
  "channel.balance_low": {
    severity: "warning",
    limits: { begins: 5, ends: 6, max: 1_000_000, unit: "dollars" },
  },
  /** A model that was called today, and every channel that lists it is disabled or suspended. */
  "model.unserved": { severity: "critical" },
  /** Much of what a model was asked within the hour failed. */
  "calls.failing": {
    severity: "critical",
    limits: { begins: 20, ends: 10, max: 100, unit: "percent" },
  },
  /**
   * The median time to the first content of a model's calls is a multiple of that of the same hours
   * of the last seven days.
   */
  "calls.slow": {
    severity: "warning",
    isUsuallyOff: true,
    limits: { begins: 3, ends: 2, max: 100, unit: "times" },
  },
  /** A key spent today a multiple of what it spends on a usual day, and more than five dollars. */
  "spend.spike": {
    severity: "warning",
    canPause: true,
    limits: { begins: 6, ends: 5, max: 1_000, unit: "times" },
  },
  /** The spending of a budget reached one of its thresholds. */
  "budget.reached": { severity: "warning" },
  /** A call cost more than was held, and the operator lost the rest. */
  "call.not_covered": { severity: "warning", isOccurrence: true },
  /** A provider reported more usage than one call can have. */
  "usage.capped": { severity: "warning", isOccurrence: true },
  /** An administrator wants to issue more than the daily limit. */
  "quota.waiting": { severity: "info" },
  /** A user asks for more of a budget that administrators of the site manage. */
  "budget.asked": { severity: "info" },
  /**
   * `team.without_admin` is that no admin of a team has an enabled account: nobody in it can
   * manage it.
   */
  "team.without_admin": { severity: "warning" },
  /** A model that was called today is charged at the default price: none is stated for it. */
  "price.missing": { severity: "warning" },
  /**
   * The price list that root compares moves a price in use by more than a fifth, and root has not
   * decided.
   */
  "price.changed": { severity: "warning" },
  /**
   * `price.mismatch` is what a provider billed differs from what our prices make of the same calls.
   */
  "price.mismatch": {
    severity: "warning",
    limits: { begins: 5, ends: 3, max: 100, unit: "percent" },
  },
  /**
   * A provider ends a model that was called within 14 days: 60, 30, 7 and 1 days before. No
   * reminder but these.
   */
  "model.retiring": { severity: "warning", remindsAfterDays: 1_000 },
  /** The daily audit found a balance, counter or hold that the ledger does not prove. */
  "ledger.drift": { severity: "critical" },
  /**
   * The daily check found an entry of the record of changes that was changed, removed or put in.
   */
  "trail.broken": { severity: "critical" },
  /**
   * The disk that holds the database is nearly full, the database refused to work, or its last
   * backup is too old.
   */
  "storage.trouble": {
    severity: "critical",
    limits: { begins: 10, ends: 12, max: 100, unit: "percent" },
  },
  /** Root signed in from a network from which it never did. */
  "sign_in.root": { severity: "warning", isOccurrence: true },
  /** Twenty sign-ins within an hour were locked after repeated failures. */
  "sign_in.lockouts": { severity: "warning", isOccurrence: true },
  /** Work by the clock failed several times in a row. */
  "job.failing": { severity: "critical" },
  /** A destination has taken nothing for an hour; the others are told. */
  "notice.failing": { severity: "warning" },
  /** The funds of a user have fallen below the threshold of that user, or of the site. */
  "wallet.low": { severity: "warning", isOwn: true },
  /**
   * An API key or a management key ends within seven days; its owner hears of it once more on the
   * last one.
   */
  "key.expiring": { severity: "warning", isOwn: true, remindsAfterDays: 6 },
  /** A budget of a user, or of one of that user's keys, reached one of its thresholds. */
  "own_budget.reached": { severity: "warning", isOwn: true },
  /**
   * `own_model.retiring` is the same as `model.retiring`, for the users whose keys called the
   * model.
   */
  "own_model.retiring": { severity: "warning", isOwn: true, remindsAfterDays: 1_000 },
});

export type AlertRuleName = keyof typeof alertRuleTable;
/** `OwnAlertRule` holds those that concern one user, who alone is told. */
export type OwnAlertRule = {
  [Rule in AlertRuleName]: (typeof alertRuleTable)[Rule] extends { isOwn: true } ? Rule : never;
}[AlertRuleName];
export type OperatorAlertRule = Exclude<AlertRuleName, OwnAlertRule>;
export const alertRules = Object.keys(alertRuleTable) as AlertRuleName[];
export const isOwnRule = (rule: AlertRuleName): rule is OwnAlertRule =>
  (alertRuleTable[rule] as AlertRuleFacts).isOwn === true;
export const isUsuallyOn = (rule: AlertRuleName): boolean =>
  (alertRuleTable[rule] as AlertRuleFacts).isUsuallyOff !== true;
export const findUsualLimits = (rule: AlertRuleName): UsualRuleLimits | undefined =>
  (alertRuleTable[rule] as AlertRuleFacts).limits;
export const canPause = (rule: AlertRuleName): boolean =>
  (alertRuleTable[rule] as AlertRuleFacts).canPause === true;
/**
 * `operatorRules` are those of which operators are told; the others tell users of their own things.
 */
export const operatorRules: AlertRuleName[] = alertRules.filter((rule) => !isOwnRule(rule));
export const ownRules: AlertRuleName[] = alertRules.filter(isOwnRule);
export const isAlertRule = (text: string): text is AlertRuleName =>
  Object.hasOwn(alertRuleTable, text);
export const buildSeverity = (rule: AlertRuleName): Severity => alertRuleTable[rule].severity;

/** `AlertRhythm` says how an alert goes on by the time alone. */
export interface AlertRhythm {
  isOccurrence: boolean;
  remindsAfterDays: number;
}

export const buildRhythm = (rule: AlertRuleName): AlertRhythm => {
  const { isOccurrence, remindsAfterDays = 1 }: AlertRuleFacts = alertRuleTable[rule];
  return { isOccurrence: isOccurrence === true, remindsAfterDays };
};

export const alertSubjectKinds = [
  "channel",
  "model",
  "user",
  "job",
  "destination",
  "budget",
  "token",
  "management_key",
  "team",
  "site",
] as const;
export type AlertSubjectKind = (typeof alertSubjectKinds)[number];
