import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { type Channel, getChannelMetadata } from "@tollgate/contract/catalogue/channels.ts";
import { api } from "../../api-queries.ts";
import { useSession } from "../../session.ts";
import { TextField } from "../../ui/form/field-text.tsx";
import { type ContractForm, useFieldValue } from "../../ui/form/form-contract.ts";
import { FieldFrame, useField } from "../../ui/form/form-field.tsx";
import { FormSection } from "../../ui/form/form-sections.tsx";
import { Select } from "../../ui/form/input.tsx";
import type { ChannelFormValues } from "./channel-form-values.ts";
import { ChannelKeyField } from "./channel-key-field.tsx";
import { normalizeBaseUrl } from "./channel-screen-rules.ts";
import { buildCompositeKey, buildSettingsAfterPick } from "./channel-settings.ts";
import { type ChannelTypeGroup, listTypesByGroup } from "./channel-type-groups.ts";
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

function ChannelTypeField({
  form,
  read,
}: {
  form: ContractForm<ChannelFormValues>;
  read: Channel | undefined;
}) {
  const { t } = useLingui();
  const { status } = useSession();
  const { id, field, error, aria } = useField<string>("type", { required: true });
  const groupLabels: Record<ChannelTypeGroup, string> = {
    common: t`Common`,
    more: t`More providers`,
    legacy: t`Older proxies`,
    gone: t`No longer offered`,
  };
  const pick = (next: string) => {
    const settings = form.methods.getValues("settings");
    form.set("settings", buildSettingsAfterPick(settings, Number(field.value), Number(next)));
    form.set("type", next);
  };
  return (
    <FieldFrame id={id} label={t`Channel type`} error={error}>
      <Select {...field} {...aria} onChange={(event) => pick(event.target.value)}>
        {listTypesByGroup(read?.type ?? 0, status.features).map(({ group, types }) => (
          <optgroup key={group} label={groupLabels[group]}>
            {types.map(({ id: type, name }) => (
              <option key={type} value={type}>
                {name}
              </option>
            ))}
          </optgroup>
        ))}
      </Select>
    </FieldFrame>
  );
}
