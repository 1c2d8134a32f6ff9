import { Trans, useLingui } from "@lingui/react/macro";
import { getSelf } from "@tollgate/contract/accounts/sessions.ts";
import { transferToUser } from "@tollgate/contract/accounts/user-transfers.ts";
import { useState } from "react";
import * as z from "zod/mini";
import { api } from "../../api-queries.ts";
import { useIdempotencyKey } from "../../components/forms/idempotency-key.ts";
import { DollarField } from "../../components/forms/quota-field.tsx";
import { defineWholeNumber } from "../../components/forms/whole-number.ts";
import { buildOwnQuotaStyle, useSession } from "../../session.ts";
import { useReauth } from "../../shell/use-reauth.tsx";
import { Alert } from "../../ui/alert.tsx";
import { TextField } from "../../ui/form/field-text.tsx";
import { FormCard } from "../../ui/form/form-card.tsx";
import { useContractForm } from "../../ui/form/form-contract.ts";
import { formatQuota } from "../../ui/format.ts";
import { Confirm } from "../../ui/menu/confirm.tsx";

const emptyForm = { username: "", amount: "" };
type Transfer = { username: string; amount: number };

/** `TransferCard` moves a part of the own balance to another user, after a question. */
export function TransferCard() {
  const { t } = useLingui();
  const style = buildOwnQuotaStyle(useSession().status);
  const [asked, setAsked] = useState<Transfer>();
  const [done, setDone] = useState<Transfer[]>([]);
  const keyFor = useIdempotencyKey();
  const { withReauth, dialog } = useReauth();
  const form = useContractForm({
    schema: z.object({
      username: z.string().check(z.trim(), z.minLength(1, t`Enter the username of the recipient`)),
      amount: defineWholeNumber(t`Enter an amount above $0`, 1),
    }),
    initial: emptyForm,
    onSubmit: async (transfer: Transfer) => setAsked(transfer),
  });
  const transfer = async (body: Transfer) => {
    // A user who sends the same amount to the same recipient again makes another transfer.
    const idempotencyKey = keyFor([done.length, body]);
    await withReauth((proof) =>
      api.change(transferToUser, [getSelf], { body: { ...body, ...proof }, idempotencyKey }),
    );
    setDone([...done, body]);
    form.methods.reset(emptyForm);
  };
  const last = done.at(-1);
  return (
    <>
      <FormCard
        form={form}
        title={<Trans>Transfer balance</Trans>}
        note={<Trans>To another user, who has it at once. It cannot be taken back.</Trans>}
        submit={<Trans>Transfer</Trans>}
        submitting={<Trans>Transferring...</Trans>}
      >
        <TextField
          {...form.field("username")}
          label={t`Username of the recipient`}
          maxLength={128}
          required
        />
        <DollarField {...form.field("amount")} label={t`Amount`} />
        {last !== undefined && (
          <Alert
            tone="good"
            title={
              <Trans>
                {formatQuota(last.amount, style)} went to {last.username}.
              </Trans>
            }
          />
        )}
      </FormCard>
      <Confirm
        open={asked !== undefined}
        onClose={() => setAsked(undefined)}
        title={<Trans>Transfer to {asked?.username}</Trans>}
        question={
          <Trans>
            Transfer {formatQuota(asked?.amount, style)} from your balance to {asked?.username}?
            This action cannot be undone.
          </Trans>
        }
        confirmLabel={<Trans>Transfer</Trans>}
        onConfirm={async () => {
          if (asked !== undefined) await transfer(asked);
        }}
      />
      {dialog}
    </>
  );
}
