import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { redeemCode } from "@tollgate/contract/accounts/redemptions.ts";
import { getSelf } from "@tollgate/contract/accounts/sessions.ts";
import { useState } from "react";
import * as z from "zod/mini";
import { api } from "../../api-queries.ts";
import { useIdempotencyKey } from "../../components/forms/idempotency-key.ts";
import { Alert } from "../../ui/alert.tsx";
import { TextField } from "../../ui/form/field-text.tsx";
import { FormCard } from "../../ui/form/form-card.tsx";
import { useContractForm } from "../../ui/form/form-contract.ts";
import { formatInteger } from "../../ui/format.ts";

export function RedeemCard() {
  const { t } = useLingui();
  const [added, setAdded] = useState<number>();
  const [paidBefore, setPaidBefore] = useState(0);
  // Refetches the balance even without a response, so that the user sees the outcome before trying
  // again.
  const redeem = useMutation(api.mutation(redeemCode, { refreshes: [getSelf] }));
  const keyFor = useIdempotencyKey();
  const form = useContractForm({
    schema: z.object({
      key: z.string().check(z.trim(), z.minLength(1, t`Redemption code is required`)),
    }),
    initial: { key: "" },
    failure: t`Redemption failed`,
    onSubmit: async (body: { key: string }) => {
      setAdded(undefined);
      // Typing a redeemed code again is a new redemption, which the gateway refuses, not a retry.
      const { data } = await redeem.mutateAsync({
        body,
        idempotencyKey: keyFor([paidBefore, body]),
      });
      setAdded(data);
      setPaidBefore(paidBefore + 1);
      form.methods.setValue("key", "");
    },
  });
  const amount = formatInteger(added);
  return (
    <FormCard
      form={form}
      title={<Trans>Redeem a code</Trans>}
      submit={<Trans>Redeem</Trans>}
      submitting={<Trans>Redeeming...</Trans>}
    >
      <TextField {...form.field("key")} label={t`Redemption code`} mono maxLength={128} required />
      {added !== undefined && (
        <Alert tone="good" title={t`Successfully redeemed! Added ${amount} tokens.`} />
      )}
    </FormCard>
  );
}
