import { useLingui } from "@lingui/react/macro";
import { budgetWindows } from "@tollgate/contract/budgets.ts";
import type { ReactNode } from "react";
import { budgetWindowLabels } from "../../components/budget-words.ts";
import { QuotaField } from "../../components/quota-field.tsx";
import { CheckboxField, SelectField } from "../../ui/field-choice.tsx";
import { canPause } from "./budget-form-values.ts";

type BudgetTermsFieldsProps = {
  subject: string;
  windowHelp?: ReactNode;
};

/** What budgets and their templates have alike, behind the name and the subject. */
export function BudgetTermsFields({ subject, windowHelp }: BudgetTermsFieldsProps) {
  const { t } = useLingui();
  return (
    <>
      <QuotaField name="amount" label={t`Amount`} />
      <SelectField
        name="window"
        label={t`Window`}
        help={windowHelp}
        choices={budgetWindows.map((value) => ({ value, label: t(budgetWindowLabels[value]) }))}
      />
      <CheckboxField
        name="hard"
        label={t`Refuse calls beyond it`}
        help={t`Without this, calls are counted and go on.`}
      />
      {canPause(subject) && (
        <CheckboxField
          name="pauses"
          label={t`Pause the keys when it is used up`}
          help={t`They stay paused in the next window too, until they are resumed.`}
        />
      )}
    </>
  );
}
