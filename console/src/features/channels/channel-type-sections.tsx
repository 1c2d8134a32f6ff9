import { useLingui } from "@lingui/react/macro";
import { isJsonObject } from "@tollgate/contract/channel-json.ts";
import type { ComponentType } from "react";
import { FieldFrame } from "../../ui/field.tsx";
import { type ContractForm, useFieldValue } from "../../ui/form-contract.ts";
import { Select } from "../../ui/input.tsx";
import type { ChannelFormValues } from "./channel-form-values.ts";
import { memberOf, withMember } from "./channel-pricing.ts";

type TypeSectionProps = { form: ContractForm<ChannelFormValues> };

/** What only one type asks for, by its number. A type that is not here needs nothing beyond the common fields. */
export const typeSections: Readonly<Record<number, ComponentType<TypeSectionProps>>> = {
  50: OpenAiCompatibleSection,
};

function OpenAiCompatibleSection({ form }: TypeSectionProps) {
  const { t } = useLingui();
  const config = useFieldValue(form, "config");
  const format = memberOf(config, "api_format");
  return (
    <FieldFrame
      id="api-format"
      label={t`API format`}
      help={t`Which of the two OpenAI interfaces the provider speaks.`}
      error={undefined}
    >
      <Select
        id="api-format"
        aria-describedby="api-format-help"
        disabled={!isJsonObject(config)}
        value={format === "response" ? "response" : "chat_completion"}
        onChange={(event) => form.set("config", withMember(config, "api_format", event.target.value))}
      >
        <option value="chat_completion">{t`Chat Completions`}</option>
        <option value="response">{t`Responses`}</option>
      </Select>
    </FieldFrame>
  );
}
