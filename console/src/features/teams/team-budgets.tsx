import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { listTeamBudgets, type TeamBudget } from "@tollgate/contract/accounts/team-caps.ts";
import { pageSizeMax } from "@tollgate/contract/api/page.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { AskForMore } from "../../components/budgets/ask-for-more.tsx";
import { BudgetBar } from "../../components/budgets/budget-bar.tsx";
import { BudgetDialog } from "../../components/budgets/budget-dialog.tsx";
import { BudgetItem } from "../../components/budgets/budget-item.tsx";
import { BudgetTitle } from "../../components/budgets/budget-item-parts.tsx";
import { BudgetRequestsCard } from "../../components/budgets/budget-requests-card.tsx";
import { buildBudgetWindowLabel } from "../../components/budgets/budget-words.ts";
import { useSubjectBudgets } from "../../components/budgets/use-subject-budgets.ts";
import { ItemList, ItemRow, ItemText } from "../../components/lists/item-row.tsx";
import type { TeamTabProps } from "../../components/teams/team-rights.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { EachMemberCard, MemberBudgetsCard } from "./member-budgets.tsx";

/**
 * The budgets that bind the keys of the team: of the whole team, of each member, and of one. A
 * member sees the own ones.
 */
export function TeamBudgets(props: TeamTabProps) {
  return (
    <div className="flex flex-col gap-4">
      <BudgetRequestsCard teamId={props.team.id} />
      {props.rights.see && (
        <>
          <WholeTeamCard {...props} />
          <EachMemberCard {...props} />
        </>
      )}
      {props.rights.administer && <RunBudgetsCard {...props} />}
      <MemberBudgetsCard {...props} />
    </div>
  );
}

/** Administrators of the site set what the whole team may spend. */
function WholeTeamCard({ team, rights }: TeamTabProps) {
  const [isMaking, setMaking] = useState(false);
  const query = { subject: "team", size: pageSizeMax } as const;
  const budgets = useQuery(
    api.query(listTeamBudgets, { params: { id: readEntityRef(team) }, query }),
  );
  return (
    <Card
      title={<Trans>Budgets of the team</Trans>}
      note={
        rights.administer ? (
          <Trans>All calls of the team count together.</Trans>
        ) : (
          <Trans>All calls of the team count together. Administrators of the site set them.</Trans>
        )
      }
      action={
        rights.administer && (
          <Button variant="primary" size="sm" onClick={() => setMaking(true)}>
            <Trans>New budget</Trans>
          </Button>
        )
      }
    >
      <ItemList
        source={budgets}
        rows={budgets.data?.data ?? []}
        empty={<Trans>No budget. The balance alone limits what the team spends.</Trans>}
      >
        {(row) =>
          rights.administer ? (
            <BudgetItem key={row.id} budget={row} />
          ) : (
            <ReadBudget key={row.id} budget={row} asks={rights.use} />
          )
        }
      </ItemList>
      {isMaking && (
        <BudgetDialog
          holder={{ subject: "team", id: team.id, name: team.name }}
          onClose={() => setMaking(false)}
        />
      )}
    </Card>
  );
}

/** `RunBudgetsCard` limits the cost of each run of an agent that a key of the team pays for. */
function RunBudgetsCard({ team }: TeamTabProps) {
  const [isMaking, setMaking] = useState(false);
  const budgets = useSubjectBudgets("team_run", team.id);
  return (
    <Card
      title={<Trans>Budgets of runs</Trans>}
      note={<Trans>Each run of an agent with a key of the team counts by itself.</Trans>}
      action={
        <Button size="sm" onClick={() => setMaking(true)}>
          <Trans>New budget of runs</Trans>
        </Button>
      }
    >
      <ItemList
        source={budgets}
        rows={budgets.data?.data ?? []}
        empty={<Trans>No budget for runs: only the other budgets limit them.</Trans>}
      >
        {(row) => <BudgetItem key={readEntityRef(row)} budget={row} />}
      </ItemList>
      {isMaking && (
        <BudgetDialog
          holder={{ subject: "team_run", id: team.id, name: team.name }}
          onClose={() => setMaking(false)}
        />
      )}
    </Card>
  );
}

function ReadBudget({ budget, asks }: { budget: TeamBudget; asks: boolean }) {
  const { t } = useLingui();
  return (
    <ItemRow>
      <ItemText>
        <BudgetTitle row={budget} />
        <p className="text-muted text-sm [overflow-wrap:anywhere]">
          {t(buildBudgetWindowLabel(budget.window))}
          {budget.models.length > 0 && <> · {budget.models.join(", ")}</>}
        </p>
        <BudgetBar budget={budget} />
        {asks && <AskForMore budget={budget} />}
      </ItemText>
    </ItemRow>
  );
}
