import { useLingui } from "@lingui/react/macro";
import { NumberField } from "../../ui/field-text.tsx";
import type { ContractForm } from "../../ui/form-contract.ts";
import { FormSection } from "../../ui/form-sections.tsx";
import type { TokenFormValues } from "./token-form-values.ts";

export function TokenLimitsSection({ form }: { form: ContractForm<TokenFormValues> }) {
  const { t } = useLingui();
  return (
    <FormSection id="limits" title={t`Rate limits`} help={t`0 means no limit.`}>
      <div className="grid gap-5 sm:grid-cols-3">
        <NumberField {...form.field("rpm_limit")} label={t`Requests per minute`} />
        <NumberField {...form.field("tpm_limit")} label={t`Tokens per minute`} />
        <NumberField {...form.field("max_parallel_requests")} label={t`Parallel requests`} />
      </div>
    </FormSection>
  );
}
