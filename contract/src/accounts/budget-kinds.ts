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

/** `plainReactions` are said by their name alone. */
const plainReactions = ["refuse", "pause", "ask"] as const;
type PlainReaction = (typeof plainReactions)[number];
export type ReactionKind = PlainReaction | "model";
/**
 * `reactionSubjects` say which budgets can do what, once they are used up: refuse calls; pause the
 * keys of their subject besides (of other subjects, that would stop keys that hardly spent); let
 * those whom they limit ask for more; or send calls to another model, `model:NAME`. A channel that
 * is full passes calls on by itself.
 */
export const reactionSubjects = {
  refuse: budgetSubjects,
  pause: ["user", "token"],
  ask: ["user", "token", "team", "member"],
  model: budgetSubjects.filter((subject) => subject !== "channel"),
} as const satisfies Record<ReactionKind, readonly BudgetSubject[]>;
export const reactionKinds = Object.keys(reactionSubjects) as ReactionKind[];
const modelReaction = "model:";
export type BudgetReaction = PlainReaction | `${typeof modelReaction}${string}`;
export const budgetReaction = z.union(
  [
    z.enum(plainReactions),
    z.templateLiteral([modelReaction, z.string().check(z.regex(/^[^,\r\n]{1,100}$/))]),
  ],
  makeAboutField(
    `must be ${plainReactions.join(", ")}, or ${modelReaction}NAME with the name of a model`,
  ),
);
/** `readModelInstead` gives the model of `model:NAME`; undefined for other reactions. */
export const readModelInstead = (reaction: string): string | undefined =>
  reaction.startsWith(modelReaction) ? reaction.slice(modelReaction.length) : undefined;
export const readReactionKind = (reaction: BudgetReaction): ReactionKind =>
  readModelInstead(reaction) === undefined ? (reaction as PlainReaction) : "model";
/** `canReact` says whether a budget of the subject can have the reaction. */
export const canReact = (subject: BudgetSubject, kind: ReactionKind): boolean =>
  (reactionSubjects[kind] as readonly BudgetSubject[]).includes(subject);

export interface ReactingTerms {
  subject: BudgetSubject;
  /** `model` is the subject of a model's budget. */
  model?: string | undefined;
  /** `models` are those whose calls it counts alone; empty for all. */
  models: readonly string[];
}

/**
 * `findReactionMistake` says of `on_reached` why a budget cannot react so: its subject cannot, or
 * the model that its calls would go to is the only one that it counts.
 */
export function findReactionMistake(
  reaction: BudgetReaction,
  { subject, model = "", models }: ReactingTerms,
): string | undefined {
  const kind = readReactionKind(reaction);
  if (!canReact(subject, kind)) return reactionsAreOf[kind];
  const instead = readModelInstead(reaction);
  const counted = model === "" ? models : [model];
  return counted.length > 0 && counted.every((one) => one === instead)
    ? "must name another model than the one that the budget counts"
    : undefined;
}

const reactionsAreOf = {
  refuse: "",
  pause: "can pause keys in the budget of a user or token alone",
  ask: "can be ask in the budget of a user, token, team or member alone",
  model: "can name a model in budgets of other subjects than a channel alone",
} satisfies Record<ReactionKind, string>;
