import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { listDashboardUsers } from "@tollgate/contract/figures/dashboard.ts";
import { api } from "../../api-queries.ts";
import { stripAllUsers } from "../../compat/dashboard-compat.ts";
import { tokenStatuses } from "../../components/keys/token-statuses.ts";
import { FilterChip } from "../../components/lists/filter-chip.tsx";
import { StatusFilter } from "../../components/lists/status-filter.tsx";
import { useUrlText } from "../../components/texts/url-view.ts";

/** `ownersMax` is the most owners that are listed; of more, one is found by the search. */
const ownersMax = 200;

export function TokenFilters() {
  return <StatusFilter statuses={tokenStatuses} />;
}

export function HeldTokenFilters() {
  return (
    <>
      <TokenFilters />
      <OwnerFilter />
    </>
  );
}

function OwnerFilter() {
  const { t } = useLingui();
  const [owner] = useUrlText("owner");
  const users =
    useQuery({ ...api.query(listDashboardUsers), select: ({ data }) => stripAllUsers(data) })
      .data ?? [];
  if (owner === "" && (users.length === 0 || users.length > ownersMax)) return null;
  const choices = users.map(({ username }) => ({ value: username, text: username }));
  return (
    <FilterChip
      name="owner"
      label={t`Owner`}
      choices={choices.toSorted((a, b) => a.text.localeCompare(b.text))}
    />
  );
}
