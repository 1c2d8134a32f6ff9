import { Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { type Budget, deleteBudget, listBudgets, updateBudget } from "@tollgate/contract/budgets.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { entityRef } from "../../compat/entity-ids.ts";
import { BudgetBar } from "../../components/budget-bar.tsx";
import { budgetSubjectLabels, budgetWindowLabels } from "../../components/budget-words.ts";
import { CardLoading } from "../../components/form-loading.tsx";
import { ItemActions, ItemRow, ItemText, ItemTitle } from "../../components/item-row.tsx";
import { toastError } from "../../components/toast-failure.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Confirm } from "../../ui/confirm.tsx";
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
        {budgets.data === undefined || budgets.error !== null ? (
          <CardLoading source={budgets} />
        ) : rows.length === 0 ? (
          <p className="text-muted">
            <Trans>There is no budget: quota and balances alone limit what is spent.</Trans>
          </p>
        ) : (
          <ul className="flex flex-col divide-y divide-line">
            {rows.map((row) => (
              <BudgetItem key={entityRef(row)} budget={row} />
            ))}
          </ul>
        )}
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
  const [open, setOpen] = useState<"edit" | "delete">();
  const change = useMutation(api.mutation(updateBudget, { refreshes: [listBudgets] }));
  const { id, uuid, name, subject, subject_name, window, hard, enabled, updated_at } = budget;
  const close = () => setOpen(undefined);
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
        </ItemTitle>
        <p className="text-muted text-sm [overflow-wrap:anywhere]">
          {t(budgetSubjectLabels[subject] ?? { id: subject })} {subject_name} ·{" "}
          {t(budgetWindowLabels[window] ?? { id: window })}
        </p>
        <BudgetBar budget={budget} />
      </ItemText>
      <ItemActions>
        <Button size="sm" aria-label={t`Edit ${name}`} onClick={() => setOpen("edit")}>
          <Trans>Edit</Trans>
        </Button>
        <Button
          size="sm"
          busy={change.isPending}
          aria-label={enabled ? t`Disable ${name}` : t`Enable ${name}`}
          onClick={toggle}
        >
          {enabled ? <Trans>Disable</Trans> : <Trans>Enable</Trans>}
        </Button>
        <Button size="sm" variant="ghost" aria-label={t`Delete ${name}`} onClick={() => setOpen("delete")}>
          <Trans>Delete</Trans>
        </Button>
      </ItemActions>
      {open === "edit" && <BudgetDialog budget={budget} onClose={close} />}
      <Confirm
        open={open === "delete"}
        onClose={close}
        title={t`Delete ${name}`}
        question={<Trans>Calls are no longer limited or counted by it.</Trans>}
        confirmLabel={<Trans>Delete</Trans>}
        onConfirm={async () => {
          await api.call(deleteBudget, { params: { id: entityRef(budget) } });
          await api.refresh(listBudgets);
        }}
      />
    </ItemRow>
  );
}
