import { Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { type Budget, deleteBudget, listBudgets, updateBudget } from "@tollgate/contract/budgets.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { entityRef } from "../../compat/entity-ids.ts";
import { BudgetBar } from "../../components/budget-bar.tsx";
import { budgetSubjectLabels, budgetWindowLabels } from "../../components/budget-words.ts";
import { ItemDelete } from "../../components/item-delete.tsx";
import { ItemActions, ItemList, ItemRow, ItemText, ItemTitle } from "../../components/item-row.tsx";
import { ManagedBadge } from "../../components/managed-badge.tsx";
import { TakeOverButton } from "../../components/managed-notice.tsx";
import { toastError } from "../../components/toast-failure.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Page } from "../../ui/page.tsx";
import { Pagination } from "../../ui/pagination.tsx";
import { useBreakpoint } from "../../ui/use-breakpoint.ts";
import { BudgetDialog } from "./budget-dialog.tsx";

/** The budgets of the site, its users, keys and models, with what is used of each. */
export function BudgetsPage() {
  const { t } = useLingui();
  const [isMaking, setMaking] = useState(false);
  const [{ page, size }, setShown] = useState({ page: 0, size: 20 });
  const screen = useBreakpoint();
  const budgets = useQuery({
    ...api.query(listBudgets, { query: { p: page, size } }),
    placeholderData: keepPreviousData,
  });
  const rows = budgets.data?.data ?? [];
  const total = budgets.data?.total ?? 0;
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
      <Card>
        <ItemList
          source={budgets}
          rows={rows}
          empty={<Trans>There is no budget: quota and balances alone limit what is spent.</Trans>}
        >
          {(row) => <BudgetItem key={entityRef(row)} budget={row} />}
        </ItemList>
      </Card>
      {total > rows.length && (
        <Pagination
          page={page}
          size={size}
          total={total}
          capped={budgets.data?.total_capped === true}
          screen={screen}
          onPage={(next) => setShown({ page: next, size })}
          onSize={(next) => setShown({ page: 0, size: next })}
        />
      )}
      {isMaking && <BudgetDialog onClose={() => setMaking(false)} />}
    </Page>
  );
}

function BudgetItem({ budget }: { budget: Budget }) {
  const { t } = useLingui();
  const [isEditing, setEditing] = useState(false);
  const change = useMutation(api.mutation(updateBudget, { refreshes: [listBudgets] }));
  const { id, uuid, name, subject, subject_name, window, hard, on_reached, enabled, managed_by, updated_at } = budget;
  const isManaged = managed_by !== "";
  const toggle = () => change.mutate({ body: { id, uuid, enabled: !enabled, updated_at } }, { onError: toastError });
  return (
    <ItemRow>
      <ItemText>
        <ItemTitle>
          <span className="font-medium [overflow-wrap:anywhere]">{name}</span>
          {!enabled && (
            <Badge>
              <Trans>Disabled</Trans>
            </Badge>
          )}
          {!hard && (
            <Badge>
              <Trans>Counts only</Trans>
            </Badge>
          )}
          {on_reached === "pause" && (
            <Badge>
              <Trans>Pauses keys</Trans>
            </Badge>
          )}
          <ManagedBadge file={managed_by} />
        </ItemTitle>
        <p className="text-muted text-sm [overflow-wrap:anywhere]">
          {t(budgetSubjectLabels[subject] ?? { id: subject })} {subject_name} ·{" "}
          {t(budgetWindowLabels[window] ?? { id: window })}
        </p>
        <BudgetBar budget={budget} />
      </ItemText>
      <ItemActions>
        {isManaged ? (
          <TakeOverButton
            name={name}
            file={managed_by}
            onTakeOver={() => api.call(updateBudget, { body: { id, uuid, managed_by: "", updated_at } })}
            onTaken={() => void api.refresh(listBudgets)}
          />
        ) : (
          <Button size="sm" aria-label={t`Edit ${name}`} onClick={() => setEditing(true)}>
            <Trans>Edit</Trans>
          </Button>
        )}
        <Button
          size="sm"
          busy={change.isPending}
          aria-label={enabled ? t`Disable ${name}` : t`Enable ${name}`}
          onClick={toggle}
        >
          {enabled ? <Trans>Disable</Trans> : <Trans>Enable</Trans>}
        </Button>
        {!isManaged && (
          <ItemDelete
            name={name}
            question={<Trans>Calls are no longer limited or counted by it.</Trans>}
            onDelete={async () => {
              await api.call(deleteBudget, { params: { id: entityRef(budget) } });
              await api.refresh(listBudgets);
            }}
          />
        )}
      </ItemActions>
      {isEditing && <BudgetDialog budget={budget} onClose={() => setEditing(false)} />}
    </ItemRow>
  );
}
