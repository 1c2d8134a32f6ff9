import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import {
  askBudget,
  type BudgetRequest,
  declineBudgetRequest,
  listBudgetRequests,
  requestReasonMax,
} from "@tollgate/contract/accounts/budget-grants.ts";
import type { Budget } from "@tollgate/contract/accounts/budgets.ts";
import { useState } from "react";
import * as z from "zod/mini";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { hasFeature, useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/form/field-text.tsx";
import { useContractForm } from "../../ui/form/form-contract.ts";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { ChangeOnly } from "../../ui/may-change.tsx";
import { defineWholeNumber } from "../forms/whole-number.ts";
import { toastError } from "../toast-failure.ts";
import { AmountField } from "./grant-dialog.tsx";
import { useAmountFormat } from "./use-amount-format.ts";

/** `AskForMore` lets a user whom a budget limits ask for more, and shows what came of it. */
export function AskForMore({ budget }: { budget: Budget }) {
  const { status, user } = useSession();
  const asks =
    hasFeature(status, "budget_grants") &&
    budget.on_reached === "ask" &&
    budget.hard &&
    budget.enabled;
  const requests = useQuery({ ...api.query(listBudgetRequests), enabled: asks });
  if (!asks || requests.data === undefined) return null;
  const own = requests.data.data.find(
    ({ budget_id, user_id }) => budget_id === budget.id && user_id === user?.id,
  );
  return <AskedMore budget={budget} own={own} />;
}

function AskedMore({ budget, own }: { budget: Budget; own: BudgetRequest | undefined }) {
  const { t } = useLingui();
  const [isAsking, setAsking] = useState(false);
  const withdraw = useMutation({
    mutationFn: (id: number) =>
      api.change(declineBudgetRequest, [listBudgetRequests], { params: { id } }),
    onError: toastError,
  });
  const { name } = budget;
  const isWaiting = own?.status === "waiting";
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
      {own !== undefined && <AskedState request={own} />}
      <ChangeOnly>
        <Button
          size="sm"
          aria-label={isWaiting ? t`Change the request: ${name}` : t`Ask for more of ${name}`}
          onClick={() => setAsking(true)}
        >
          {isWaiting ? <Trans>Change the request</Trans> : <Trans>Ask for more</Trans>}
        </Button>
        {isWaiting && (
          <Button
            size="sm"
            aria-label={t`Withdraw: ${name}`}
            busy={withdraw.isPending}
            onClick={() => withdraw.mutate(own.id)}
          >
            <Trans>Withdraw</Trans>
          </Button>
        )}
      </ChangeOnly>
      {isAsking && <AskDialog budget={budget} onClose={() => setAsking(false)} />}
    </div>
  );
}

function AskedState({ request }: { request: BudgetRequest }) {
  const format = useAmountFormat(request);
  const [asked, granted] = [format(request.amount), format(request.granted)];
  return (
    <span role="status" className="text-muted">
      {request.status === "waiting" ? (
        <Trans>You asked for {asked} more.</Trans>
      ) : request.status === "granted" ? (
        <Trans>{granted} more was granted.</Trans>
      ) : request.status === "declined" ? (
        <Trans>Your request for {asked} more was declined.</Trans>
      ) : (
        <Trans>You withdrew your request.</Trans>
      )}
    </span>
  );
}

function AskDialog({ budget, onClose }: { budget: Budget; onClose: () => void }) {
  const { t } = useLingui();
  const { name, measure } = budget;
  const form = useContractForm({
    schema: z.object({
      amount: defineWholeNumber(t`Enter an amount above $0`, 1),
      reason: z.string().check(z.trim(), z.maxLength(requestReasonMax)),
    }),
    initial: { amount: "", reason: "" },
    onSubmit: async (body: { amount: number; reason: string }) => {
      const params = { id: readEntityRef(budget) };
      await api.change(askBudget, [listBudgetRequests], { params, body });
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title={t`Ask for more of ${name}`}
      submit={<Trans>Ask</Trans>}
      onClose={onClose}
    >
      <AmountField measure={measure} name={form.field("amount").name} />
      <TextField
        {...form.field("reason")}
        label={t`Reason`}
        help={t`The person who decides reads this. What they grant ends with the window.`}
        maxLength={requestReasonMax}
      />
    </FormDialog>
  );
}
