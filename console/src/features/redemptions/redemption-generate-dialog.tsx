import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { useContractForm } from "../../ui/form/form-contract.ts";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { RedemptionCodesDialog } from "./redemption-codes-dialog.tsx";
import { RedemptionFields } from "./redemption-fields.tsx";
import { useRedemptionFormMessages } from "./redemption-form-messages.ts";
import {
  generateSchema,
  newRedemption,
  type RedemptionFormOutput,
} from "./redemption-form-values.ts";
import { type CreatedCodes, useCodeCreation } from "./use-code-creation.ts";

export function RedemptionGenerateDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const [created, setCreated] = useState<CreatedCodes>();
  const create = useCodeCreation();
  const messages = { ...useRedemptionFormMessages(), quota: t`Quota must be non-negative` };
  const form = useContractForm({
    schema: generateSchema(messages),
    initial: newRedemption,
    onSubmit: async (values: RedemptionFormOutput) => setCreated(await create(values)),
  });
  if (created !== undefined) return <RedemptionCodesDialog created={created} onClose={onClose} />;
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
