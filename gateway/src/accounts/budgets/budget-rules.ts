/** Rules for creating, changing and showing budgets. Pure. */

import {
  type BudgetReaction,
  type BudgetSubject,
  findReactionMistake,
  firstDayMax,
  isCountedInDays,
  type ReactingTerms,
} from "@tollgate/contract/accounts/budget-kinds.ts";
import {
  type BudgetByExternalId,
  type BudgetChange,
  type BudgetInput,
  type BudgetTermsChange,
  type BudgetTermsInput,
  countsTeamKeysOf,
  modelsAreFor,
  type SpendingLimitInput,
} from "@tollgate/contract/accounts/budgets.ts";
import { isTimeZone } from "@tollgate/contract/api/time-zones.ts";
import { refuse } from "../../http/refusal.ts";
import { formatDay } from "../../money/holds/budget-windows.ts";
import { type InheritedColumn, inheritedColumns } from "../../money/holds/inherited-budgets.ts";
import { storeAmount } from "./budget-measures.ts";
import type { BudgetColumns, BudgetRow } from "./budget-store.ts";

const formatThresholds = (thresholds: readonly number[]): string =>
  [...new Set(thresholds)].sort((one, other) => one - other).join(",");

export const parseThresholds = (text: string): number[] =>
  text === "" ? [] : text.split(",").map(Number);

export const parseModels = (text: string): string[] => (text === "" ? [] : text.split(","));

const formatModels = (models: readonly string[]): string => [...new Set(models)].join(",");

const encodeFlag = (value: boolean): 0 | 1 => (value ? 1 : 0);

function checkZone(zone: string): void {
  if (!isTimeZone(zone))
    throw refuse("invalid_request", {
      fields: { zone: "zone must be a time zone such as Europe/Berlin" },
    });
}

function checkReaction(reaction: BudgetReaction, terms: ReactingTerms): void {
  const mistake = findReactionMistake(reaction, terms);
  if (mistake !== undefined)
    throw refuse("invalid_request", { fields: { on_reached: `on_reached ${mistake}` } });
}

/**
 * The first day of a window that has none is 1, so that a later change of the window begins at a
 * sound one.
 */
const computeFirstDay = (window: BudgetRow["window"], day: number): number =>
  isCountedInDays(window) ? 1 : Math.min(day, firstDayMax[window]);

/** `chooseAnchor` is empty for a window that is not counted in days. */
const chooseAnchor = (
  window: BudgetRow["window"],
  anchor: string,
  zone: string,
  now: number,
): string => (isCountedInDays(window) ? anchor || formatDay(zone, now) : "");

/**
 * `buildTerms` gives terms as the rows of budgets and of budget templates have them. `siteZone` is
 * for terms that name none.
 */
export function buildTerms<Subject extends BudgetSubject>(
  {
    subject,
    model,
    models,
    window,
    on_reached,
    hard,
    enabled,
    ...given
  }: BudgetTermsInput & { subject: Subject; model?: string | undefined },
  uuid: string,
  now: number,
  siteZone = "UTC",
) {
  const { name, note, amount, zone = siteZone } = given;
  checkZone(zone);
  checkReaction(on_reached, { subject, model, models });
  return {
    ...{ uuid, subject, name, note, window, zone, amount, on_reached },
    models: formatModels(models),
    first_day: computeFirstDay(window, given.first_day),
    anchor: chooseAnchor(window, given.anchor ?? "", zone, now),
    thresholds: formatThresholds(given.thresholds),
    hard: encodeFlag(hard),
    enabled: encodeFlag(enabled),
    created_at: now,
    updated_at: now,
  };
}

export const buildBudget = (
  { subject_id = 0, tag = "", external_id = "", counts_team_keys, measure, ...terms }: BudgetInput,
  uuid: string,
  now: number,
  siteZone?: string,
): BudgetColumns => ({
  ...buildTerms({ ...terms, amount: storeAmount(measure, terms.amount) }, uuid, now, siteZone),
  ...{ subject_id, model_name: terms.model ?? "", tag, measure },
  external_id: external_id || null,
  by_owner: 0,
  counts_team_keys: encodeFlag(counts_team_keys),
  counts_from: now,
});

/** Refusals name it. */
const spendingLimitName = "Spending limit of the key";

