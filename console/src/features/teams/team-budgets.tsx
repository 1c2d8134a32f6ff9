import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { listTeamMembers } from "@tollgate/contract/accounts/teams.ts";
import { useId, useState } from "react";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { BudgetDialog, type BudgetHolder } from "../../components/budgets/budget-dialog.tsx";
import { BudgetItem } from "../../components/budgets/budget-item.tsx";
import { useSubjectBudgets } from "../../components/budgets/use-subject-budgets.ts";
import { ItemList } from "../../components/lists/item-row.tsx";
import type { TeamTabProps } from "../../components/teams/team-rights.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Select } from "../../ui/form/input.tsx";

/** For administrators of the site: the budgets of the team as a whole, and of each of its members. */
export function TeamBudgets({ team }: TeamTabProps) {
  const [holder, setHolder] = useState<BudgetHolder>();
  const budgets = useSubjectBudgets("team", team.id);
  return (
    <div className="flex flex-col gap-4">
      <Card
        title={<Trans>Budgets of the team</Trans>}
        note={<Trans>All calls of the team count together.</Trans>}
        action={
          <Button
            variant="primary"
            size="sm"
            onClick={() => setHolder({ subject: "team", id: team.id, name: team.name })}
          >
            <Trans>New budget</Trans>
          </Button>
        }
      >
        <ItemList
          source={budgets}
          rows={budgets.data?.data ?? []}
          empty={<Trans>No budget. The balance alone limits what the team spends.</Trans>}
        >
          {(row) => <BudgetItem key={readEntityRef(row)} budget={row} />}
        </ItemList>
      </Card>
      <RunBudgets team={team} onMake={setHolder} />
      <MemberBudgets team={team} onMake={setHolder} />
      {holder !== undefined && <BudgetDialog holder={holder} onClose={() => setHolder(undefined)} />}
    </div>
  );
}

type MemberBudgetsProps = { team: TeamTabProps["team"]; onMake: (holder: BudgetHolder) => void };

/** What each run of an agent may cost that a key of the team pays for. */
function RunBudgets({ team, onMake }: MemberBudgetsProps) {
  const budgets = useSubjectBudgets("team_run", team.id);
  return (
    <Card
      title={<Trans>Budgets of runs</Trans>}
      note={<Trans>Each run of an agent with a key of the team counts by itself.</Trans>}
      action={
        <Button size="sm" onClick={() => onMake({ subject: "team_run", id: team.id, name: team.name })}>
          <Trans>New budget</Trans>
        </Button>
      }
    >
      <ItemList
        source={budgets}
        rows={budgets.data?.data ?? []}
        empty={<Trans>No budget: runs are limited by the other budgets alone.</Trans>}
      >
        {(row) => <BudgetItem key={readEntityRef(row)} budget={row} />}
      </ItemList>
    </Card>
  );
}

/** The budgets of one member after the other: each counts the keys of that member in this team alone. */
function MemberBudgets({ team, onMake }: MemberBudgetsProps) {
  const { t } = useLingui();
  const id = useId();
  const [chosen, setChosen] = useState(0);
  const members = useQuery(api.query(listTeamMembers, { params: { id: readEntityRef(team) } }));
  const rows = members.data?.data ?? [];
  const member = rows.find((row) => row.id === chosen) ?? rows[0];
  const budgets = useSubjectBudgets("member", member?.id ?? "all");
  return (
    <Card
      title={<Trans>Budgets of members</Trans>}
      note={<Trans>They count the keys that a member has in this team.</Trans>}
      action={
        member !== undefined && (
          <Button size="sm" onClick={() => onMake({ subject: "member", id: member.id, name: member.username })}>
            <Trans>New budget</Trans>
          </Button>
        )
      }
    >
      <div className="flex flex-col gap-4">
        {rows.length > 0 && (
          <div className="flex max-w-80 flex-col gap-1">
            <label htmlFor={id} className="text-muted text-xs">
              {t`Member`}
            </label>
            <Select
              id={id}
              controlSize="sm"
              value={String(member?.id)}
              onChange={({ target }) => setChosen(Number(target.value))}
            >
              {rows.map((row) => (
                <option key={row.id} value={row.id}>
                  {row.username}
                </option>
              ))}
            </Select>
          </div>
        )}
        <ItemList
          source={member === undefined ? members : budgets}
          rows={budgets.data?.data ?? []}
          empty={<Trans>No budget for this member.</Trans>}
        >
          {(row) => <BudgetItem key={readEntityRef(row)} budget={row} />}
        </ItemList>
      </div>
    </Card>
  );
}
