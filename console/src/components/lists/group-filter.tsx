import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { listGroups } from "@tollgate/contract/accounts/users.ts";
import { api } from "../../api-queries.ts";
import { FilterChip } from "./filter-chip.tsx";

export function GroupFilter() {
  const { t } = useLingui();
  const groups = useQuery(api.query(listGroups)).data?.data ?? [];
  return (
    <FilterChip
      name="group"
      label={t`Group`}
      choices={groups.map((group) => ({ value: group, text: group }))}
    />
  );
}
