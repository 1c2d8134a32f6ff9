import { Trans } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { computeAmountTyped } from "../../components/forms/whole-number.ts";
import { Quota } from "../../components/quota.tsx";
import { Form } from "../../ui/form/form.tsx";
import { type ContractForm, useContractForm, useFieldValue } from "../../ui/form/form-contract.ts";
import { FormSummary, SummaryLine } from "../../ui/form/form-summary.tsx";
import { RedemptionFields } from "./redemption-fields.tsx";
import { useRedemptionFormMessages } from "./redemption-form-messages.ts";
import {
  defineRedemptionFormSchema,
  type RedemptionFormOutput,
  type RedemptionFormValues,
} from "./redemption-form-values.ts";

type RedemptionFormProps = {
  initial: RedemptionFormValues;
  withCount: boolean;
  submit: ReactNode;
  submitting: ReactNode;
  onSubmit: (values: RedemptionFormOutput) => Promise<unknown>;
  onReload?: () => void;
};

export function RedemptionForm({ initial, withCount, onSubmit, ...buttons }: RedemptionFormProps) {
  const form = useContractForm({
    schema: defineRedemptionFormSchema(useRedemptionFormMessages()),
    initial,
    onSubmit,
  });
  return (
    <Form
      form={form}
      {...buttons}
      cancelTo="/redemptions"
      summary={<RedemptionSummary form={form} withCount={withCount} />}
    >
      <RedemptionFields form={form} withCount={withCount} />
    </Form>
  );
}

type RedemptionSummaryProps = { form: ContractForm<RedemptionFormValues>; withCount: boolean };

/** `RedemptionSummary` shows what codes with the values of the form cost the operator. */
function RedemptionSummary({ form, withCount }: RedemptionSummaryProps) {
  const quota = computeAmountTyped(useFieldValue(form, "quota"));
  const count = computeAmountTyped(useFieldValue(form, "count"));
  return (
    <FormSummary title={<Trans>What you give away</Trans>}>
      <SummaryLine name={<Trans>Each code</Trans>}>
        <Quota isOwn units={quota} />
      </SummaryLine>
      {withCount && (
        <SummaryLine name={<Trans>All together</Trans>}>
          <Quota isOwn units={quota * count} />
        </SummaryLine>
      )}
      <SummaryLine name={<Trans>Redeemed by</Trans>}>
        <Trans>The first user who enters the code. After that it is used.</Trans>
      </SummaryLine>
      <SummaryLine name={<Trans>Until then</Trans>}>
        <Trans>You can disable, change and delete it in the list</Trans>
      </SummaryLine>
    </FormSummary>
  );
}
