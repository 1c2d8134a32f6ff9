/**
 * Causes of alerts that are states and no events: what of them has begun and what is over. Pure.
 */

import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import type { AlertRuleSettings } from "@tollgate/contract/notices/alert-rule-settings.ts";
import type {
  AlertRuleName,
  OperatorAlertRule,
} from "@tollgate/contract/notices/alert-rule-table.ts";
import type { AlertEvent } from "./alert-events.ts";
import {
  type AlertWorld,
  type Cause,
  type FiringAlert,
  findMissingPrices,
  findReachedBudgets,
  listFailingDestinations,
  listFailingModels,
  listLowBalances,
  listTeamsWithoutAdmin,
  listUnservedModels,
} from "./operator-causes.ts";

/** The events of all causes that began or ended since their alerts changed. */
export function listAlertCauses(
  world: AlertWorld,
  unusual: readonly Cause[],
  rules: AlertRuleSettings,
  now: number,
): AlertEvent[] {
  const causes = [
    ...listLowBalances(world, rules, now),
    ...listUnservedModels(world, now),
    ...findMissingPrices(world),
    ...listFailingModels(world, rules, now),
    ...findReachedBudgets(world, now),
    ...listFailingDestinations(world, now),
    ...listTeamsWithoutAdmin(world),
    ...unusual,
  ].filter(({ event: { rule } }) => rules[rule].enabled);
  const states = world.firing.filter(({ rule }) => endings[rule] === "cause");
  const { begun, ended } = buildCauseEvents(causes, states);
  const over = world.firing.filter(({ rule, subject_id }) => {
    const ending = endings[rule];
    return typeof ending === "function" && ending(world, subject_id);
  });
  return [
    ...begun,
    ...[...ended, ...over].map(
      ({ rule, subject_kind, subject_id, subject_name }): AlertEvent => ({
        rule,
        subject: { kind: subject_kind, id: subject_id, name: subject_name },
        state: "resolved",
      }),
    ),
  ];
}

/**
 * `buildCauseEvents` gives what of the causes no alert fires for yet, and which firing alerts have
 * lost their cause.
 */
export function buildCauseEvents<Firing extends FiringAlert>(
  causes: readonly Cause[],
  firing: readonly Firing[],
): { begun: AlertEvent[]; ended: Firing[] } {
  const keyOf = (rule: AlertRuleName, id: number | string) => `${rule} ${id}`;
  const known = new Set(firing.map(({ rule, subject_id }) => keyOf(rule, subject_id)));
  const lasting = new Set(causes.map(({ event: { rule, subject } }) => keyOf(rule, subject.id)));
  const begun = causes.filter(
    ({ begins, event: { rule, subject } }) => begins && !known.has(keyOf(rule, subject.id)),
  );
  return {
    begun: begun.map(({ event }) => ({ ...event, state: "firing" })),
    ended: firing.filter(({ rule, subject_id }) => !lasting.has(keyOf(rule, subject_id))),
  };
}

/**
 * `AlertEnding` is what ends the alerts of a rule. `cause`: that its cause is found no more.
 * `event`: an event of its own, or the time. A function besides: an operator may have ended by hand
 * what an event began.
 */
type AlertEnding = "cause" | "event" | ((world: AlertWorld, subjectId: string) => boolean);

const endings: Readonly<Record<OperatorAlertRule, AlertEnding>> = {
  "channel.disabled": ({ channels }, id) =>
    channels.find((channel) => String(channel.id) === id)?.status !== channelStatus.autoDisabled,
  "channel.suspended": "cause",
  "channel.key_disabled": ({ disabledKeys }, id) => !disabledKeys.has(id),
  "channel.balance_low": "cause",
  "model.unserved": "cause",
  "calls.failing": "cause",
  "calls.slow": "cause",
  "spend.spike": "cause",
  "budget.reached": "cause",
  "call.not_covered": "event",
  "usage.capped": "event",
  "quota.waiting": ({ waitingUserIds }, id) => !waitingUserIds.includes(Number(id)),
  "budget.asked": ({ askingUserIds }, id) => !askingUserIds.includes(Number(id)),
  "team.without_admin": "cause",
  "price.missing": "cause",
  "price.changed": "event",
  "price.mismatch": "cause",
  "model.retiring": "cause",
  "ledger.drift": "event",
  "trail.broken": "event",
  "storage.trouble": "cause",
  "sign_in.root": "event",
  "sign_in.lockouts": "event",
  "job.failing": "event",
  "notice.failing": "cause",
};
