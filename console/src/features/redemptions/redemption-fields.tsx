import { useLingui } from "@lingui/react/macro";
import { QuotaField } from "../../components/forms/quota-field.tsx";
import { NumberField, TextField } from "../../ui/form/field-text.tsx";
import type { ContractForm } from "../../ui/form/form-contract.ts";
import type { RedemptionFormValues } from "./redemption-form-values.ts";

type RedemptionFieldsProps = { form: ContractForm<RedemptionFormValues>; withCount: boolean };

export function RedemptionFields({ form, withCount }: RedemptionFieldsProps) {
  const { t } = useLingui();
  return (
    <>
      <TextField
        {...form.field("name")}
        label={t`Name`}
        help={t`What the codes are for. Not shown to people who redeem one.`}
        required
      />
      <QuotaField {...form.field("quota")} label={t`Quota`} />
      {withCount && (
        <NumberField
          {...form.field("count")}
          label={t`Count`}
          help={t`Number of codes. Each pays the quota once.`}
        />
      )}
    </>
  );
}
