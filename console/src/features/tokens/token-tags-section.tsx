import { useLingui } from "@lingui/react/macro";
import { TextField } from "../../ui/form/field-text.tsx";
import type { ContractForm } from "../../ui/form/form-contract.ts";
import { FormSection } from "../../ui/form/form-sections.tsx";
import type { TokenFormValues } from "./token-form-values.ts";

export function TokenTagsSection({ form }: { form: ContractForm<TokenFormValues> }) {
  const { t } = useLingui();
  return (
    <FormSection id="tags" title={t`Tags`} help={t`Filter logs and group spending by these.`}>
      <div className="grid gap-5 sm:grid-cols-2">
        <TextField
          {...form.field("tags")}
          label={t`Fixed tags`}
          placeholder="team=search,env=prod"
          help={t`Added to every call; clients cannot change them.`}
          mono
        />
        <TextField
          {...form.field("required_tags")}
          label={t`Required tags`}
          placeholder="team"
          help={t`Calls without these tags are refused.`}
          mono
        />
      </div>
    </FormSection>
  );
}
