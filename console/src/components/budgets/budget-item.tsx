import { Trans, useLingui } from "@lingui/react/macro";
import { Link, type NavigateOptions } from "@tanstack/react-router";
import { grantBudget } from "@tollgate/contract/accounts/budget-grants.ts";
import { type Budget, deleteBudget, updateBudget } from "@tollgate/contract/accounts/budgets.ts";
import { Plus } from "lucide-react";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { hasFeature, useSession } from "../../session.ts";
import { Badge } from "../../ui/badge.tsx";
import { MenuItem } from "../../ui/menu/menu.tsx";
import { ItemRow, ItemText } from "../lists/item-row.tsx";
import { BudgetBar } from "./budget-bar.tsx";
import { BudgetDialog } from "./budget-dialog.tsx";
import { isOfRuns } from "./budget-form-values.ts";
import { BudgetActions, BudgetTitle } from "./budget-item-parts.tsx";
import { budgetLists } from "./budget-lists.ts";
import { budgetSubjectLabels, buildBudgetWindowLabel } from "./budget-words.ts";
import { GrantDialog } from "./grant-dialog.tsx";

/** `BudgetItem` is for administrators: what a budget has used, with what changes it. */
export function BudgetItem({ budget }: { budget: Budget }) {
  const { t } = useLingui();
  const [isEditing, setEditing] = useState(false);
  const [isGranting, setGranting] = useState(false);
  const isGrantable = hasFeature(useSession().status, "budget_grants") && !isOfRuns(budget.subject);
  const { id, uuid, subject, window, models, note, template_id, updated_at } = budget;
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
          {t(budgetSubjectLabels[subject] ?? { id: subject })} <BudgetSubject budget={budget} /> ·{" "}
          {t(buildBudgetWindowLabel(window))}
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
        onToggle={(enabled) =>
          api.change(updateBudget, budgetLists, { body: { id, uuid, enabled } })
        }
        onTakeOver={() =>
          api.change(updateBudget, budgetLists, { body: { id, uuid, managed_by: "", updated_at } })
        }
        more={
          isGrantable && (
            <MenuItem icon={<Plus />} onSelect={() => setGranting(true)}>
              <Trans>Grant more for this window</Trans>
            </MenuItem>
          )
        }
        question={<Trans>It no longer limits or counts calls.</Trans>}
        onDelete={() =>
          api.change(deleteBudget, budgetLists, { params: { id: readEntityRef(budget) } })
        }
      />
      {isGranting && (
        <GrantDialog
          budget={budget}
          onGrant={(body, idempotencyKey) =>
            api.change(grantBudget, budgetLists, {
              params: { id: readEntityRef(budget) },
              body,
              idempotencyKey,
            })
          }
          onClose={() => setGranting(false)}
        />
      )}
      {isEditing && <BudgetDialog budget={budget} onClose={() => setEditing(false)} />}
    </ItemRow>
  );
}

/**
 * The name of what a budget is of: a link to its page, where it has one that administrators open.
 */
function BudgetSubject({ budget: { subject, subject_id, subject_name } }: { budget: Budget }) {
  const to = pages[subject];
  if (to === undefined || subject_name === "") return <span dir="auto">{subject_name}</span>;
  return (
    <Link
      dir="auto"
      to={to}
      params={{ id: String(subject_id) } as never}
      search={(subject === "model" ? { model: subject_name } : {}) as never}
      className="-my-1.5 inline-block min-w-6 py-1.5 text-ink underline underline-offset-2"
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
