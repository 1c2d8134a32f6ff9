import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { createRedemptions, listRedemptions, searchRedemptions } from "@tollgate/contract/redemptions.ts";
import { useState } from "react";
import { api } from "../../api.ts";
import { ApiError } from "../../api-error.ts";
import { useIdempotencyKey } from "../../pieces/idempotency-key.ts";
import { useContractForm } from "../../ui/form-contract.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { type Made, MadeCodes } from "./redemption-codes.tsx";
import { RedemptionFields } from "./redemption-fields.tsx";
import { type CheckedRedemption, generateSchema, newRedemption, toCreation } from "./redemption-form-values.ts";
import { useRedemptionWords } from "./redemption-form-words.ts";
import { codesIn } from "./redemption-rules.ts";

export function RedemptionGenerateDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const [made, setMade] = useState<Made>();
  const create = useMutation(api.mutation(createRedemptions, { refreshes: [listRedemptions, searchRedemptions] }));
  const keyFor = useIdempotencyKey();
  const words = { ...useRedemptionWords(), quota: t`Quota must be non-negative` };
  const form = useContractForm({
    schema: generateSchema(words),
    initial: newRedemption,
    onSubmit: async (values: CheckedRedemption) => {
      const body = toCreation(values);
      try {
        const { data } = await create.mutateAsync({ body, idempotencyKey: keyFor(body) });
        setMade({ name: body.name, codes: data });
      } catch (trouble) {
        const codes = trouble instanceof ApiError ? codesIn(trouble.data) : [];
        if (codes.length === 0) throw trouble;
        await Promise.all([api.refresh(listRedemptions), api.refresh(searchRedemptions)]);
        setMade({ name: body.name, codes, trouble });
      }
    },
  });
  if (made !== undefined) return <MadeCodes made={made} onClose={onClose} />;
  return (
    <FormDialog
      form={form}
      title={<Trans>Generate Codes</Trans>}
      submit={form.isBusy ? <Trans>Generating...</Trans> : <Trans>Generate</Trans>}
      onClose={onClose}
    >
      <RedemptionFields form={form} withCount />
    </FormDialog>
  );
}
