import { Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type Budget, deleteBudget, listBudgets, updateBudget } from "@tollgate/contract/budgets.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { entityRef } from "../../compat/entity-ids.ts";
import { BudgetBar } from "../../components/budget-bar.tsx";
import { budgetSubjectLabels, budgetWindowLabel } from "../../components/budget-words.ts";
import { ItemRow, ItemText } from "../../components/item-row.tsx";
import { firstPage, ListCard } from "../../components/list-card.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { BudgetDialog } from "./budget-dialog.tsx";
import { BudgetActions, BudgetTitle } from "./budget-item-parts.tsx";
import { budgetLists } from "./budget-lists.ts";
import { BudgetTemplatesCard } from "./budget-templates-card.tsx";

/** The budgets of the site, its users, keys and models, with what is used of each. */
export function BudgetsPage() {
  const { t } = useLingui();
  const [isMaking, setMaking] = useState(false);
  const [shown, setShown] = useState(firstPage);
  const budgets = useQuery({ ...api.query(listBudgets, { query: shown }), placeholderData: keepPreviousData });
  return (
    <Page
      title={t`Budgets`}
      subtitle={t`What the site, users, keys and models may spend in a window of time`}
      action={
        <Button variant="primary" onClick={() => setMaking(true)}>
          <Trans>New budget</Trans>
        </Button>
      }
    >
      <ListCard
        source={budgets}
        shown={shown}
        onShow={setShown}
        empty={<Trans>There is no budget: quota and balances alone limit what is spent.</Trans>}
      >
        {(row) => <BudgetItem key={entityRef(row)} budget={row} />}
      </ListCard>
      <BudgetTemplatesCard />
      {isMaking && <BudgetDialog onClose={() => setMaking(false)} />}
    </Page>
  );
}

function BudgetItem({ budget }: { budget: Budget }) {
  const { t } = useLingui();
  const [isEditing, setEditing] = useState(false);
  const { id, uuid, subject, subject_name, window, models, note, template_id, updated_at } = budget;
  return (
    <ItemRow>
      <ItemText>
        <BudgetTitle row={budget}>
          {template_id !== null && (
            <Badge>
              <Trans>By a template</Trans>
            </Badge>
          )}
        </BudgetTitle>
        <p className="text-muted text-sm [overflow-wrap:anywhere]">
          {t(budgetSubjectLabels[subject] ?? { id: subject })} {subject_name} · {t(budgetWindowLabel(window))}
          {models?.length > 0 && <> · {models.join(", ")}</>}
        </p>
        {note && <p className="text-sm [overflow-wrap:anywhere]">{note}</p>}
        <BudgetBar budget={budget} />
      </ItemText>
      <BudgetActions
        row={budget}
        onEdit={() => setEditing(true)}
        // With the first change of its own, it leaves the template that gave it.
        canUndo={template_id === null}
        onToggle={(enabled) => api.change(updateBudget, budgetLists, { body: { id, uuid, enabled } })}
        onTakeOver={() => api.change(updateBudget, budgetLists, { body: { id, uuid, managed_by: "", updated_at } })}
        question={<Trans>Calls are no longer limited or counted by it.</Trans>}
        onDelete={() => api.change(deleteBudget, budgetLists, { params: { id: entityRef(budget) } })}
      />
      {isEditing && <BudgetDialog budget={budget} onClose={() => setEditing(false)} />}
    </ItemRow>
  );
}
