import { Trans, useLingui } from "@lingui/react/macro";
import { type Budget, spendingLimitWindows } from "@tollgate/contract/accounts/budgets.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { BudgetBar } from "../../components/budgets/budget-bar.tsx";
import { buildBudgetWindowLabel } from "../../components/budgets/budget-words.ts";
import { sortTightest } from "../../components/budgets/tightest-budget.ts";
import { DollarField } from "../../components/forms/quota-field.tsx";
import { hasFeature, useSession } from "../../session.ts";
import { SelectField } from "../../ui/form/field-choice.tsx";
import { type ContractForm, useFieldValue } from "../../ui/form/form-contract.ts";
import { FormSection } from "../../ui/form/form-sections.tsx";
import type { TokenFormValues } from "./token-form-values.ts";

type SpendingLimitSectionProps = {
  form: ContractForm<TokenFormValues>;
  budgets: readonly Budget[];
};

/**
 * `SpendingLimitSection` sets the owner's limit, and shows beside it every budget that refuses
 * calls of the key too.
 */
export function SpendingLimitSection({ form, budgets }: SpendingLimitSectionProps) {
  const { t } = useLingui();
  const window = useFieldValue(form, "spending_window");
  if (!hasFeature(useSession().status, "budgets")) return null;
  const current = budgets.find(({ by_owner }) => by_owner === true);
  // An administrator may have given it a window that owners cannot choose.
  const windows = [
    ...new Set([...spendingLimitWindows, ...(current === undefined ? [] : [current.window])]),
  ];
  return (
    <FormSection
      id="spending-limit"
      title={t`Spending limit`}
      help={t`Calls over the limit are refused until it resets.`}
    >
      <SelectField
        {...form.field("spending_window")}
        label={t`Window`}
        choices={[
          { value: "", label: t`No limit of your own` },
          ...windows.map((value) => ({ value, label: t(buildBudgetWindowLabel(value)) })),
        ]}
      />
      {window !== "" && <DollarField {...form.field("spending_limit")} label={t`Amount`} />}
      <BindingBudgets budgets={budgets} />
    </FormSection>
  );
}

/**
 * `BindingBudgets` are those in force, with whom each is from: the key stops at the first that is
 * used up.
 */
function BindingBudgets({ budgets }: Pick<SpendingLimitSectionProps, "budgets">) {
  const rows = sortTightest(budgets);
  if (rows.length === 0) return null;
  return (
    <ul className="flex flex-col gap-4">
      {rows.map((row) => (
        <li
          key={readEntityRef(row)}
          className="flex min-w-0 flex-col gap-1 [overflow-wrap:anywhere]"
        >
          <p>
            {row.by_owner ? (
              <Trans>Your limit</Trans>
            ) : (
              <Trans>
                Set by an administrator: <bdi>{row.name}</bdi>
              </Trans>
            )}
          </p>
          <BudgetBar budget={row} />
        </li>
      ))}
    </ul>
  );
}
