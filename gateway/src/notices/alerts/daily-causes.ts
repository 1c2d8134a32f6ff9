/**
 * Causes of alerts that change by the day: models that their providers end, and what providers bill
 * beside our prices. Pure.
 */

import type { ModelEnd } from "@tollgate/contract/catalogue/model-ends.ts";
import type { AlertRuleSettings } from "@tollgate/contract/notices/alert-rule-settings.ts";
import type { Cause } from "./operator-causes.ts";

/**
 * `BilledChannel` is what one channel's provider billed on the days that it has closed, beside our
 * figure.
 */
export interface BilledChannel {
  id: number;
  name: string;
  calls: number;
  /** Millionths of a dollar. */
  ours: number;
  theirs: number;
  /** `apart` is in per cent of the larger one; 0 where the difference is rounding. */
  apart: number;
}

/** `EndingUse` says how much a user called a model that ends. */
export interface EndingUse {
  user_id: number;
  model: string;
  ends_on: string;
  days_left: number;
  calls: number;
  replacement: string;
}

export interface DailyFigures {
  /** Models that are offered and end, with their use. */
  endings: readonly ModelEnd[];
  /** `endingUses` are those of users with a destination. */
  endingUses: readonly EndingUse[];
  bills: readonly BilledChannel[];
}

/** Days before the end at which it is told. */
const toldDays = [60, 30, 7, 1];
/** The farthest of them: of other models no use is read. */
export const firstToldDays = 60;
/** Fewer calls say little about prices. */
const billedCallsMin = 100;
const microsPerDollar = 1_000_000;

export const listDailyCauses = (
  { endings, bills }: DailyFigures,
  rules: AlertRuleSettings,
): Cause[] => [
  ...endings.flatMap(({ model, ends_on: endsOn, days_left, calls, users, replacement }) =>
    listToldEnds(model, days_left, calls).map(({ id, days, begins }) => ({
      event: {
        rule: "model.retiring",
        subject: { kind: "model", id, name: model },
        measure: { value: days_left, threshold: days },
        facts: { kind: "model_retiring", model, endsOn, calls, users, replacement },
      } as const,
      begins,
    })),
  ),
  ...bills.flatMap((bill) => listMismatches(bill, rules)),
];

export const ownEndings = (uses: readonly EndingUse[]): Cause[] =>
  uses.flatMap(({ user_id: userId, model, ends_on: endsOn, days_left, calls, replacement }) =>
    listToldEnds(model, days_left, calls).map(({ id, days, begins }) => ({
      event: {
        rule: "own_model.retiring",
        userId,
        measure: { value: days_left, threshold: days },
        subject: { kind: "model", id: `${userId}/${id}`, name: model },
        facts: { kind: "own_model_retiring", model, endsOn, calls, replacement },
      } as const,
      begins,
    })),
  );

/**
 * Each day of notice is an alert of its own, which ends when the model is called or offered no
 * longer. A model that is met late begins with the nearest alone.
 */
function listToldEnds(
  model: string,
  daysLeft: number,
  calls: number,
): { id: string; days: number; begins: boolean }[] {
  if (calls === 0) return [];
  const reached = toldDays.filter((days) => daysLeft <= days);
  const nearest = reached.at(-1);
  // A model that has ended before it was met is on the page of models that end.
  return reached.map((days) => ({
    id: `${model}/${days}`,
    days,
    begins: days === nearest && daysLeft >= 0,
  }));
}

function listMismatches(
  { id, name, calls, ours, theirs, apart }: BilledChannel,
  rules: AlertRuleSettings,
): Cause[] {
  const { begins, ends } = rules["price.mismatch"].limits;
  if (calls < billedCallsMin || apart <= ends) return [];
  const facts = {
    kind: "price_mismatch",
    channel: name,
    ours: formatDollars(ours),
    theirs: formatDollars(theirs),
  } as const;
  const measure = { value: apart, threshold: begins };
  const event = {
    rule: "price.mismatch",
    subject: { kind: "channel", id, name },
    facts,
    measure,
  } as const;
  return [{ event, begins: apart > begins }];
}

const formatDollars = (micros: number): string => `$${(micros / microsPerDollar).toFixed(2)}`;
