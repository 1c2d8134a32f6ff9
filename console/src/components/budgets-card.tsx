import { Trans } from "@lingui/react/macro";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { type Budget, type BudgetSubject, listBudgets } from "@tollgate/contract/budgets.ts";
import { pageSizeMax } from "@tollgate/contract/page.ts";
import type { ReactNode } from "react";
import { api } from "../api-queries.ts";
import { entityRef } from "../compat/entity-ids.ts";
import { hasFeature, isAdmin, useSession } from "../session.ts";
import { ButtonLink } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { BudgetBar } from "./budget-bar.tsx";
import { CardLoading } from "./form-loading.tsx";

type BudgetsCardProps = {
  source: UseQueryResult<{ data: Budget[] }>;
  /** Which of the enabled budgets are shown; all of them by default. */
  isShown?: (budget: Budget) => boolean;
  /** Names the subject of a budget, where the reader does not know it from the page. */
  subjectOf?: (budget: Budget) => ReactNode;
  action?: ReactNode;
};

/** What is spent of budgets. Where there is none, the card says nothing to the reader, and is not there. */
export function BudgetsCard({ source, isShown = () => true, subjectOf, action }: BudgetsCardProps) {
  const rows = source.data?.data.filter((row) => row.enabled && isShown(row)) ?? [];
  if (source.error === null && rows.length === 0) return null;
  return (
    <Card title={<Trans>Budgets</Trans>} action={action}>
      {source.error !== null ? (
        <CardLoading source={source} />
      ) : (
        <ul className="flex flex-col gap-4">
          {rows.map((row) => (
            <li key={entityRef(row)} className="flex min-w-0 flex-col gap-1 [overflow-wrap:anywhere]">
              <p>
                <span className="font-medium">{row.name}</span>{" "}
                <span className="text-muted">{row.subject_name !== row.name && subjectOf?.(row)}</span>
              </p>
              <BudgetBar budget={row} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

type SubjectBudgetsCardProps = { subject: BudgetSubject; id?: number | string; isShown?: (budget: Budget) => boolean };

/** For administrators: the budgets of one subject, or of all of its kind, where that is on the screen. */
export function SubjectBudgetsCard({ subject, id, isShown }: SubjectBudgetsCardProps) {
  const { status, user } = useSession();
  const query = { subject, size: pageSizeMax, ...(id !== undefined && { subject_id: id }) };
  const isServed = hasFeature(status, "budgets") && isAdmin(user);
  const budgets = useQuery({ ...api.query(listBudgets, { query }), enabled: isServed });
  return (
    <BudgetsCard
      source={budgets}
      subjectOf={({ subject_name }) => subject_name}
      {...(isShown && { isShown })}
      action={
        <ButtonLink size="sm" to="/budgets">
          <Trans>All budgets</Trans>
        </ButtonLink>
      }
    />
  );
}
