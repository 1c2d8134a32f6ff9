import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { type Channel, getChannelMetadata } from "@tollgate/contract/channels.ts";
import { api } from "../../api.ts";
import { SelectField } from "../../ui/field-choice.tsx";
import { TextField } from "../../ui/field-text.tsx";
import { type ContractForm, useFieldValue } from "../../ui/form-contract.ts";
import { FormSection } from "../../ui/form-sections.tsx";
import type { ChannelFormValues } from "./channel-form-values.ts";
import { ChannelKeyField } from "./channel-key-field.tsx";
import { type TypeGroup, typesByGroup } from "./channel-type-groups.ts";
import { typeSections } from "./channel-type-sections.tsx";

type SectionProps = { form: ContractForm<ChannelFormValues>; read: Channel | undefined };

export function ChannelGeneralSection({ form, read }: SectionProps) {
  const { t } = useLingui();
  const type = Number(useFieldValue(form, "type"));
  const metadata = useQuery({
    ...api.query(getChannelMetadata, { query: { type } }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const defaultBaseUrl = metadata.data?.data.default_base_url ?? "";
  const TypeSection = typeSections[type];
  const groupNames: Record<TypeGroup, string> = {
    common: t`Common`,
    more: t`More providers`,
    legacy: t`Older proxies`,
    gone: t`No longer offered`,
  };
  const groups = typesByGroup(read?.type ?? 0).map(({ group, types }) => ({
    label: groupNames[group],
    choices: types.map(({ id, name }) => ({ value: String(id), label: name })),
  }));
  return (
    <FormSection id="general" title={t`Provider`}>
      <TextField {...form.field("name")} label={t`Channel Name`} required />
      <SelectField {...form.field("type")} label={t`Channel Type`} groups={groups} required />
      <ChannelKeyField {...form.field("key")} stored={read?.key_hint} />
      <TextField
        {...form.field("base_url")}
        label={t`Base URL`}
        type="url"
        placeholder={defaultBaseUrl || "https://"}
        help={
          defaultBaseUrl === ""
            ? t`Where the provider answers, without the version at the end.`
            : t`Empty uses the provider's own address.`
        }
        mono
      />
      {TypeSection !== undefined && <TypeSection form={form} />}
    </FormSection>
  );
}
