import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { listGroups } from "@tollgate/contract/users.ts";
import { useId } from "react";
import { api } from "../../api-queries.ts";
import type { FieldOf } from "../../ui/form-contract.ts";
import { FieldHelp, useField } from "../../ui/form-field.tsx";
import { Checkbox } from "../../ui/input.tsx";
import { withGroupToggled } from "./channel-screen-rules.ts";

/** The groups whose users the channel serves. */
export function ChannelGroupField({ name }: FieldOf<string[]>) {
  const { t } = useLingui();
  const help = t`At least one. Taking the last one away puts the channel back into default.`;
  const { id, field, error } = useField<string[]>(name, { help });
  const boxId = useId();
  const groups = useQuery(api.query(listGroups));
  const chosen = field.value;
  const offered = [...new Set(["default", ...(groups.data?.data ?? []), ...chosen])];
  return (
    <fieldset aria-describedby={error === undefined ? `${id}-help` : `${id}-error`} className="flex flex-col gap-1.5">
      <legend className="mb-1.5 font-medium">
        <Trans>Groups</Trans>
      </legend>
      <div className="flex flex-wrap gap-x-5 gap-y-2">
        {offered.map((group) => (
          <label key={group} htmlFor={`${boxId}-${group}`} className="flex items-center gap-2">
            <Checkbox
              id={`${boxId}-${group}`}
              checked={chosen.includes(group)}
              onChange={() => field.onChange(withGroupToggled(chosen, group))}
              onBlur={field.onBlur}
            />
            <span className="[overflow-wrap:anywhere]">{group}</span>
          </label>
        ))}
      </div>
      <FieldHelp id={id} help={groups.error === null ? help : groups.error.message} error={error} />
    </fieldset>
  );
}
