import { useLingui } from "@lingui/react/macro";
import { tokenGroupsMax } from "@tollgate/contract/accounts/token-restrictions.ts";
import { ArrowUp, X } from "lucide-react";
import type { FieldOf } from "../../ui/form/form-contract.ts";
import { FieldFrame, useField } from "../../ui/form/form-field.tsx";
import { Select } from "../../ui/form/input.tsx";
import { IconButton } from "../../ui/icon-button.tsx";

type TokenGroupsFieldProps = FieldOf<string[]> & {
  offered: readonly { name: string; ratio: number }[];
};

/** The groups of a token in the order in which calls try them. */
export function TokenGroupsField({ name, offered }: TokenGroupsFieldProps) {
  const { t } = useLingui();
  const help = t`A call tries the channels of these groups in this order and pays the ratio of the group that answers. With none chosen it uses your own group.`;
  const { id, field, error, aria } = useField<string[]>(name, { help });
  const chosen = field.value;
  // With nothing left to add the list is empty and not disabled: removing a group moves the focus
  // to it.
  const left =
    chosen.length < tokenGroupsMax ? offered.filter((group) => !chosen.includes(group.name)) : [];
  const titleOf = (group: string) => {
    const ratio = offered.find((one) => one.name === group)?.ratio;
    if (ratio === undefined) return t`${group} (not open to you now)`;
    return Number.isNaN(ratio) ? group : `${group} × ${ratio}`;
  };
  const moveUp = (place: number) => {
    const group = chosen[place];
    if (place === 0 || group === undefined) return;
    const others = chosen.filter((one) => one !== group);
    field.onChange([...others.slice(0, place - 1), group, ...others.slice(place - 1)]);
  };
  const remove = (group: string) => {
    field.onChange(chosen.filter((one) => one !== group));
    document.getElementById(id)?.focus();
  };
  return (
    <FieldFrame id={id} label={t`Groups`} help={help} error={error}>
      {chosen.length > 0 && (
        <ol className="flex flex-col gap-1">
          {chosen.map((group, place) => (
            <li key={group} className="flex items-center gap-2 rounded-md bg-sunken py-1 pr-1 pl-3">
              <span className="text-muted tabular-nums">{place + 1}.</span>
              <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">{titleOf(group)}</span>
              <IconButton
                size="sm"
                label={t`Try ${group} earlier`}
                icon={<ArrowUp />}
                // A disabled button would lose the focus on the way up.
                aria-disabled={place === 0 || undefined}
                onClick={() => moveUp(place)}
              />
              <IconButton
                size="sm"
                label={t`Remove ${group}`}
                icon={<X />}
                onClick={() => remove(group)}
              />
            </li>
          ))}
        </ol>
      )}
      <Select
        {...aria}
        ref={field.ref}
        name={field.name}
        onBlur={field.onBlur}
        value=""
        onChange={({ target }) => field.onChange([...chosen, target.value])}
      >
        <option value="">{t`Add a group`}</option>
        {left.map((group) => (
          <option key={group.name} value={group.name}>
            {titleOf(group.name)}
          </option>
        ))}
      </Select>
    </FieldFrame>
  );
}
