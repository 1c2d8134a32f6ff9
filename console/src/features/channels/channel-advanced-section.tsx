import { useLingui } from "@lingui/react/macro";
import { otherHoldsJson } from "@tollgate/contract/catalogue/channel-json.ts";
import { hasOfficialHost } from "@tollgate/contract/catalogue/official-hosts.ts";
import { CheckboxField, SelectField } from "../../ui/form/field-choice.tsx";
import { TextAreaField } from "../../ui/form/field-text.tsx";
import { type ContractForm, useFieldValue } from "../../ui/form/form-contract.ts";
import { FormSection } from "../../ui/form/form-sections.tsx";
import { JsonField } from "../../ui/form/json-editor.tsx";
import type { ChannelFormValues } from "./channel-form-values.ts";
import { ChannelHeadersField } from "./channel-headers-field.tsx";

/** Undefined while the text is no JSON. */
function buildConfig(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function ChannelAdvancedSection({ form }: { form: ContractForm<ChannelFormValues> }) {
  const { t } = useLingui();
  const type = Number(useFieldValue(form, "type"));
  const isDoubted = !hasOfficialHost(
    type,
    useFieldValue(form, "base_url").trim(),
    buildConfig(useFieldValue(form, "config")),
  );
  return (
    <FormSection id="advanced" title={t`Advanced`}>
      <TextAreaField
        {...form.field("system_prompt")}
        label={t`System prompt`}
        help={t`Added before every conversation on this channel.`}
      />
      <CheckboxField
        {...form.field("pass_cost_members")}
        label={t`Allow request fields that can change the model or price`}
        help={t`When off, requests with fields such as models, plugins or service_tier are refused where the gateway cannot charge what they cost. When on, they are charged at the model's own price.`}
      />
      <SelectField
        {...form.field("false_usage")}
        label={t`Check reported usage`}
        choices={[
          { value: "", label: isDoubted ? t`Automatic (checked)` : t`Automatic (trusted)` },
          { value: "true", label: t`Yes` },
          { value: "false", label: t`No` },
        ]}
        help={t`If yes, usage of more than four times what the gateway saw plus 1,000 tokens is replaced by an estimate; what it cannot see, such as searches and files, is charged as reported. If no, the reported usage is charged.`}
      />
      <CheckboxField
        {...form.field("allow_unknown_state")}
        label={t`Allow files and responses not created here`}
        help={t`Requests may name earlier responses, files and containers of this account that no call through the gateway created, and data sources, connections and knowledge bases that are read with its rights; users then share them. Otherwise they may name their own, and the ids listed as known_state_ids in the configuration.`}
      />
      <CheckboxField
        {...form.field("mark_prompt_cache")}
        label={t`Mark what Claude caches of a prompt`}
        help={t`For clients that set no marks: tools, system prompt and the last turns of conversations are read from the cache of the provider, which costs a tenth; writing costs a quarter more. What the model reads stays the same.`}
      />
      <ChannelHeadersField form={form} />
      <JsonField
        {...form.field("config")}
        label={t`Configuration`}
        help={t`Further settings as JSON, such as param_override, supported_endpoints or endpoint_urls.`}
        rows={4}
      />
      {otherHoldsJson(type) && (
        <JsonField
          {...form.field("other")}
          label={t`Other configuration`}
          help={t`Kept for compatibility; this gateway does not use it.`}
          rows={3}
        />
      )}
    </FormSection>
  );
}
