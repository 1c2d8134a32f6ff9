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

/** The fields of budgets and their templates as the inputs hold them. */
type BudgetTermsValues = {
  name: string;
  window: string;
  /** Units. */
  amount: string;
  hard: boolean;
  pauses: boolean;
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

const newTerms: BudgetTermsValues = { name: "", window: "month", amount: "", hard: true, pauses: false };
export const newBudget: BudgetFormValues = { ...newTerms, subject: "site", subject_name: "" };
export const newTemplate: TemplateFormValues = {
  ...newTerms,
  subject: "token" satisfies TemplateSubject,
  group: "",
};

const toTerms = ({
  name,
  window,
  amount,
  hard,
  on_reached,
}: Pick<Budget, "name" | "window" | "amount" | "hard" | "on_reached">): BudgetTermsValues => ({
  name,
  window,
  amount: numberText(amount),
  hard,
  pauses: on_reached === "pause",
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
type TermsMessages = { name: string; amount: string };
export type BudgetFormMessages = TermsMessages & { subject: string };

const termsFields = (messages: TermsMessages) => ({
  name: z.string().check(z.trim(), z.minLength(1, messages.name), z.maxLength(nameMax)),
  window: z.enum(budgetWindows),
  amount: wholeNumber(messages.amount, 1),
  hard: z.boolean(),
  pauses: z.boolean(),
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

type ChosenTerms = Pick<BudgetFormOutput, "subject" | "name" | "window" | "amount" | "hard" | "pauses">;

/** As requests have it. */
export function termsOf({ subject, name, window, amount, hard, pauses }: ChosenTerms) {
  const on_reached: BudgetReaction = pauses && canPause(subject) ? "pause" : "refuse";
  return { name, window, amount, hard, on_reached };
}
