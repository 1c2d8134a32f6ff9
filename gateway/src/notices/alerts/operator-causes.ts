/**
 * Causes of which operators are told, one by one: from the facts about the gateway to the alerts
 * that they mean.
 */

import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import type { AlertRuleSettings } from "@tollgate/contract/notices/alert-rule-settings.ts";
import type {
  AlertRuleName,
  AlertSubjectKind,
  OperatorAlertRule,
} from "@tollgate/contract/notices/alert-rule-table.ts";
import { findWindow, type WindowRule } from "../../money/holds/budget-windows.ts";
import { computeHour } from "../../storage/rollups.ts";
import type { RootNotice } from "../mail/root-notice.ts";
import type { AlertEvent, AlertMeasure, AlertSubject } from "./alert-events.ts";
import { formatDollars, unitsPerDollar } from "./dollars-of.ts";
import { hasFailingCalls, type Suspension } from "./suspensions.ts";

export interface CauseChannel {
  id: number;
  name: string;
  status: number;
  /** Comma-joined. */
  models: string;
  /** Millionths of a dollar; null where it is not known. */
  balance_micros: number | null;
  balance_updated_at: number;
  updated_at: number;
}

/** `CauseModelHour` is what became of the calls of a model in one hour. */
export interface CauseModelHour {
  /** Since 1970. */
  hour: number;
  model_name: string;
  requests: number;
  failures: number;
}

/** A budget with the counter of a window around now. */
export interface CauseBudget extends WindowRule {
  id: number;
  name: string;
  /** Comma-joined percentages. */
  thresholds: string;
  /** Units. */
  amount: number;
  spent: number;
  /**
   * `window_start` is the counter's; another window or zone of the budget may have left it behind.
   */
  window_start: number;
}

export interface AlertWorld {
  channels: readonly CauseChannel[];
  /** `suspensions` go by node. */
  suspensions: readonly (readonly Suspension[])[];
  /** Disabled keys as `channel id/place`. */
  disabledKeys: ReadonlySet<string>;
  modelsCalledToday: readonly string[];
  /** `unpricedModels` are those of the called models that are charged at the default price. */
  unpricedModels: readonly string[];
  /** `modelHours` are those of this hour and the one before. */
  modelHours: readonly CauseModelHour[];
  budgets: readonly CauseBudget[];
  /** Administrators with requests that wait. */
  waitingUserIds: readonly number[];
  /** `askingUserIds` are those who ask for more of a budget that the site manages. */
  askingUserIds: readonly number[];
  /** `teamsWithoutAdmin` are enabled teams none of whose admins has an enabled account. */
  teamsWithoutAdmin: readonly { id: number; name: string }[];
  destinations: readonly {
    id: number;
    name: string;
    failing_since: number | null;
    answer: string;
  }[];
  firing: readonly (FiringAlert & { rule: OperatorAlertRule })[];
}

export interface FiringAlert {
  rule: AlertRuleName;
  subject_kind: AlertSubjectKind;
  subject_id: string;
  subject_name: string;
}

const microsPerDollar = 1_000_000;
/** An older balance says nothing. */
const balanceFreshMs = 7 * 24 * 3_600_000;
/** Fewer calls say little about a model. */
const failingCallsMin = 20;
/** An operator who replaces a channel disables one and enables the next. */
const unservedAfterMs = 60_000;
const failingAfterMs = 3_600_000;
const minuteMs = 60_000;

export interface Cause {
  event: Omit<AlertEvent, "state">;
  /** Clearly begun; where neither holds, it stays as it was. */
  begins: boolean;
}

export function listLowBalances(
  { channels }: AlertWorld,
  rules: AlertRuleSettings,
  now: number,
): Cause[] {
  const { begins, ends } = rules["channel.balance_low"].limits;
  return channels.flatMap(({ id, name, status, balance_micros: micros, balance_updated_at }) => {
    const isKnown =
      status === channelStatus.enabled &&
      micros !== null &&
      now - balance_updated_at < balanceFreshMs;
    if (!isKnown || micros >= ends * microsPerDollar) return [];
    const dollars = `$${(micros / microsPerDollar).toFixed(2)}`;
    const facts = { kind: "channel_balance_low", channel: name, dollars } as const;
    const measure = { value: micros / microsPerDollar, threshold: begins };
    const event = {
      rule: "channel.balance_low",
      subject: { kind: "channel", id, name },
      facts,
      measure,
    } as const;
    return [{ event, begins: micros < begins * microsPerDollar }];
  });
}

