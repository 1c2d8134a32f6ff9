import { Trans } from "@lingui/react/macro";
import type { Channel } from "@tollgate/contract/catalogue/channels.ts";
import { useState } from "react";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { BudgetDialog } from "../../components/budgets/budget-dialog.tsx";
import { BudgetItem } from "../../components/budgets/budget-item.tsx";
import { useSubjectBudgets } from "../../components/budgets/use-subject-budgets.ts";
import { ItemList } from "../../components/lists/item-row.tsx";
import { hasFeature, useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";

/**
 * `ChannelBudgets` limits the spending of the account behind a channel. It is saved by itself, not
 * with the form.
 */
export function ChannelBudgets({ channel }: { channel: Channel }) {
  const { status } = useSession();
  const [isMaking, setMaking] = useState(false);
  const budgets = useSubjectBudgets("channel", readEntityRef(channel));
  if (!hasFeature(status, "budgets")) return null;
  return (
    <Card
      title={<Trans>Budgets of the channel</Trans>}
      note={
        <Trans>
          They count what you pay where buying prices are set. Once one is reached, calls go to the
          next channel.
        </Trans>
      }
      action={
        <Button size="sm" onClick={() => setMaking(true)}>
          <Trans>New budget</Trans>
        </Button>
      }
    >
      <ItemList
        source={budgets}
        rows={budgets.data?.data ?? []}
        empty={<Trans>No budget: the channel spends without a limit.</Trans>}
      >
        {(row) => <BudgetItem key={readEntityRef(row)} budget={row} />}
      </ItemList>
      {isMaking && (
        <BudgetDialog
          holder={{ subject: "channel", id: channel.id, name: channel.name }}
          onClose={() => setMaking(false)}
        />
      )}
    </Card>
  );
}
