import { Trans, useLingui } from "@lingui/react/macro";
import { type BudgetReaction, readModelInstead } from "@tollgate/contract/accounts/budget-kinds.ts";
import type { ReactNode } from "react";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ItemTitle } from "../lists/item-row.tsx";
import { ItemVerbs } from "../lists/item-verbs.tsx";
import { ManagedBadge } from "../managed-badge.tsx";
import { TakeOverButton } from "../managed-notice.tsx";

type BudgetTitleProps = {
  /** A budget or a template. */
  row: {
    name: string;
    enabled: boolean;
    hard: boolean;
    on_reached: BudgetReaction;
    managed_by: string;
  };
  children?: ReactNode;
};

export function BudgetTitle({
  row: { name, enabled, hard, on_reached, managed_by },
  children,
}: BudgetTitleProps) {
  return (
    <ItemTitle>
      <span dir="auto" className="font-medium [overflow-wrap:anywhere]">
        {name}
      </span>
      {!enabled && (
        <Badge>
          <Trans>Disabled</Trans>
        </Badge>
      )}
      {!hard && (
        <Badge>
          <Trans>Tracks only, never refuses</Trans>
        </Badge>
      )}
      <ReactionBadge reaction={on_reached} />
      {children}
      <ManagedBadge by={managed_by} />
    </ItemTitle>
  );
}

function ReactionBadge({ reaction }: { reaction: BudgetReaction }) {
  const model = readModelInstead(reaction);
  if (model !== undefined)
    return (
      <Badge>
        <Trans>Then {model}</Trans>
      </Badge>
    );
  if (reaction === "pause")
    return (
      <Badge>
        <Trans>Pauses keys</Trans>
      </Badge>
    );
  return (
    reaction === "ask" && (
      <Badge>
        <Trans>People can ask for more</Trans>
      </Badge>
    )
  );
}

type BudgetActionsProps = {
  row: { name: string; enabled: boolean; managed_by: string };
  onEdit: () => void;
  canUndo?: boolean;
  onToggle: (enabled: boolean) => Promise<unknown>;
  /** Left out for what its team alone is taken over with. */
  onTakeOver?: () => Promise<unknown>;
  /** `question` is what deleting it means. */
  question: ReactNode;
  onDelete: () => Promise<unknown>;
  /** Further verbs of its menu. */
  more?: ReactNode;
};

export function BudgetActions({
  row: { name, enabled, managed_by },
  onEdit,
  canUndo = true,
  onToggle,
  onTakeOver,
  question,
  onDelete,
  more,
}: BudgetActionsProps) {
  const { t } = useLingui();
  const isManaged = managed_by !== "";
  return (
    <ItemVerbs
      name={name}
      primary={
        isManaged ? (
          onTakeOver !== undefined && (
            <TakeOverButton name={name} file={managed_by} onTakeOver={onTakeOver} />
          )
        ) : (
          <Button size="sm" aria-label={t`Edit ${name}`} onClick={onEdit}>
            <Trans>Edit</Trans>
          </Button>
        )
      }
      more={more}
      toggle={{ isEnabled: enabled, canUndo, onToggle }}
      removal={isManaged ? undefined : { question, onDelete }}
    />
  );
}
