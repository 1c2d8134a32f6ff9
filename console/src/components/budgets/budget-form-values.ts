import {
  type BudgetMeasure,
  type BudgetReaction,
  type BudgetSubject,
  type BudgetWindow,
  budgetMeasures,
  budgetSubjects,
  budgetWindows,
  canReact,
  computeWindowDays,
  type ReactionKind,
  reactionKinds,
  readModelInstead,
  readReactionKind,
  runSubjects,
  subjectMembers,
  windowDaysMax,
} from "@tollgate/contract/accounts/budget-kinds.ts";
import type {
  BudgetTemplate,
  TemplateSubject,
} from "@tollgate/contract/accounts/budget-templates.ts";
import { templateSubjects } from "@tollgate/contract/accounts/budget-templates.ts";
import type { Budget } from "@tollgate/contract/accounts/budgets.ts";
import * as z from "zod/mini";
import { defineWholeNumber, numberText } from "../forms/whole-number.ts";

/**
 * `chosenSubjects` are what the form makes budgets for; that of a key is made in the form of the
 * key.
 */
export const chosenSubjects = [
  "site",
  "user",
  "model",
  "tag",
  "run",
] as const satisfies readonly BudgetSubject[];

/** `isNamedSubject` says whether the form asks whom the budget is for. */
const isNamedSubject = (subject: BudgetSubject): boolean => subjectMembers[subject] !== undefined;

const nameMax = 60;
const modelNameMax = 100;
export const noteMax = 500;
const isDayCount = (text: string): boolean =>
  /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= windowDaysMax;
/** Up to five percentages, or none. */
const thresholdsPattern = /^(?:(?:[1-9]\d?|100)\s*%?(?:\s*,\s*(?:[1-9]\d?|100)\s*%?){0,4})?$/;

/** The fields of budgets and their templates as the inputs hold them. */
type BudgetTermsValues = {
  name: string;
  note: string;
  /** Names with commas between them. */
  models: string;
  /** `window` is one of `formWindows`. */
  window: string;
  /** `days` says how many days, and the date from which they are counted. */
  days: string;
  anchor: string;
  /** The day on which a week (1 is Monday) or a month begins. */
  week_day: string;
  month_day: string;
  /** Empty for the site's, which only a new one takes. */
  zone: string;
  /** Units. */
  amount: string;
  hard: boolean;
  /** `reaction` is what becomes of calls that it does not cover; `model_instead` is for `model`. */
  reaction: string;
  model_instead: string;
  /** Percentages with commas between them. */
  thresholds: string;
};

export type BudgetFormValues = BudgetTermsValues & {
  subject: string;
  /** The username, the model or the tag; of no meaning for the site and for runs. */
  subject_name: string;
  /** `counts_team_keys` is of a user's budget. */
  counts_team_keys: boolean;
  /** The measure of a budget of runs: the thing that it counts. */
  measure: string;
};

export type TemplateFormValues = BudgetTermsValues & {
  subject: string;
  /** Empty for every group. */
  group: string;
};

/** Windows as the form chooses them: `days` besides asks how many. */
export const formWindows = [...budgetWindows, "days"] as const;

type WindowField = "days" | "week_day" | "month_day" | "zone";
/** `windowFields` are what the form asks about a window besides. */
const windowFields: Readonly<Record<(typeof formWindows)[number], readonly WindowField[]>> = {
  hour: ["zone"],
  day: ["zone"],
  week: ["week_day", "zone"],
  month: ["month_day", "zone"],
  lifetime: [],
  days: ["days", "zone"],
};
/** A window that a newer server knows is asked nothing: the form cannot send it. */
export const hasWindowField = (window: string, field: WindowField): boolean =>
  windowFields[window as keyof typeof windowFields]?.includes(field) ?? false;

const buildTerms = (): BudgetTermsValues => ({
  ...{ name: "", note: "", models: "", window: "month", days: "30", anchor: "" },
  week_day: "1",
  month_day: "1",
  amount: "",
  hard: true,
  reaction: "refuse" satisfies ReactionKind,
  model_instead: "",
  thresholds: "80, 100",
  zone: "",
});
export const buildBudget = (holder?: {
  subject: BudgetSubject;
  name: string;
}): BudgetFormValues => ({
  ...buildTerms(),
  subject: holder?.subject ?? "site",
  subject_name: holder?.name ?? "",
  counts_team_keys: false,
  measure: "quota" satisfies BudgetMeasure,
});
export const buildTemplate = (): TemplateFormValues => ({
  ...buildTerms(),
  subject: "token" satisfies TemplateSubject,
  group: "",
});

type SharedTerms = Pick<
  Budget,
  | "name"
  | "note"
  | "models"
  | "window"
  | "anchor"
  | "first_day"
  | "zone"
  | "amount"
  | "hard"
  | "on_reached"
  | "thresholds"
>;

const toTerms = ({
  name,
  window,
  first_day,
  zone,
  amount,
  hard,
  on_reached,
  thresholds,
  ...more
}: SharedTerms) => ({
  ...{
    name,
    zone,
    hard,
    note: more.note ?? "",
    models: (more.models ?? []).join(", "),
    anchor: more.anchor ?? "",
  },
  window: computeWindowDays(window) === undefined ? window : "days",
  days: String(computeWindowDays(window) ?? 30),
  week_day: hasWindowField(window, "week_day") ? String(first_day) : "1",
  month_day: hasWindowField(window, "month_day") ? String(first_day) : "1",
  amount: numberText(amount),
  reaction: readReactionKind(on_reached),
  model_instead: readModelInstead(on_reached) ?? "",
  thresholds: thresholds.join(", "),
});

