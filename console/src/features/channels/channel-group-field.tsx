import { useLingui } from "@lingui/react/macro";
import { GroupCheckboxesField } from "../../components/forms/group-checkboxes-field.tsx";
import type { FieldOf } from "../../ui/form/form-contract.ts";
import { addGroupToggled } from "./channel-screen-rules.ts";

const defaultGroups = ["default"];

/** The groups whose users the channel serves. */
export function ChannelGroupField({ name }: FieldOf<string[]>) {
  const { t } = useLingui();
  return (
    <GroupCheckboxesField
      name={name}
      help={t`Choose at least one. Without any, the channel is in "default".`}
      always={defaultGroups}
      toggled={addGroupToggled}
    />
  );
}
