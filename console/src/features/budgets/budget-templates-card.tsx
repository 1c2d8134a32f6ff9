import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import {
  type BudgetTemplate,
  deleteBudgetTemplate,
  listBudgetTemplates,
  updateBudgetTemplate,
} from "@tollgate/contract/accounts/budget-templates.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { BudgetActions, BudgetTitle } from "../../components/budgets/budget-item-parts.tsx";
import { budgetLists } from "../../components/budgets/budget-lists.ts";
import { buildBudgetWindowLabel } from "../../components/budgets/budget-words.ts";
import { ItemList, ItemRow, ItemText } from "../../components/lists/item-row.tsx";
import { buildOwnQuotaStyle, useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { formatQuota } from "../../ui/format.ts";
import { ChangeOnly } from "../../ui/may-change.tsx";
import { BudgetTemplateDialog } from "./budget-template-dialog.tsx";
import { templateSubjectLabels } from "./budget-template-words.ts";

/** `BudgetTemplatesCard` shows the budgets that users and keys get that are made from now on. */
export function BudgetTemplatesCard() {
  const { t } = useLingui();
  const [isMaking, setMaking] = useState(false);
  const templates = useQuery(api.query(listBudgetTemplates));
  return (
    <Card
      title={t`Templates`}
      note={
        <Trans>
          A new user or key gets a budget from each template of its group. Existing ones get none.
        </Trans>
      }
      action={
        <ChangeOnly>
          <Button size="sm" onClick={() => setMaking(true)}>
            <Trans>New template</Trans>
          </Button>
        </ChangeOnly>
      }
    >
      <ItemList
        source={templates}
        rows={templates.data?.data ?? []}
        empty={<Trans>No templates yet. New users and keys get no budget.</Trans>}
      >
        {(row) => <TemplateItem key={readEntityRef(row)} template={row} />}
      </ItemList>
      {isMaking && <BudgetTemplateDialog onClose={() => setMaking(false)} />}
    </Card>
  );
}

function TemplateItem({ template }: { template: BudgetTemplate }) {
  const { t } = useLingui();
  const [isEditing, setEditing] = useState(false);
  const style = buildOwnQuotaStyle(useSession().status);
  const { id, uuid, subject, group, window, models, note, amount, followers, updated_at } =
    template;
  return (
    <ItemRow>
      <ItemText>
        <BudgetTitle row={template} />
        <p className="text-muted text-sm [overflow-wrap:anywhere]">
          {t(templateSubjectLabels[subject] ?? { id: subject })} ·{" "}
          {group === "" ? t`Every group` : group} · {formatQuota(amount, style)} ·{" "}
          {t(buildBudgetWindowLabel(window))}
          {models?.length > 0 && <> · {models.join(", ")}</>}
        </p>
        {note && <p className="text-sm [overflow-wrap:anywhere]">{note}</p>}
        <p className="text-muted text-sm">
          {!Number.isNaN(followers) && (
            <Plural value={followers} one="# budget follows it" other="# budgets follow it" />
          )}
        </p>
      </ItemText>
      <BudgetActions
        row={template}
        onEdit={() => setEditing(true)}
        onToggle={(enabled) =>
          api.change(updateBudgetTemplate, budgetLists, { body: { id, uuid, enabled } })
        }
        onTakeOver={() =>
          api.change(updateBudgetTemplate, budgetLists, {
            body: { id, uuid, managed_by: "", updated_at },
          })
        }
        question={<Trans>Budgets that it created stay.</Trans>}
        onDelete={() =>
          api.change(deleteBudgetTemplate, budgetLists, { params: { id: readEntityRef(template) } })
        }
      />
      {isEditing && <BudgetTemplateDialog template={template} onClose={() => setEditing(false)} />}
    </ItemRow>
  );
}
