import { Trans, useLingui } from "@lingui/react/macro";
import { type Budget, createBudget, updateBudget } from "@tollgate/contract/budgets.ts";
import { searchUsers } from "@tollgate/contract/user-admin.ts";
import { ApiError } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { budgetSubjectLabels } from "../../components/budget-words.ts";
import { SelectField } from "../../ui/field-choice.tsx";
import { TextField } from "../../ui/field-text.tsx";
import { useContractForm, useFieldValue } from "../../ui/form-contract.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import {
  type BudgetFormOutput,
  budgetFormSchema,
  chosenSubjects,
  newBudget,
  termsOf,
  toBudgetForm,
} from "./budget-form-values.ts";
import { budgetLists } from "./budget-lists.ts";
import { BudgetTermsFields, useTermsMessages } from "./budget-terms-fields.tsx";

/** Makes a budget, or changes one: the subject of a budget stays, because its counters are of that subject. */
export function BudgetDialog({ budget, onClose }: { budget?: Budget | undefined; onClose: () => void }) {
  const { t } = useLingui();
  const messages = {
    subject: t`Name the user, model or tag`,
    ...useTermsMessages(),
  };
  const form = useContractForm({
    schema: budgetFormSchema(messages, budget === undefined),
    initial: budget === undefined ? newBudget() : toBudgetForm(budget),
    onSubmit: async (values: BudgetFormOutput) => {
      await (budget === undefined ? create(values, t`There is no user of this name`) : change(budget, values));
      onClose();
    },
  });
  const subject = useFieldValue(form, "subject");
  const window = useFieldValue(form, "window");
  return (
    <FormDialog
      form={form}
      title={budget === undefined ? t`New budget` : t`Edit budget`}
      submit={<Trans>Save</Trans>}
      onClose={onClose}
    >
      <TextField {...form.field("name")} label={t`Name`} maxLength={60} />
      {budget === undefined && (
        <SelectField
          {...form.field("subject")}
          label={t`Budget of`}
          help={t`The budget of a key is the spending limit in its form.`}
          choices={chosenSubjects.map((value) => ({ value, label: t(budgetSubjectLabels[value]) }))}
        />
      )}
      {budget === undefined && subject === "user" && <TextField {...form.field("subject_name")} label={t`Username`} />}
      {budget === undefined && subject === "model" && (
        <TextField {...form.field("subject_name")} label={t`Model`} mono />
      )}
      {budget === undefined && subject === "tag" && (
        <TextField
          {...form.field("subject_name")}
          label={t`Tag`}
          placeholder="team=search"
          help={t`Such as team=search; team=* is for every value that has no budget of its own.`}
          mono
        />
      )}
      <BudgetTermsFields {...{ subject, window }} zone={budget?.zone} isChange={budget !== undefined} />
      {budget !== undefined && budget.template_id !== null && (
        <p className="text-muted text-sm">
          <Trans>
            This budget follows a template. Once it is changed here, changes of the template no longer reach it.
          </Trans>
        </p>
      )}
    </FormDialog>
  );
}

async function create(values: BudgetFormOutput, unknownUser: string): Promise<void> {
  const { subject, subject_name } = values;
  const owner = subject === "user" ? { subject_id: await userNamed(subject_name, unknownUser) } : {};
  const model = subject === "model" ? { model: subject_name } : {};
  const tag = subject === "tag" ? { tag: subject_name } : {};
  await api.change(createBudget, budgetLists, { body: { ...termsOf(values), subject, ...owner, ...model, ...tag } });
}

async function change({ id, uuid, updated_at }: Budget, values: BudgetFormOutput): Promise<void> {
  await api.change(updateBudget, budgetLists, { body: { id, uuid, ...termsOf(values), updated_at } });
}

/** Throws the refusal of the form when no user has exactly this name. */
async function userNamed(username: string, unknownUser: string): Promise<number> {
  const { data } = await api.call(searchUsers, { query: { keyword: username } });
  const found = data.find((user) => user.username === username);
  if (found === undefined) throw new ApiError(unknownUser, { status: 404, fields: { subject_name: unknownUser } });
  return found.id;
}
