/** Causes of alerts that are states and no events: what of them has begun and what is over. Pure. */

import type { AlertRuleSettings } from "@tollgate/contract/alert-rule-settings.ts";
import type { AlertRuleName, AlertSubjectKind } from "@tollgate/contract/alert-rule-table.ts";
import type { AlertEvent } from "./alert-events.ts";
import {
  type AlertWorld,
  balances,
  type Cause,
  type FiringAlert,
  failingDestinations,
  failingModels,
  isOver,
  missingPrices,
  reachedBudgets,
  unservedModels,
} from "./operator-causes.ts";

/** The events of all causes that began or ended since their alerts changed. */
export function alertCauses(
  world: AlertWorld,
  unusual: readonly Cause[],
  rules: AlertRuleSettings,
  now: number,
): AlertEvent[] {
  const causes = [
    ...balances(world, rules, now),
    ...unservedModels(world, now),
    ...missingPrices(world),
    ...failingModels(world, rules, now),
    ...reachedBudgets(world, now),
    ...failingDestinations(world, now),
    ...unusual,
  ].filter(({ event: { rule } }) => rules[rule].enabled);
  const states = world.firing.filter(({ rule }) => isState(rule));
  const { begun, ended } = causeEvents(causes, states);
  const over = world.firing.filter(({ rule, subject_id }) => !isState(rule) && isOver(world, rule, subject_id));
  return [
    ...begun,
    ...[...ended, ...over].map(
      ({ rule, subject_id, subject_name }): AlertEvent => ({
        rule,
        subject: { kind: kindOf(rule), id: subject_id, name: subject_name },
        state: "resolved",
      }),
    ),
  ];
}

/** What of the causes no alert fires for yet, and which firing alerts have lost their cause. */
export function causeEvents<Firing extends FiringAlert>(
  causes: readonly Cause[],
  firing: readonly Firing[],
): { begun: AlertEvent[]; ended: Firing[] } {
  const keyOf = (rule: AlertRuleName, id: number | string) => `${rule} ${id}`;
  const known = new Set(firing.map(({ rule, subject_id }) => keyOf(rule, subject_id)));
  const lasting = new Set(causes.map(({ event: { rule, subject } }) => keyOf(rule, subject.id)));
  const begun = causes.filter(({ begins, event: { rule, subject } }) => begins && !known.has(keyOf(rule, subject.id)));
  return {
    begun: begun.map(({ event }) => ({ ...event, state: "firing" })),
    ended: firing.filter(({ rule, subject_id }) => !lasting.has(keyOf(rule, subject_id))),
  };
}

/** Rules whose alerts last as long as their causes do, with what they are about. */
const stateSubjects: Partial<Record<AlertRuleName, AlertSubjectKind>> = {
  "channel.balance_low": "channel",
  "channel.suspended": "channel",
  "price.mismatch": "channel",
  "model.retiring": "model",
  "model.unserved": "model",
  "price.missing": "model",
  "calls.failing": "model",
  "calls.slow": "model",
  "spend.spike": "token",
  "budget.reached": "budget",
  "storage.trouble": "site",
  "notice.failing": "destination",
};
const isState = (rule: AlertRuleName) => stateSubjects[rule] !== undefined;

const kindOf = (rule: AlertRuleName): AlertSubjectKind =>
  stateSubjects[rule] ?? (rule === "quota.waiting" ? "user" : rule === "job.failing" ? "job" : "channel");
