import type { ReactNode } from "react";
import { Form } from "../../ui/form/form.tsx";
import { useContractForm } from "../../ui/form/form-contract.ts";
import { RedemptionFields } from "./redemption-fields.tsx";
import { useRedemptionFormMessages } from "./redemption-form-messages.ts";
import {
  defineRedemptionFormSchema,
  type RedemptionFormOutput,
  type RedemptionFormValues,
} from "./redemption-form-values.ts";
import { RedemptionSummary } from "./redemption-summary.tsx";

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
