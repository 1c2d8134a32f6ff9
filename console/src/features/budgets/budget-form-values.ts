import { type Budget, type BudgetSubject, budgetSubjects, budgetWindows } from "@tollgate/contract/budgets.ts";
import * as z from "zod/mini";
import { numberText, wholeNumber } from "../../components/whole-number.ts";

/** What the form makes budgets for; that of a key is made in the form of the key. */
export const chosenSubjects = ["site", "user", "model", "tag"] as const satisfies readonly BudgetSubject[];

const nameMax = 60;

/** The form fields as the inputs hold them. */
export type BudgetFormValues = {
  name: string;
  subject: string;
  /** The username, the model or the tag; of no meaning for the site. */
  subject_name: string;
  window: string;
  /** Units. */
  amount: string;
  hard: boolean;
  pauses: boolean;
};

export const newBudget: BudgetFormValues = {
  name: "",
  subject: "site",
  subject_name: "",
  window: "month",
  amount: "",
  hard: true,
  pauses: false,
};

export const toBudgetForm = ({
  name,
  subject,
  subject_name,
  window,
  amount,
  hard,
  on_reached,
}: Budget): BudgetFormValues => ({
  name,
  subject,
  subject_name,
  window,
  amount: numberText(amount),
  hard,
  pauses: on_reached === "pause",
});

/** The translated validation messages. */
export type BudgetFormMessages = { name: string; subject: string; amount: string };

export function budgetFormSchema(messages: BudgetFormMessages, isNew: boolean) {
  const values = z.object({
    name: z.string().check(z.trim(), z.minLength(1, messages.name), z.maxLength(nameMax)),
    subject: z.enum(budgetSubjects),
    subject_name: z.string().check(z.trim()),
    window: z.enum(budgetWindows),
    amount: wholeNumber(messages.amount, 1),
    hard: z.boolean(),
    pauses: z.boolean(),
  });
  const isNamed = ({ subject, subject_name }: z.output<typeof values>) =>
    !isNew || subject === "site" || subject_name !== "";
  return values.check(z.refine(isNamed, { error: messages.subject, path: ["subject_name"] }));
}
export type BudgetFormOutput = z.output<ReturnType<typeof budgetFormSchema>>;
