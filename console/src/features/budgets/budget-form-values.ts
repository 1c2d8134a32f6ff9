import type { BudgetTemplate, TemplateSubject } from "@tollgate/contract/budget-templates.ts";
import { templateSubjects } from "@tollgate/contract/budget-templates.ts";
import {
  type Budget,
  type BudgetReaction,
  type BudgetSubject,
  budgetSubjects,
  budgetWindows,
  pausingSubjects,
} from "@tollgate/contract/budgets.ts";
import * as z from "zod/mini";
import { numberText, wholeNumber } from "../../components/whole-number.ts";

/** What the form makes budgets for; that of a key is made in the form of the key. */
export const chosenSubjects = ["site", "user", "model", "tag"] as const satisfies readonly BudgetSubject[];

const nameMax = 60;
/** Up to five percentages, or none. */
const thresholdsPattern = /^(?:(?:[1-9]\d?|100)\s*%?(?:\s*,\s*(?:[1-9]\d?|100)\s*%?){0,4})?$/;

/** The fields of budgets and their templates as the inputs hold them. */
type BudgetTermsValues = {
  name: string;
  window: string;
  /** On which a week (1 is Monday) or a month begins. */
  week_day: string;
  month_day: string;
  zone: string;
  /** Units. */
  amount: string;
  hard: boolean;
  pauses: boolean;
  /** Percentages with commas between them. */
  thresholds: string;
};

export type BudgetFormValues = BudgetTermsValues & {
  subject: string;
  /** The username, the model or the tag; of no meaning for the site. */
  subject_name: string;
};

export type TemplateFormValues = BudgetTermsValues & {
  subject: string;
  /** Empty for every group. */
  group: string;
};

const newTerms = (): BudgetTermsValues => ({
  name: "",
  window: "month",
  week_day: "1",
  month_day: "1",
  amount: "",
  hard: true,
  pauses: false,
  thresholds: "80, 100",
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
});
export const newBudget = (): BudgetFormValues => ({ ...newTerms(), subject: "site", subject_name: "" });
export const newTemplate = (): TemplateFormValues => ({
  ...newTerms(),
  subject: "token" satisfies TemplateSubject,
  group: "",
});

type SharedTerms = Pick<
  Budget,
  "name" | "window" | "first_day" | "zone" | "amount" | "hard" | "on_reached" | "thresholds"
>;

const toTerms = ({ name, window, first_day, zone, amount, hard, on_reached, thresholds }: SharedTerms) => ({
  ...{ name, window, zone, hard },
  week_day: window === "week" ? String(first_day) : "1",
  month_day: window === "month" ? String(first_day) : "1",
  amount: numberText(amount),
  pauses: on_reached === "pause",
  thresholds: thresholds.join(", "),
});

export const toBudgetForm = (budget: Budget): BudgetFormValues => ({
  ...toTerms(budget),
  subject: budget.subject,
  subject_name: budget.subject_name,
});

export const toTemplateForm = (template: BudgetTemplate): TemplateFormValues => ({
  ...toTerms(template),
  subject: template.subject,
  group: template.group,
});

/** The translated validation messages. */
type TermsMessages = { name: string; amount: string; thresholds: string };
export type BudgetFormMessages = TermsMessages & { subject: string };

const termsFields = (messages: TermsMessages) => ({
  name: z.string().check(z.trim(), z.minLength(1, messages.name), z.maxLength(nameMax)),
  window: z.enum(budgetWindows),
  week_day: z.string(),
  month_day: z.string(),
  zone: z.string().check(z.trim()),
  amount: wholeNumber(messages.amount, 1),
  hard: z.boolean(),
  pauses: z.boolean(),
  thresholds: z.pipe(
    z.string().check(z.trim(), z.regex(thresholdsPattern, messages.thresholds)),
    z.transform((text) => [...new Set((text.match(/\d+/g) ?? []).map(Number))]),
  ),
});

export function budgetFormSchema(messages: BudgetFormMessages, isNew: boolean) {
  const values = z.object({
    ...termsFields(messages),
    subject: z.enum(budgetSubjects),
    subject_name: z.string().check(z.trim()),
  });
  const isNamed = ({ subject, subject_name }: z.output<typeof values>) =>
    !isNew || subject === "site" || subject_name !== "";
  return values.check(z.refine(isNamed, { error: messages.subject, path: ["subject_name"] }));
}
export type BudgetFormOutput = z.output<ReturnType<typeof budgetFormSchema>>;

export const templateFormSchema = (messages: TermsMessages) =>
  z.object({ ...termsFields(messages), subject: z.enum(templateSubjects), group: z.string() });
export type TemplateFormOutput = z.output<ReturnType<typeof templateFormSchema>>;

export const canPause = (subject: string): boolean => pausingSubjects.some((one) => one === subject);

type ChosenTerms = Omit<BudgetFormOutput, "subject_name">;

/** As requests have it. A window that has no first day keeps that of before. */
export function termsOf({ subject, pauses, week_day, month_day, zone, ...terms }: ChosenTerms) {
  const on_reached: BudgetReaction = pauses && canPause(subject) ? "pause" : "refuse";
  const { name, window, amount, hard, thresholds } = terms;
  const day = window === "week" ? week_day : window === "month" ? month_day : "";
  const begins = day === "" ? {} : { first_day: Number(day) };
  return { name, window, amount, hard, thresholds, on_reached, zone: zone || "UTC", ...begins };
}
