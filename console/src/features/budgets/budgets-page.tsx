import { Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { listBudgets } from "@tollgate/contract/accounts/budgets.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { BudgetDialog } from "../../components/budgets/budget-dialog.tsx";
import { BudgetItem } from "../../components/budgets/budget-item.tsx";
import { BudgetRequestsCard } from "../../components/budgets/budget-requests-card.tsx";
import { firstPage, ListCard } from "../../components/lists/list-card.tsx";
import { Button } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { BudgetTemplatesCard } from "./budget-templates-card.tsx";

/** The budgets of the site, its users, keys and models, with what is used of each. */
export function BudgetsPage() {
  const { t } = useLingui();
  const [isMaking, setMaking] = useState(false);
  const [shown, setShown] = useState(firstPage);
  const budgets = useQuery({
    ...api.query(listBudgets, { query: shown }),
    placeholderData: keepPreviousData,
  });
  return (
    <Page
      title={t`Budgets`}
      subtitle={t`Spending limits for the site, users, keys and models`}
      action={
        <Button variant="primary" onClick={() => setMaking(true)}>
          <Trans>New budget</Trans>
        </Button>
      }
    >
      <BudgetRequestsCard />
      <ListCard
        source={budgets}
        shown={shown}
        onShow={setShown}
        empty={<Trans>No budgets yet. Only quotas and balances limit spending.</Trans>}
      >
        {(row) => <BudgetItem key={readEntityRef(row)} budget={row} />}
      </ListCard>
      <BudgetTemplatesCard />
      {isMaking && <BudgetDialog onClose={() => setMaking(false)} />}
    </Page>
  );
}
