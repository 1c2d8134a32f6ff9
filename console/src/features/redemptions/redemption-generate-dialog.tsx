import { Trans, useLingui } from "@lingui/react/macro";
import { listQuotaRequests } from "@tollgate/contract/quota-requests.ts";
import { createRedemptions, listRedemptions, searchRedemptions } from "@tollgate/contract/redemptions.ts";
import { useState } from "react";
import { ApiError } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { codesOf } from "../../compat/redemption-compat.ts";
import { useCreation } from "../../components/use-creation.ts";
import { useContractForm } from "../../ui/form-contract.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { type GeneratedCodes, RedemptionCodesDialog } from "./redemption-codes-dialog.tsx";
import { RedemptionFields } from "./redemption-fields.tsx";
import { useRedemptionFormMessages } from "./redemption-form-messages.ts";
import {
  generateSchema,
  newRedemption,
  type RedemptionFormOutput,
  toRedemptionCreate,
} from "./redemption-form-values.ts";

export function RedemptionGenerateDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const [generated, setGenerated] = useState<GeneratedCodes>();
  const create = useCreation(createRedemptions, [listRedemptions, searchRedemptions, listQuotaRequests]);
  const messages = { ...useRedemptionFormMessages(), quota: t`Quota must be non-negative` };
  const form = useContractForm({
    schema: generateSchema(messages),
    initial: newRedemption,
    onSubmit: async (values: RedemptionFormOutput) => {
      const body = toRedemptionCreate(values);
      try {
        const { data } = await create(body);
        setGenerated({ name: body.name, codes: data });
      } catch (error) {
        const codes = error instanceof ApiError ? codesOf(error.data) : [];
        if (codes.length === 0) throw error;
        await Promise.all([api.refresh(listRedemptions), api.refresh(searchRedemptions)]);
        setGenerated({ name: body.name, codes, error });
      }
    },
  });
  if (generated !== undefined) return <RedemptionCodesDialog generated={generated} onClose={onClose} />;
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
