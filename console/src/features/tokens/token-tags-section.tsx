import { useLingui } from "@lingui/react/macro";
import { TextField } from "../../ui/field-text.tsx";
import type { ContractForm } from "../../ui/form-contract.ts";
import { FormSection } from "../../ui/form-sections.tsx";
import type { TokenFormValues } from "./token-form-values.ts";

export function TokenTagsSection({ form }: { form: ContractForm<TokenFormValues> }) {
  const { t } = useLingui();
  return (
    <FormSection id="tags" title={t`Tags`} help={t`By which logs are filtered and spending is summed.`}>
      <div className="grid gap-5 sm:grid-cols-2">
        <TextField
          {...form.field("tags")}
          label={t`Fixed tags`}
          placeholder="team=search,env=prod"
          help={t`Every call has them, whatever its client says.`}
          mono
        />
        <TextField
          {...form.field("required_tags")}
          label={t`Required tags`}
          placeholder="team"
          help={t`Keys without which calls are refused.`}
          mono
        />
      </div>
    </FormSection>
  );
}
