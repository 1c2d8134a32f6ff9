import { useLingui } from "@lingui/react/macro";
import { useRef, useState } from "react";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { Combobox, type Suggestion } from "../../ui/form/combobox.tsx";
import { Select } from "../../ui/form/input.tsx";
import type { useDashboardScope } from "./dashboard-queries.ts";
import { allUsers } from "./dashboard-view.ts";

/** `listedMax` is the most users that are listed; of more, a person types a part of the name. */
const listedMax = 20;
const offeredMax = 50;

type UserSelectorProps = {
  /** The id of the input, for an external label. */
  id: string;
  users: NonNullable<ReturnType<typeof useDashboardScope>["users"]>;
  /** A reference of a user, or `allUsers`. */
  value: string;
  onChange: (value: string) => void;
};

/** `UserSelector` is as wide as the chosen name, so that none is cut on a phone. */
export function UserSelector(props: UserSelectorProps) {
  const { id, users, value, onChange } = props;
  const { t } = useLingui();
  if (users.length > listedMax) return <UserSearch {...props} />;
  return (
    <Select
      id={id}
      controlSize="sm"
      className="max-w-52 [field-sizing:content]"
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value={allUsers}>{t`All Users`}</option>
      {users.map((user) => (
        <option key={readEntityRef(user)} value={readEntityRef(user)}>
          {user.display_name || user.username}
        </option>
      ))}
    </Select>
  );
}

/** Finds by display name and username. What is typed and not picked changes nothing. */
function UserSearch({ id, users, value, onChange }: UserSelectorProps) {
  const { t } = useLingui();
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState<string>();
  const everyone: Suggestion = { id: allUsers, text: t`All Users` };
  const people = users.map(
    (user): Suggestion => ({
      id: readEntityRef(user),
      text: user.display_name || user.username,
      detail: user.username,
    }),
  );
  const chosen = people.find((person) => person.id === value) ?? everyone;
  const wanted = typed?.trim().toLowerCase() ?? "";
  const found = people.filter(({ text, detail }) =>
    `${text}\n${String(detail)}`.toLowerCase().includes(wanted),
  );
  const suggestions = [...(wanted === "" ? [everyone] : []), ...found.slice(0, offeredMax)];
  const pick = (suggestion: Suggestion) => {
    setTyped(undefined);
    onChange(suggestion.id);
  };
  return (
    <Combobox
      id={id}
      input={input}
      label={t`User`}
      placeholder={chosen.text}
      text={typed ?? (value === allUsers ? "" : chosen.text)}
      onText={setTyped}
      suggestions={suggestions}
      note={suggestions.length === 0 ? t`Nothing matches.` : undefined}
      onPick={pick}
      onSubmit={() => {
        const [first] = found;
        if (wanted !== "" && first !== undefined) pick(first);
        else input.current?.form?.requestSubmit();
      }}
      onLeave={() => setTyped(undefined)}
    />
  );
}