export function listUnservedModels(
  { channels, suspensions, modelsCalledToday }: AlertWorld,
  now: number,
): Cause[] {
  const byModel = new Map<string, CauseChannel[]>();
  for (const channel of channels)
    for (const model of channel.models.split(","))
      if (model !== "") byModel.set(model, [...(byModel.get(model) ?? []), channel]);
  return modelsCalledToday.flatMap((model) => {
    const serving = byModel.get(model) ?? [];
    const enabled = serving.filter(({ status }) => status === channelStatus.enabled);
    /** `suspended` has the nodes on which all enabled channels are suspended for the model. */
    const suspended = suspensions
      .map((told) =>
        told.filter((one) => one.model === model && enabled.some(({ id }) => id === one.channel)),
      )
      .filter(({ length }) => length === enabled.length);
    if (serving.length === 0 || (enabled.length > 0 && suspended.length === 0)) return [];
    const facts = { kind: "model_unserved", model } as const;
    const event = {
      rule: "model.unserved",
      subject: { kind: "model", id: model, name: model },
      facts,
    } as const;
    const begins =
      enabled.length === 0
        ? serving.every(({ updated_at }) => now - updated_at >= unservedAfterMs)
        : suspended.some((all) =>
            all.every((one) => now - one.since >= unservedAfterMs && hasFailingCalls(one, now)),
          );
    return [{ event, begins }];
  });
}

/** Until a price is stated, or the day ends without a call of the model on the next one. */
export const findMissingPrices = ({ unpricedModels }: AlertWorld): Cause[] =>
  unpricedModels.map((model) => ({
    event: {
      rule: "price.missing",
      subject: { kind: "model", id: model, name: model },
      facts: { kind: "price_missing", model },
    },
    begins: true,
  }));

/**
 * `listFailingModels` looks at this hour, or together with the one before while it has few calls.
 */
export function listFailingModels(
  { modelHours }: AlertWorld,
  rules: AlertRuleSettings,
  now: number,
): Cause[] {
  const { begins, ends } = rules["calls.failing"].limits;
  const hours = Map.groupBy(modelHours, ({ model_name }) => model_name);
  return [...hours].flatMap(([model, rows]) => {
    const sums = (some: readonly CauseModelHour[]) => ({
      calls: some.reduce((sum, { requests }) => sum + requests, 0),
      failed: some.reduce((sum, { failures }) => sum + failures, 0),
    });
    const latest = sums(rows.filter(({ hour }) => hour === computeHour(now)));
    const { calls, failed } = latest.calls < failingCallsMin ? sums(rows) : latest;
    if (calls < failingCallsMin || failed * 100 < calls * ends) return [];
    const facts = { kind: "calls_failing", model, calls, failed } as const;
    const measure = { value: (failed / calls) * 100, threshold: begins };
    const event = {
      rule: "calls.failing",
      subject: { kind: "model", id: model, name: model },
      facts,
      measure,
    } as const;
    return [{ event, begins: failed * 100 >= calls * begins }];
  });
}

/**
 * Each threshold is an alert of its own, which ends with the window, or when the budget is raised
 * or gone.
 */
export const findReachedBudgets = ({ budgets }: AlertWorld, now: number): Cause[] =>
  budgets.flatMap((budget) =>
    findReachedThresholds(budget, now).map((reached) => ({
      event: { rule: "budget.reached", ...reached } as const,
      begins: true,
    })),
  );

/**
 * The alerts of a budget in its present window: subject, facts and measure of each threshold that
 * is reached.
 */
export function findReachedThresholds(
  budget: CauseBudget,
  now: number,
): {
  subject: AlertSubject;
  facts: Extract<RootNotice, { kind: "budget_reached" }>;
  measure: AlertMeasure;
}[] {
  const { id, name, amount, spent } = budget;
  const reached = budget.thresholds
    .split(",")
    .filter((percent) => spent * 100 >= amount * Number(percent));
  if (reached.length === 0 || findWindow(budget, now).start !== budget.window_start) return [];
  return reached.map((text) => {
    const percent = Number(text);
    const sums = { spent: formatDollars(spent), amount: formatDollars(amount) };
    return {
      subject: { kind: "budget", id: `${id}/${percent}`, name },
      facts: { kind: "budget_reached", budget: name, percent, ...sums },
      measure: {
        value: spent / unitsPerDollar,
        threshold: (amount / unitsPerDollar) * (percent / 100),
      },
    };
  });
}

/** Until someone is made admin, or the account of one is enabled again. */
export const listTeamsWithoutAdmin = ({ teamsWithoutAdmin }: AlertWorld): Cause[] =>
  teamsWithoutAdmin.map(({ id, name }) => ({
    event: {
      rule: "team.without_admin",
      subject: { kind: "team", id, name },
      facts: { kind: "team_without_admin", team: name },
    },
    begins: true,
  }));

export const listFailingDestinations = ({ destinations }: AlertWorld, now: number): Cause[] =>
  destinations.flatMap(({ id, name, failing_since, answer }) => {
    if (failing_since === null) return [];
    const facts = { kind: "notices_failing", destination: name, answer } as const;
    const measure = {
      value: (now - failing_since) / minuteMs,
      threshold: failingAfterMs / minuteMs,
    };
    const event = {
      rule: "notice.failing",
      subject: { kind: "destination", id, name },
      facts,
      measure,
    } as const;
    return [{ event, begins: now - failing_since >= failingAfterMs }];
  });
