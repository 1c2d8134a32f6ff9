import { Trans, useLingui } from "@lingui/react/macro";
import type { BudgetMeasure } from "@tollgate/contract/accounts/budget-kinds.ts";
import type { Budget } from "@tollgate/contract/accounts/budgets.ts";
import * as z from "zod/mini";
import { SelectField } from "../../ui/form/field-choice.tsx";
import { NumberField } from "../../ui/form/field-text.tsx";
import { useContractForm } from "../../ui/form/form-contract.ts";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { Time } from "../../ui/time.tsx";
import { useIdempotencyKey } from "../forms/idempotency-key.ts";
import { DollarField } from "../forms/quota-field.tsx";
import { defineWholeNumber } from "../forms/whole-number.ts";
import { budgetMeasureLabels } from "./budget-words.ts";
import { useAmountFormat } from "./use-amount-format.ts";

type GrantDialogProps = {
  budget: Pick<Budget, "name" | "granted" | "measure" | "resets_at" | "window_start">;
  /** `onGrant` sends what was entered: an amount below 0 takes back what was granted. */
  onGrant: (
    given: { amount: number; window_start: number },
    idempotencyKey: string,
  ) => Promise<unknown>;
  onClose: () => void;
};

/** `GrantDialog` grants more for the present window of a budget, or takes some of it back. */
export function GrantDialog({ budget, onGrant, onClose }: GrantDialogProps) {
  const { t } = useLingui();
  const { name, granted, resets_at, window_start } = budget;
  // Of this dialog: what is granted later is another grant, of whatever amount.
  const keyFor = useIdempotencyKey();
  const form = useContractForm({
    schema: z.object({
      act: z.enum(["grant", "take"]),
      amount: defineWholeNumber(t`Enter an amount above $0`, 1),
    }),
    initial: { act: "grant", amount: "" },
    onSubmit: async ({ act, amount }: { act: "grant" | "take"; amount: number }) => {
      const given = { amount: act === "grant" ? amount : -amount, window_start };
      await onGrant(given, keyFor(given));
      onClose();
    },
  });
  const grantedText = useAmountFormat(budget)(granted);
  return (
    <FormDialog
      form={form}
      title={t`More of ${name}`}
      submit={<Trans>Save</Trans>}
      onClose={onClose}
    >
      {granted > 0 && (
        <SelectField
          {...form.field("act")}
          label={t`What to do`}
          help={t`${grantedText} was granted for this window.`}
          choices={[
            { value: "grant", label: t`Grant more` },
            { value: "take", label: t`Take back` },
          ]}
        />
      )}
      <AmountField measure={budget.measure} name={form.field("amount").name} />
      <p className="text-muted text-sm">
        {typeof resets_at === "number" ? (
          <Trans>
            For this window alone, which ends <Time seconds={Math.floor(resets_at / 1000)} />.
          </Trans>
        ) : (
          <Trans>This budget never resets, so what you grant stays.</Trans>
        )}
      </p>
    </FormDialog>
  );
}

type AmountFieldProps = { measure: BudgetMeasure; name: string };

/** `AmountField` asks for an amount in what the budget counts. */
export function AmountField({ measure, name }: AmountFieldProps) {
  const { t } = useLingui();
  if (measure === "quota") return <DollarField name={name} label={t`Amount`} />;
  return (
    <NumberField
      name={name}
      label={t({ message: "Amount", context: "of anything" })}
      help={t(budgetMeasureLabels[measure])}
    />
  );
}
