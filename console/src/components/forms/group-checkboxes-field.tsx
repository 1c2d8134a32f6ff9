import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { listGroups } from "@tollgate/contract/accounts/users.ts";
import { useId } from "react";
import { api } from "../../api-queries.ts";
import type { FieldOf } from "../../ui/form/form-contract.ts";
import { FieldHelp, useField } from "../../ui/form/form-field.tsx";
import { Checkbox } from "../../ui/form/input.tsx";

type GroupCheckboxesFieldProps = FieldOf<string[]> & {
  help: string;
  /** Offered also where the server has no such group. */
  always?: readonly string[];
  toggled: (chosen: readonly string[], group: string) => string[];
};

/** The groups of accounts as checkboxes. */
export function GroupCheckboxesField({
  name,
  help,
  always = [],
  toggled,
}: GroupCheckboxesFieldProps) {
  const { id, field, error } = useField<string[]>(name, { help });
  const boxId = useId();
  const groups = useQuery(api.query(listGroups));
  const chosen = field.value;
  const offered = [...new Set([...always, ...(groups.data?.data ?? []), ...chosen])];
  return (
    <fieldset
      aria-describedby={error === undefined ? `${id}-help` : `${id}-error`}
      className="flex flex-col gap-1.5"
    >
      <legend className="mb-1.5 font-medium">
        <Trans>Groups</Trans>
      </legend>
      <div className="flex flex-wrap gap-x-5 gap-y-2">
        {offered.map((group) => (
          <label key={group} htmlFor={`${boxId}-${group}`} className="flex items-center gap-2">
            <Checkbox
              id={`${boxId}-${group}`}
              checked={chosen.includes(group)}
              onChange={() => field.onChange(toggled(chosen, group))}
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
