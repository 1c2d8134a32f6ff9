import { useLingui } from "@lingui/react/macro";
import { FilterChip } from "../../components/lists/filter-chip.tsx";
import { GroupFilter } from "../../components/lists/group-filter.tsx";
import { StatusFilter } from "../../components/lists/status-filter.tsx";
import { roleNames, userStatuses } from "./user-labels.ts";

/** `isNarrowed`: the server knows more filters than the role, which all of the family know. */
export function UserFilters({ isNarrowed }: { isNarrowed: boolean }) {
  const { t } = useLingui();
  const roles = roleNames.map(({ role, name }) => ({ value: String(role), text: t(name) }));
  return (
    <>
      <FilterChip name="role" label={t`Role`} choices={roles} />
      {isNarrowed && (
        <>
          <StatusFilter statuses={userStatuses} />
          <GroupFilter />
        </>
      )}
    </>
  );
}
