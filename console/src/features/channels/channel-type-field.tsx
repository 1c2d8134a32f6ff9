import { useLingui } from "@lingui/react/macro";
import type { Channel } from "@tollgate/contract/catalogue/channels.ts";
import { useSession } from "../../session.ts";
import type { ContractForm } from "../../ui/form/form-contract.ts";
import { FieldFrame, useField } from "../../ui/form/form-field.tsx";
import { Select } from "../../ui/form/input.tsx";
import type { ChannelFormValues } from "./channel-form-values.ts";
import { buildSettingsAfterPick } from "./channel-settings.ts";
import { type ChannelTypeGroup, listTypesByGroup } from "./channel-type-groups.ts";

export function ChannelTypeField({
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