export const buildBudgetForm = (
  budget: SharedTerms & Pick<Budget, "subject" | "subject_name" | "counts_team_keys" | "measure">,
): BudgetFormValues => ({
  ...toTerms(budget),
  subject: budget.subject,
  subject_name: budget.subject_name,
  counts_team_keys: budget.counts_team_keys === true,
  measure: budget.measure ?? "quota",
});

export const buildTemplateForm = (template: BudgetTemplate): TemplateFormValues => ({
  ...toTerms(template),
  subject: template.subject,
  group: template.group,
});

/** The translated validation messages. */
type TermsMessages = {
  name: string;
  amount: string;
  thresholds: string;
  days: string;
  model: string;
};
export type BudgetFormMessages = TermsMessages & { subject: string };

const defineTermsFields = (messages: TermsMessages) => ({
  name: z.string().check(z.trim(), z.minLength(1, messages.name), z.maxLength(nameMax)),
  note: z.string().check(z.trim(), z.maxLength(noteMax)),
  models: z.string(),
  window: z.enum(formWindows),
  days: z.string().check(
    z.trim(),
    z.refine((text) => isDayCount(text), messages.days),
  ),
  anchor: z.string(),
  week_day: z.string(),
  month_day: z.string(),
  zone: z.string().check(z.trim()),
  amount: defineWholeNumber(messages.amount, 1),
  hard: z.boolean(),
  reaction: z.enum(reactionKinds),
  model_instead: z.string().check(z.trim(), z.maxLength(modelNameMax)),
  thresholds: z.pipe(
    z.string().check(z.trim(), z.regex(thresholdsPattern, messages.thresholds)),
    z.transform((text) => [...new Set((text.match(/\d+/g) ?? []).map(Number))]),
  ),
});

export function defineBudgetFormSchema(messages: BudgetFormMessages, isNew: boolean) {
  const values = z.object({
    ...defineTermsFields(messages),
    subject: z.enum(budgetSubjects),
    subject_name: z.string().check(z.trim()),
    counts_team_keys: z.boolean(),
    measure: z.enum(budgetMeasures),
  });
  const isNamed = ({ subject, subject_name }: z.output<typeof values>) =>
    !isNew || !isNamedSubject(subject) || subject_name !== "";
  return values.check(
    z.refine(isNamed, { error: messages.subject, path: ["subject_name"] }),
    z.refine((terms) => !needsModel(terms), { error: messages.model, path: ["model_instead"] }),
  );
}
export type BudgetFormOutput = z.output<ReturnType<typeof defineBudgetFormSchema>>;

export const defineTemplateFormSchema = (messages: TermsMessages) =>
  z
    .object({
      ...defineTermsFields(messages),
      subject: z.enum(templateSubjects),
      group: z.string(),
    })
    .check(
      z.refine((terms) => !needsModel(terms), { error: messages.model, path: ["model_instead"] }),
    );
export type TemplateFormOutput = z.output<ReturnType<typeof defineTemplateFormSchema>>;

export const isOfRuns = (subject: string): boolean => runSubjects.some((one) => one === subject);

/**
 * `listReactions` gives what the form offers. One that only counts refuses nothing that could be
 * asked for or sent elsewhere.
 */
export const listReactions = (subject: string, isHard: boolean): ReactionKind[] =>
  reactionKinds.filter(
    (kind) =>
      canReact(subject as BudgetSubject, kind) && (isHard || kind === "refuse" || kind === "pause"),
  );

/** `needsModel` says whether the form still has to name the model that calls go to. */
const needsModel = (terms: { hard: boolean; reaction: string; model_instead: string }): boolean =>
  terms.hard && terms.reaction === "model" && terms.model_instead === "";

type ChosenTerms = Omit<BudgetFormOutput, "subject_name" | "counts_team_keys" | "measure">;

/**
 * `writeTerms` gives the terms as requests have them. A window that has no first day keeps that of
 * before.
 */
export function writeTerms({
  subject,
  reaction,
  model_instead,
  week_day,
  month_day,
  zone,
  days,
  anchor,
  ...terms
}: ChosenTerms) {
  const isOffered = listReactions(subject, terms.hard).includes(reaction);
  const kind = isOffered ? reaction : "refuse";
  const on_reached: BudgetReaction = kind === "model" ? `model:${model_instead}` : kind;
  const { name, note, amount, hard, thresholds } = terms;
  const day = hasWindowField(terms.window, "week_day")
    ? week_day
    : hasWindowField(terms.window, "month_day")
      ? month_day
      : "";
  const begins = {
    ...(day !== "" && { first_day: Number(day) }),
    ...(terms.window === "days" && anchor !== "" && { anchor }),
  };
  const window: BudgetWindow = terms.window === "days" ? `days:${Number(days)}` : terms.window;
  const models = subject === "model" ? [] : terms.models.split(/[,\s]+/).filter(Boolean);
  return {
    name,
    note,
    models,
    window,
    amount,
    hard,
    thresholds,
    on_reached,
    ...(zone !== "" && { zone }),
    ...begins,
  };
}
