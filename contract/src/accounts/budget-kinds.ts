/**
 * What a budget can be: whom it is for, what it counts, in which windows of time, and what happens
 * when it is used up.
 */
import * as z from "zod/mini";
import { makeAboutField } from "../api/field-message.ts";

/**
 * Budgets that count each run of an agent by itself: of the whole site, of an API key, of a team.
 */
const runSubjectNames = ["run", "token_run", "team_run"] as const;
export type RunSubject = (typeof runSubjectNames)[number];

/**
 * `budgetSubjects` hold all calls, those of a user, those of an API key, those that ask for a model
 * or are served by it, those with a tag, those of a team, those of one member's keys of a team;
 * those of each run of an agent, of the whole site, of an API key or of a team;
 * those that a channel serves, by what the operator pays for them.
 */
export const budgetSubjects = [
  ...(["site", "user", "token", "model", "tag", "team", "member"] as const),
  ...runSubjectNames,
  "channel",
] as const;
export type BudgetSubject = (typeof budgetSubjects)[number];
/** The member that names whom a budget is for: the id of a row, a model or a tag. */
export const subjectMembers = {
  site: undefined,
  user: "subject_id",
  token: "subject_id",
  model: "model",
  tag: "tag",
  team: "subject_id",
  member: "subject_id",
  run: undefined,
  token_run: "subject_id",
  team_run: "subject_id",
  channel: "subject_id",
} as const satisfies Record<BudgetSubject, string | undefined>;
/** `tokenSubjects` hold those that name an API key. */
export const tokenSubjects: readonly BudgetSubject[] = ["token", "token_run"];
/**
 * `runSubjects` hold those that count each run by itself. What a reply says of their window is true
 * of the run that spent most in it.
 */
export const runSubjects: readonly BudgetSubject[] = runSubjectNames;

/**
 * `budgetMeasures` are the things that a budget counts: quota units, calls, or minutes for which
 * calls run. Budgets of runs alone have a choice.
 */
export const budgetMeasures = ["quota", "calls", "minutes"] as const;
export type BudgetMeasure = (typeof budgetMeasures)[number];

/**
 * The windows of a calendar, and one without an end; `days:14` besides is fourteen days, counted
 * from the anchor.
 */
export const budgetWindows = ["hour", "day", "week", "month", "lifetime"] as const;
export type CalendarWindow = (typeof budgetWindows)[number];
type DaysWindow = `days:${string}`;
export type BudgetWindow = CalendarWindow | DaysWindow;
/**
 * The last day on which a window can begin: of a week (1 is Monday) or a month. 1 where no day can
 * be chosen.
 */
export const firstDayMax = { hour: 1, day: 1, week: 7, month: 31, lifetime: 1 } satisfies Record<
  CalendarWindow,
  number
>;
export const windowDaysMax = 366;
export const budgetWindow = z.union(
  [
    z.enum(budgetWindows),
    z.templateLiteral([
      "days:",
      z.string().check(z.regex(/^(?:[1-9]\d?|[12]\d\d|3[0-5]\d|36[0-6])$/)),
    ]),
  ],
  makeAboutField(`must be ${budgetWindows.join(", ")}, or days:N with 1 to ${windowDaysMax}`),
);
export const isCountedInDays = (window: string): window is DaysWindow => window.startsWith("days:");
/** Undefined for a window that is not counted in days. */
export function computeWindowDays(window: DaysWindow): number;
export function computeWindowDays(window: string): number | undefined;
export function computeWindowDays(window: string): number | undefined {
  return isCountedInDays(window) ? Number(window.slice("days:".length)) : undefined;
}

/**
 * `budgetReactions` say what becomes of the subject's keys when the budget is used up, besides
 * `hard`: nothing, or they are paused.
 */
export const budgetReactions = ["refuse", "pause"] as const;
export type BudgetReaction = (typeof budgetReactions)[number];

/**
 * `pausingSubjects` hold those whose keys a budget can pause: of others, a pause would stop keys
 * that hardly spent.
 */
export const pausingSubjects: readonly BudgetSubject[] = ["user", "token"];
