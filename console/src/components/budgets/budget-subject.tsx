import { Link, type NavigateOptions } from "@tanstack/react-router";
import type { Budget } from "@tollgate/contract/accounts/budgets.ts";

/**
 * The name of what a budget is of: a link to its page, where it has one that administrators open.
 */
export function BudgetSubject({
  budget: { subject, subject_id, subject_name },
}: {
  budget: Budget;
}) {
  const to = pages[subject];
  if (to === undefined || subject_name === "") return <span dir="auto">{subject_name}</span>;
  return (
    <Link
      dir="auto"
      to={to}
      params={{ id: String(subject_id) } as never}
      search={(subject === "model" ? { model: subject_name } : {}) as never}
      className="inline-block min-w-6 py-1.5 text-ink underline underline-offset-2"
    >
      {subject_name}
    </Link>
  );
}

const pages: Partial<Record<Budget["subject"], NonNullable<NavigateOptions["to"]>>> = {
  user: "/users/$id/{-$tab}",
  channel: "/channels/$id/{-$tab}",
  team: "/teams/$id/{-$tab}",
  model: "/models/one",
};
