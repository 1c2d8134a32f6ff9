import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { type Channel, getChannelMetadata } from "@tollgate/contract/catalogue/channels.ts";
import { api } from "../../api-queries.ts";
import { TextField } from "../../ui/form/field-text.tsx";
import { type ContractForm, useFieldValue } from "../../ui/form/form-contract.ts";
import { FormSection } from "../../ui/form/form-sections.tsx";
import type { ChannelFormValues } from "./channel-form-values.ts";
import { ChannelKeyField } from "./channel-key-field.tsx";
import { normalizeBaseUrl } from "./channel-screen-rules.ts";
import { buildCompositeKey } from "./channel-settings.ts";
import { ChannelTypeField } from "./channel-type-field.tsx";
import { typeSections } from "./channel-type-sections.tsx";

type ChannelSectionProps = { form: ContractForm<ChannelFormValues>; read: Channel | undefined };

export function ChannelGeneralSection({ form, read }: ChannelSectionProps) {
  const { t } = useLingui();
  const type = Number(useFieldValue(form, "type"));
  const metadata = useQuery({
    ...api.query(getChannelMetadata, { query: { type } }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const defaultBaseUrl = metadata.data?.data.default_base_url ?? "";
  const baseUrl = useFieldValue(form, "base_url");
  const TypeSection = typeSections[type];
  const hasJoinedKey = buildCompositeKey(type) !== undefined;
  const isFixed =
    metadata.data?.data.base_url_editable === false && isDefaultUrl(baseUrl, defaultBaseUrl);
  return (
    <FormSection id="general" title={t`Provider`}>
      <TextField {...form.field("name")} label={t`Channel name`} required />
      <ChannelTypeField form={form} read={read} />
      {TypeSection !== undefined && <TypeSection form={form} read={read} />}
      {!hasJoinedKey && (
        <ChannelKeyField form={form} stored={read?.key_hint} storedKeys={read?.keys ?? []} />
      )}
      {!hasJoinedKey && (
        <TextField
          {...form.field("base_url")}
          label={t`Base URL`}
          type="url"
          placeholder={defaultBaseUrl || "https://"}
          disabled={isFixed}
          help={
            isFixed
              ? t`The address of this provider is always the same.`
              : defaultBaseUrl === ""
                ? t`The address of the API, without /v1.`
                : t`Leave empty for the provider's own address.`
          }
          mono
        />
      )}
    </FormSection>
  );
}

/** True for an empty base URL and for the default one. */
const isDefaultUrl = (baseUrl: string, defaultUrl: string) =>
  [defaultUrl, ""].map(normalizeBaseUrl).includes(normalizeBaseUrl(baseUrl));
