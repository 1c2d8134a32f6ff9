import { useLingui } from "@lingui/react/macro";
import { otherHoldsJson } from "@tollgate/contract/channel-json.ts";
import { TextAreaField } from "../../ui/field-text.tsx";
import { type ContractForm, useFieldValue } from "../../ui/form-contract.ts";
import { FormSection } from "../../ui/form-sections.tsx";
import { JsonField } from "../../ui/json-editor.tsx";
import type { ChannelFormValues } from "./channel-form-values.ts";

/** The gateway replaces this with the channel's key in a header. */
const keyPlace = "{{key}}";

export function ChannelAdvancedSection({ form }: { form: ContractForm<ChannelFormValues> }) {
  const { t } = useLingui();
  const type = Number(useFieldValue(form, "type"));
  return (
    <FormSection id="advanced" title={t`Advanced`}>
      <TextAreaField
        {...form.field("system_prompt")}
        label={t`System Prompt`}
        help={t`Put before every conversation that goes through this channel.`}
      />
      <JsonField
        {...form.field("config")}
        label={t`Configuration`}
        help={t`Further settings as JSON, such as custom_headers, param_override, supported_endpoints or endpoint_urls. In a header, ${keyPlace} stands for the API key.`}
        rows={4}
      />
      {otherHoldsJson(type) && (
        <JsonField
          {...form.field("other")}
          label={t`Other Configuration`}
          help={t`Kept for servers that read it.`}
          rows={3}
        />
      )}
    </FormSection>
  );
}
