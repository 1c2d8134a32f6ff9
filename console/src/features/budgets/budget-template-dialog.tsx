import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import {
  type BudgetTemplate,
  createBudgetTemplate,
  templateSubjects,
  updateBudgetTemplate,
} from "@tollgate/contract/accounts/budget-templates.ts";
import { listGroups } from "@tollgate/contract/accounts/users.ts";
import { api } from "../../api-queries.ts";
import {
  buildTemplate,
  buildTemplateForm,
  defineTemplateFormSchema,
  type TemplateFormOutput,
  writeTerms,
} from "../../components/budgets/budget-form-values.ts";
import { budgetLists } from "../../components/budgets/budget-lists.ts";
import {
  BudgetTermsFields,
  useTermsMessages,
} from "../../components/budgets/budget-terms-fields.tsx";
import { SelectField } from "../../ui/form/field-choice.tsx";
import { TextField } from "../../ui/form/field-text.tsx";
import { useContractForm, useFieldValue } from "../../ui/form/form-contract.ts";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { templateSubjectLabels } from "./budget-template-words.ts";

type BudgetTemplateDialogProps = { template?: BudgetTemplate | undefined; onClose: () => void };

/** Makes a template, or changes one and the budgets that follow it. Its subject and group stay. */
export function BudgetTemplateDialog({ template, onClose }: BudgetTemplateDialogProps) {
  const { t } = useLingui();
  const form = useContractForm({
    schema: defineTemplateFormSchema(useTermsMessages()),
    initial: template === undefined ? buildTemplate() : buildTemplateForm(template),
    onSubmit: async (values: TemplateFormOutput) => {
      await save(template, values);
      onClose();
    },
  });
  const subject = useFieldValue(form, "subject");
  const window = useFieldValue(form, "window");
  return (
    <FormDialog
      form={form}
      title={template === undefined ? t`New budget template` : t`Edit budget template`}
      submit={<Trans>Save</Trans>}
      onClose={onClose}
    >
      <TextField {...form.field("name")} label={t`Name`} maxLength={60} />
      {template === undefined ? (
        <>
          <SelectField
            {...form.field("subject")}
            label={t`Budget of`}
            choices={templateSubjects.map((value) => ({
              value,
              label: t(templateSubjectLabels[value]),
            }))}
          />
          <TemplateGroupField name={form.field("group").name} />
        </>
      ) : (
        <p className="text-muted text-sm">
          <Plural
            value={template.followers}
            one="# budget follows it and changes with it."
            other="# budgets follow it and change with it."
          />
        </p>
      )}
      <BudgetTermsFields
        {...{ subject, window }}
        zone={template?.zone}
        isChange={template !== undefined}
      />
    </FormDialog>
  );
}

function TemplateGroupField({ name }: { name: string }) {
  const { t } = useLingui();
  const groups = useQuery(api.query(listGroups));
  const named = (groups.data?.data ?? []).map((group) => ({ value: group, label: group }));
  return (
    <SelectField
      name={name}
      label={t`Group`}
      help={groups.error === null ? t`Of the user.` : groups.error.message}
      choices={[{ value: "", label: t`Every group` }, ...named]}
    />
  );
}

async function save(
  template: BudgetTemplate | undefined,
  values: TemplateFormOutput,
): Promise<void> {
  const terms = writeTerms(values);
  if (template === undefined) {
    const { subject, group } = values;
    await api.change(createBudgetTemplate, budgetLists, { body: { ...terms, subject, group } });
    return;
  }
  const { id, uuid, updated_at } = template;
  await api.change(updateBudgetTemplate, budgetLists, { body: { id, uuid, ...terms, updated_at } });
}
