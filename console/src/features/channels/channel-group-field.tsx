import { useLingui } from "@lingui/react/macro";
import { GroupCheckboxesField } from "../../components/group-checkboxes-field.tsx";
import type { FieldOf } from "../../ui/form-contract.ts";
import { withGroupToggled } from "./channel-screen-rules.ts";

const defaultGroups = ["default"];

/** The groups whose users the channel serves. */
export function ChannelGroupField({ name }: FieldOf<string[]>) {
  const { t } = useLingui();
  return (
    <GroupCheckboxesField
      name={name}
      help={t`At least one: without any, the channel is in default.`}
      always={defaultGroups}
      toggled={withGroupToggled}
    />
  );
}
