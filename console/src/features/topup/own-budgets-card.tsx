import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { listOwnBudgets } from "@tollgate/contract/budgets.ts";
import { pageSizeMax } from "@tollgate/contract/page.ts";
import { api } from "../../api-queries.ts";
import { entityRef } from "../../compat/entity-ids.ts";
import { BudgetBar } from "../../components/budget-bar.tsx";
import { CardLoading } from "../../components/form-loading.tsx";
import { hasFeature, useSession } from "../../session.ts";
import { Card } from "../../ui/card.tsx";

/** The budgets of the user and of the user's keys. A user without budgets has no use for the card. */
export function OwnBudgetsCard() {
  const isServed = hasFeature(useSession().status, "budgets");
  const budgets = useQuery({ ...api.query(listOwnBudgets, { query: { size: pageSizeMax } }), enabled: isServed });
  const rows = budgets.data?.data.filter(({ enabled }) => enabled) ?? [];
  if (budgets.error === null && rows.length === 0) return null;
  return (
    <Card title={<Trans>Budgets</Trans>}>
      {budgets.error !== null ? (
        <CardLoading source={budgets} />
      ) : (
        <ul className="flex flex-col gap-4">
          {rows.map((row) => (
            <li key={entityRef(row)} className="flex min-w-0 flex-col gap-1 [overflow-wrap:anywhere]">
              <p>
                <span className="font-medium">{row.name}</span>
                {row.subject === "token" && row.subject_name !== row.name && (
                  <span className="text-muted"> {row.subject_name}</span>
                )}
              </p>
              <BudgetBar budget={row} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
