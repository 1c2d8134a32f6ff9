import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { getTeam, listTeams } from "@tollgate/contract/accounts/teams.ts";
import { pageSizeMax } from "@tollgate/contract/api/page.ts";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { isAdmin, useSession } from "../../session.ts";
import { Select } from "../../ui/form/input.tsx";
import { useTeamPayer } from "./team-payer.ts";

/** Memberships hardly change while a page is looked at. */
const freshMs = 300_000;

/**
 * `TeamSwitch` chooses whose money the page is about: the own balance or that of a team. The choice
 * stands in the address, and nothing is stored. `isOfAll`: without a choice, administrators see
 * everybody's money on this page.
 */
export function TeamSwitch({ isOfAll = false }: { isOfAll?: boolean }) {
  const { t } = useLingui();
  const { user } = useSession();
  const navigate = useNavigate();
  const chosen = useTeamPayer();
  const own = useQuery({
    ...api.query(listTeams, { query: { size: pageSizeMax } }),
    staleTime: freshMs,
    // Administrators get the teams of others too.
    select: ({ data }) => data.filter(({ role }) => role !== ""),
  });
  const teams = own.data ?? [];
  const isKnown = chosen === undefined || teams.some((team) => readEntityRef(team) === chosen);
  const other = useQuery({
    ...api.query(getTeam, { params: { id: chosen ?? "" } }),
    enabled: !isKnown && !own.isPending,
    staleTime: freshMs,
  });
  if (own.isPending || (teams.length === 0 && chosen === undefined)) return null;
  return (
    <Select
      aria-label={t`Paid from`}
      className="w-auto! max-w-56"
      value={chosen ?? ""}
      onChange={({ target }) =>
        void navigate({
          to: ".",
          search: (before: Record<string, unknown>) =>
            ({
              ...before,
              p: undefined,
              team: target.value === "" ? undefined : target.value,
            }) as never,
        })
      }
    >
      <option value="">{isOfAll && isAdmin(user) ? t`All balances` : t`Own balance`}</option>
      {teams.map((team) => (
        <option key={readEntityRef(team)} value={readEntityRef(team)}>
          {team.name}
        </option>
      ))}
      {!isKnown && <option value={chosen}>{other.data?.data.name ?? t`Unknown team`}</option>}
    </Select>
  );
}
