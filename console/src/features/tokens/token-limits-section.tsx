import { useLingui } from "@lingui/react/macro";
import { NumberField } from "../../ui/form/field-text.tsx";
import type { ContractForm } from "../../ui/form/form-contract.ts";
import { FormSection } from "../../ui/form/form-sections.tsx";
import type { TokenFormValues } from "./token-form-values.ts";
import { tokenLimits } from "./token-limit-fields.tsx";

export function TokenLimitsSection({ form }: { form: ContractForm<TokenFormValues> }) {
  const { t } = useLingui();
  return (
    <FormSection id="limits" title={t`Rate limits`} help={t`0 means no limit.`}>
      <div className="grid gap-5 sm:grid-cols-3">
        {tokenLimits.map(({ name, label }) => (
          <NumberField key={name} {...form.field(name)} label={t(label)} />
        ))}
      </div>
    </FormSection>
  );
}
