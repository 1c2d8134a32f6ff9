import type { MessageDescriptor } from "@lingui/core";
import { msg, plural } from "@lingui/core/macro";
import { type Budget, type CalendarWindow, windowDays } from "@tollgate/contract/budgets.ts";

export const budgetWindowLabels: Record<CalendarWindow, MessageDescriptor> = {
  hour: msg`An hour`,
  day: msg`A day`,
  week: msg`A week`,
  month: msg`A month`,
  lifetime: msg`Without an end`,
};

/** A window that a newer server knows is named as it names it. */
export function budgetWindowLabel(window: string): MessageDescriptor {
  const days = windowDays(window);
  if (days !== undefined) return msg`${plural(days, { one: "# day", other: "# days" })}`;
  return budgetWindowLabels[window as keyof typeof budgetWindowLabels] ?? { id: window };
}

export const budgetSubjectLabels: Record<Budget["subject"], MessageDescriptor> = {
  site: msg`The whole site`,
  user: msg`User`,
  token: msg`Key`,
  model: msg`Model`,
  tag: msg`Tag`,
};
