import type { MessageDescriptor } from "@lingui/core";
import { msg, plural } from "@lingui/core/macro";
import {
  type BudgetMeasure,
  type CalendarWindow,
  computeWindowDays,
  type ReactionKind,
} from "@tollgate/contract/accounts/budget-kinds.ts";
import type { Budget } from "@tollgate/contract/accounts/budgets.ts";

export const budgetWindowLabels: Record<CalendarWindow, MessageDescriptor> = {
  hour: msg`Hourly`,
  day: msg`Daily`,
  week: msg`Weekly`,
  month: msg`Monthly`,
  lifetime: msg`Never resets`,
};

/** A window that a newer server knows is named as it names it. */
export function buildBudgetWindowLabel(window: string): MessageDescriptor {
  const days = computeWindowDays(window);
  if (days !== undefined) return msg`${plural(days, { one: "# day", other: "# days" })}`;
  return budgetWindowLabels[window as keyof typeof budgetWindowLabels] ?? { id: window };
}

export const budgetSubjectLabels: Record<Budget["subject"], MessageDescriptor> = {
  site: msg`The whole site`,
  user: msg`User`,
  token: msg`Key`,
  model: msg`Model`,
  tag: msg`Tag`,
  team: msg`Team`,
  member: msg`Team member`,
  run: msg`Each run of an agent`,
  token_run: msg`Each run of a key`,
  team_run: msg`Each run of a team`,
  channel: msg`Channel`,
};

export const budgetMeasureLabels: Record<BudgetMeasure, MessageDescriptor> = {
  quota: msg`What calls cost`,
  calls: msg`Calls`,
  minutes: msg`Minutes for which calls run`,
};

/** A sum of calls or minutes; that of quota is money. */
export const countedAmounts: Record<
  Exclude<BudgetMeasure, "quota">,
  (count: number) => MessageDescriptor
> = {
  calls: (count) => msg`${plural(count, { one: "# call", other: "# calls" })}`,
  minutes: (count) => msg`${plural(count, { one: "# minute", other: "# minutes" })}`,
};

const hardReactionLabels: Record<ReactionKind, MessageDescriptor> = {
  refuse: msg`Refuse calls`,
  pause: msg`Refuse calls and pause the keys`,
  ask: msg`Refuse calls, and let people ask for more`,
  model: msg`Send calls to another model`,
};
/** `buildReactionLabel` says what becomes of calls; one that only counts refuses none. */
export function buildReactionLabel(kind: ReactionKind, isHard: boolean): MessageDescriptor {
  if (isHard) return hardReactionLabels[kind];
  return kind === "pause" ? msg`Pause the keys` : msg`Only count`;
}
