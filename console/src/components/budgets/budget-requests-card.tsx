import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import {
  type BudgetRequest,
  declineBudgetRequest,
  grantBudgetRequest,
  listBudgetRequests,
} from "@tollgate/contract/accounts/budget-grants.ts";
import { useState } from "react";
import * as z from "zod/mini";
import { api } from "../../api-queries.ts";
import { hasFeature, useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { useContractForm } from "../../ui/form/form-contract.ts";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { ChangeOnly } from "../../ui/may-change.tsx";
import { Confirm } from "../../ui/menu/confirm.tsx";
import { Time } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { defineWholeNumber, numberText } from "../forms/whole-number.ts";
import { ItemRow, ItemText } from "../lists/item-row.tsx";
import { budgetLists } from "./budget-lists.ts";
import { AmountField } from "./grant-dialog.tsx";
import { useAmountFormat } from "./use-amount-format.ts";

const decidedLists = [...budgetLists, listBudgetRequests] as const;

/**
 * `BudgetRequestsCard` shows who asks for more of a budget that the reader may grant; of one team,
 * where that is on the screen; nothing while no user asks.
 */
export function BudgetRequestsCard({ teamId }: { teamId?: number }) {
  const { status, user } = useSession();
  const isServed = hasFeature(status, "budget_grants");
  const requests = useQuery({ ...api.query(listBudgetRequests), enabled: isServed });
  const waiting = (requests.data?.data ?? []).filter(
    // Auditors read what they may not decide.
    ({ may_decide, user_id, team_id }) =>
      (may_decide || user_id !== user?.id) && (teamId === undefined || team_id === teamId),
  );
  if (waiting.length === 0) return null;
  return (
    <Card
      title={<Trans>People ask for more</Trans>}
      note={<Trans>What you grant counts only for the current window of the budget.</Trans>}
    >
      <ul className="divide-y divide-line">
        {waiting.map((request) => (
          <WaitingRequest key={request.id} request={request} />
        ))}
      </ul>
    </Card>
  );
}

function WaitingRequest({ request }: { request: BudgetRequest }) {
  const { t } = useLingui();
  const [isGranting, setGranting] = useState(false);
  const [isDeclining, setDeclining] = useState(false);
  const { id, username, budget_name, team_name, reason, created_at } = request;
  const amount = useAmountFormat(request)(request.amount);
  return (
    <ItemRow>
      <ItemText>
        <p className="[overflow-wrap:anywhere]">
          <Trans>
            <span className="font-medium">{username}</span> asks for {amount} more of {budget_name}
          </Trans>
          {team_name !== "" && <span className="text-muted"> · {team_name}</span>}
        </p>
        {reason !== "" && (
          <p dir="auto" className="text-sm [overflow-wrap:anywhere]">
            {reason}
          </p>
        )}
        <p className="text-muted text-sm">
          <Time seconds={Math.floor(created_at / 1000)} />
        </p>
      </ItemText>
      <ChangeOnly>
        <span className="flex gap-2">
          <Button
            size="sm"
            variant="primary"
            aria-label={t`Grant ${username} more of ${budget_name}`}
            onClick={() => setGranting(true)}
          >
            <Trans>Grant</Trans>
          </Button>
          <Button
            size="sm"
            aria-label={t`Decline the request of ${username} for ${budget_name}`}
            onClick={() => setDeclining(true)}
          >
            <Trans>Decline</Trans>
          </Button>
        </span>
      </ChangeOnly>
      {isGranting && <DecisionDialog request={request} onClose={() => setGranting(false)} />}
      <Confirm
        open={isDeclining}
        onClose={() => setDeclining(false)}
        title={t`Decline the request of ${username}`}
        question={<Trans>Nothing is added to the budget. {username} may ask again.</Trans>}
        confirmLabel={<Trans>Decline</Trans>}
        onConfirm={() => api.change(declineBudgetRequest, decidedLists, { params: { id } })}
      />
    </ItemRow>
  );
}

function DecisionDialog({ request, onClose }: { request: BudgetRequest; onClose: () => void }) {
  const { t } = useLingui();
  const { id, measure, username, budget_name } = request;
  const form = useContractForm({
    schema: z.object({ amount: defineWholeNumber(t`Enter an amount above $0`, 1) }),
    initial: { amount: numberText(request.amount) },
    onSubmit: async (body: { amount: number }) => {
      await api.change(grantBudgetRequest, decidedLists, { params: { id }, body });
      toast(t`${username} may spend more`);
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title={t`Grant ${username} more of ${budget_name}`}
      submit={<Trans>Grant</Trans>}
      onClose={onClose}
    >
      <AmountField measure={measure} name={form.field("amount").name} />
    </FormDialog>
  );
}
