import { Trans, useLingui } from "@lingui/react/macro";
import { type BudgetSubject, budgetMeasures } from "@tollgate/contract/accounts/budget-kinds.ts";
import { type Budget, createBudget, updateBudget } from "@tollgate/contract/accounts/budgets.ts";
import { api } from "../../api-queries.ts";
import { hasFeature, useSession } from "../../session.ts";
import { CheckboxField, SelectField } from "../../ui/form/field-choice.tsx";
import { TextField } from "../../ui/form/field-text.tsx";
import { useContractForm, useFieldValue } from "../../ui/form/form-contract.ts";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { findUserNamed } from "../find-user-named.ts";
import {
  type BudgetFormOutput,
  buildBudget,
  buildBudgetForm,
  chosenSubjects,
  defineBudgetFormSchema,
  isOfRuns,
  writeTerms,
} from "./budget-form-values.ts";
import { budgetLists } from "./budget-lists.ts";
import { BudgetTermsFields, useTermsMessages } from "./budget-terms-fields.tsx";
import { budgetMeasureLabels, budgetSubjectLabels } from "./budget-words.ts";

/** Whom a new budget is for, where the page says it: a team, its runs, or a channel. */
export type BudgetHolder = { subject: "team" | "team_run" | "channel"; id: number; name: string };
type BudgetDialogProps = {
  budget?: Budget | undefined;
  holder?: BudgetHolder | undefined;
  onClose: () => void;
};

/**
 * Makes a budget, or changes one: the subject of a budget stays, because its counters are of that
 * subject.
 */
export function BudgetDialog({ budget, holder, onClose }: BudgetDialogProps) {
  const { t } = useLingui();
  const { status } = useSession();
  const messages = {
    subject: t`Enter a user, model or tag`,
    ...useTermsMessages(),
  };
  const form = useContractForm({
    schema: defineBudgetFormSchema(messages, budget === undefined),
    initial: budget === undefined ? buildBudget(holder) : buildBudgetForm(budget),
    onSubmit: async (values: BudgetFormOutput) => {
      await (budget === undefined
        ? create(values, holder, t`No user has this name`)
        : change(budget, values));
      onClose();
    },
  });
  const subject = useFieldValue(form, "subject");
  const window = useFieldValue(form, "window");
  const measure = useFieldValue(form, "measure");
  return (
    <FormDialog
      form={form}
      title={
        budget !== undefined
          ? t`Edit budget`
          : holder === undefined
            ? t`New budget`
            : t`New budget of ${holder.name}`
      }
      submit={<Trans>Save</Trans>}
      onClose={onClose}
    >
      <TextField {...form.field("name")} label={t`Name`} maxLength={60} />
      {budget === undefined && holder === undefined && (
        <SelectField
          {...form.field("subject")}
          label={t`Budget of`}
          help={t`Owners set a key's own limit in its form; this budget applies on top.`}
          choices={chosenSubjects.map((value) => ({ value, label: t(budgetSubjectLabels[value]) }))}
        />
      )}
      {budget === undefined && subject === "user" && (
        <TextField {...form.field("subject_name")} label={t`Username`} />
      )}
      {budget === undefined && subject === "model" && (
        <TextField {...form.field("subject_name")} label={t`Model`} mono />
      )}
      {budget === undefined && subject === "tag" && (
        <TextField
          {...form.field("subject_name")}
          label={t`Tag`}
          placeholder="team=search"
          help={t`For example team=search. team=* covers every value without a budget of its own.`}
          mono
        />
      )}
      {budget === undefined && isOfRuns(subject) && (
        <SelectField
          {...form.field("measure")}
          label={t`What it counts`}
          choices={budgetMeasures.map((value) => ({ value, label: t(budgetMeasureLabels[value]) }))}
        />
      )}
      <BudgetTermsFields
        {...{ subject, window }}
        zone={budget?.zone}
        isChange={budget !== undefined}
        measure={isOfRuns(subject) ? measure : "quota"}
      />
      {subject === "user" && hasFeature(status, "teams") && (
        <CheckboxField
          {...form.field("counts_team_keys")}
          label={t`Count the user's keys of teams too`}
          help={
            budget === undefined
              ? t`When off, it counts only what the user's own balance pays.`
              : t`When off, it counts only what the user's own balance pays. Changing this starts a new count.`
          }
        />
      )}
      {budget !== undefined && budget.template_id !== null && (
        <p className="text-muted text-sm">
          <Trans>
            This budget follows a template. Once it is changed here, changes of the template no
            longer reach it.
          </Trans>
        </p>
      )}
    </FormDialog>
  );
}

async function create(
  values: BudgetFormOutput,
  holder: BudgetHolder | undefined,
  unknownUser: string,
): Promise<void> {
  const { subject, subject_name } = values;
  const owner =
    holder !== undefined
      ? { subject_id: holder.id }
      : subject === "user"
        ? { subject_id: await findUserNamed(subject_name, unknownUser, "subject_name") }
        : {};
  const model = subject === "model" ? { model: subject_name } : {};
  const tag = subject === "tag" ? { tag: subject_name } : {};
  await api.change(createBudget, budgetLists, {
    body: {
      ...{
        ...writeTerms(values),
        subject,
        ...owner,
        ...model,
        ...tag,
        ...readTeamKeys(subject, values),
      },
      ...(isOfRuns(subject) && { measure: values.measure }),
    },
  });
}

async function change(
  { id, uuid, subject, updated_at }: Budget,
  values: BudgetFormOutput,
): Promise<void> {
  await api.change(updateBudget, budgetLists, {
    body: { id, uuid, ...writeTerms(values), ...readTeamKeys(subject, values), updated_at },
  });
}

/** Only the budget of a user has a choice. */
const readTeamKeys = (subject: BudgetSubject, { counts_team_keys }: BudgetFormOutput) =>
  subject === "user" ? { counts_team_keys } : {};
