import { Trans } from "@lingui/react/macro";
import type { UseQueryResult } from "@tanstack/react-query";
import type { BudgetSubject } from "@tollgate/contract/accounts/budget-kinds.ts";
import type { Budget } from "@tollgate/contract/accounts/budgets.ts";
import type { ReactNode } from "react";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { FoldingCard } from "../folding-card.tsx";
import { CardLoading } from "../forms/form-loading.tsx";
import { AskForMore } from "./ask-for-more.tsx";
import { BudgetBar } from "./budget-bar.tsx";
import { useSubjectBudgets } from "./use-subject-budgets.ts";

type BudgetsCardProps = {
  source: UseQueryResult<{ data: Budget[] }>;
  /** `isShown` says which of the enabled budgets are shown; all of them by default. */
  isShown?: (budget: Budget) => boolean;
  /** Names the subject of a budget, where the reader does not know it from the page. */
  subjectOf?: (budget: Budget) => ReactNode;
  action?: ReactNode;
  fold?: string | undefined;
  /** The budgets limit the reader, who may ask for more of some. */
  isOwn?: boolean;
};

/**
 * `BudgetsCard` shows what is spent of budgets. Where there is none, the card says nothing to the
 * reader, and is not there.
 */
export function BudgetsCard({
  source,
  isShown = () => true,
  subjectOf,
  action,
  fold,
  isOwn = false,
}: BudgetsCardProps) {
  const rows = source.data?.data.filter((row) => row.enabled && isShown(row)) ?? [];
  if (source.error === null && rows.length === 0) return null;
  return (
    <FoldingCard fold={fold} title={<Trans>Budgets</Trans>} action={action}>
      {source.error !== null ? (
        <CardLoading source={source} />
      ) : (
        <ul className="flex flex-col gap-4">
          {rows.map((row) => (
            <li
              key={readEntityRef(row)}
              className="flex min-w-0 flex-col gap-1 [overflow-wrap:anywhere]"
            >
              <p>
                <span dir="auto" className="font-medium">
                  {row.name}
                </span>{" "}
                <span dir="auto" className="text-muted">
                  {row.subject_name !== row.name && subjectOf?.(row)}
                </span>
              </p>
              <BudgetBar budget={row} />
              {isOwn && <AskForMore budget={row} />}
            </li>
          ))}
        </ul>
      )}
    </FoldingCard>
  );
}

type SubjectBudgetsCardProps = {
  subject: BudgetSubject;
  id?: number | string;
  isShown?: (budget: Budget) => boolean;
  fold?: string;
};

/**
 * `SubjectBudgetsCard` is for administrators: the budgets of one subject, or of all of its kind,
 * where that is on the screen.
 */
export function SubjectBudgetsCard({ subject, id, isShown, fold }: SubjectBudgetsCardProps) {
  const budgets = useSubjectBudgets(subject, id);
  return (
    <BudgetsCard
      source={budgets}
      fold={fold}
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
