import type { ReactNode } from "react";
import { Form } from "../../ui/form.tsx";
import { useContractForm } from "../../ui/form-contract.ts";
import { RedemptionFields } from "./redemption-fields.tsx";
import { useRedemptionFormMessages } from "./redemption-form-messages.ts";
import {
  type RedemptionFormOutput,
  type RedemptionFormValues,
  redemptionFormSchema,
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
  const form = useContractForm({ schema: redemptionFormSchema(useRedemptionFormMessages()), initial, onSubmit });
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