/** Set by the owner of a token. */
export const buildSpendingLimit = (
  tokenId: number,
  { amount, window, zone }: SpendingLimitInput,
  uuid: string,
  now: number,
  siteZone: string,
): BudgetColumns => ({
  ...buildBudget(
    {
      subject: "token",
      subject_id: tokenId,
      name: spendingLimitName,
      ...{
        note: "",
        models: [],
        amount,
        window,
        zone,
        first_day: 1,
        hard: true,
        on_reached: "refuse",
        enabled: true,
      },
      thresholds: [80, 100],
      counts_team_keys: false,
      measure: "quota",
    },
    uuid,
    now,
    siteZone,
  ),
  by_owner: 1,
});

/** `changeBudget` changes the budget by itself, and so no longer with its template. */
export function changeBudget(row: BudgetRow, change: BudgetChange, now: number) {
  const { amount } = change;
  const stored =
    amount === undefined ? change : { ...change, amount: storeAmount(row.measure, amount) };
  const { terms, isOtherWindow, isRearmed, differing } = changeTerms(row, stored, now);
  const counts_team_keys =
    change.counts_team_keys === undefined
      ? row.counts_team_keys
      : encodeFlag(change.counts_team_keys);
  if (counts_team_keys === 1 && row.subject !== "user")
    throw refuse("invalid_request", {
      fields: { counts_team_keys: `counts_team_keys ${countsTeamKeysOf}` },
    });
  const isOtherCount = isOtherWindow || counts_team_keys !== row.counts_team_keys;
  return {
    ...terms,
    counts_team_keys,
    ...(differing.length > 0 && { template_id: null }),
    // Not written otherwise: the budget may pause at this moment.
    ...(isRearmed && { pauses_after: 0 }),
    // Never the same twice: a counter belongs to one start.
    counts_from: isOtherCount ? Math.max(now, row.counts_from + 1) : row.counts_from,
  };
}

/**
 * Whom a budget is for never changes: what is counted belongs to it. A missing member names the one
 * that is.
 */
export function checkSameSubject(row: BudgetRow, given: BudgetByExternalId): void {
  const {
    subject = row.subject,
    subject_id = row.subject_id,
    model = row.model_name,
    tag = row.tag,
  } = given;
  const { measure = row.measure } = given;
  const isSame =
    subject === row.subject && subject_id === row.subject_id && measure === row.measure;
  if (isSame && model === row.model_name && tag === row.tag) return;
  const message =
    "The budget of this external_id is for another subject or measure, which never changes";
  throw refuse("invalid_request", { message, fields: { subject: message } });
}

type TermsRow = Pick<BudgetRow, InheritedColumn | "subject" | "updated_at"> &
  Partial<Pick<BudgetRow, "model_name">>;

/** `changeTerms` gives what a change makes of a budget or of a template and its followers. */
export function changeTerms(row: TermsRow, change: BudgetTermsChange, now: number) {
  if (change.updated_at !== undefined && change.updated_at !== row.updated_at)
    throw refuse("changed_meanwhile");
  const {
    name = row.name,
    note = row.note,
    window = row.window,
    zone = row.zone,
    amount = row.amount,
  } = change;
  const { on_reached = row.on_reached, anchor = row.anchor } = change;
  checkZone(zone);
  if (change.models?.length && row.subject === "model")
    throw refuse("invalid_request", { fields: { models: `models ${modelsAreFor}` } });
  const inherited = {
    ...{ name, note, window, zone, amount, on_reached },
    models: change.models === undefined ? row.models : formatModels(change.models),
    first_day: computeFirstDay(window, change.first_day ?? row.first_day),
    anchor: chooseAnchor(window, anchor, zone, now),
    hard: change.hard === undefined ? row.hard : encodeFlag(change.hard),
    thresholds:
      change.thresholds === undefined ? row.thresholds : formatThresholds(change.thresholds),
    enabled: change.enabled === undefined ? row.enabled : encodeFlag(change.enabled),
  };
  checkReaction(on_reached, {
    ...{ subject: row.subject, model: row.model_name },
    models: parseModels(inherited.models),
  });
  const differing = inheritedColumns.filter((column) => inherited[column] !== row[column]);
  return {
    terms: {
      ...inherited,
      ...(change.managed_by !== undefined && { managed_by: change.managed_by }),
      // Two versions of a row never have the same time.
      updated_at: Math.max(now, row.updated_at + 1),
    },
    differing,
    isOtherWindow: differing.some((column) => windowColumns.has(column)),
    /** `isRearmed` says that a member was decided anew: it may pause keys in this window again. */
    isRearmed: differing.some((column) => !wordColumns.has(column)),
  };
}

const windowColumns: ReadonlySet<InheritedColumn> = new Set([
  "window",
  "first_day",
  "anchor",
  "zone",
  "models",
]);
const wordColumns: ReadonlySet<InheritedColumn> = new Set(["name", "note", "thresholds"]);
