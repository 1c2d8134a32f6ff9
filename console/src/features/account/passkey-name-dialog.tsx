import { Trans, useLingui } from "@lingui/react/macro";
import * as z from "zod/mini";
import { TextField } from "../../ui/form/field-text.tsx";
import { useContractForm } from "../../ui/form/form-contract.ts";
import { FormDialog } from "../../ui/form/form-dialog.tsx";

type PasskeyNameDialogProps = {
  name: string;
  onSave: (name: string) => Promise<void>;
  onClose: () => void;
};

export function PasskeyNameDialog({ name, onSave, onClose }: PasskeyNameDialogProps) {
  const { t } = useLingui();
  const form = useContractForm({
    schema: z.object({ name: z.string().check(z.trim(), z.minLength(1, t`Name is required`)) }),
    initial: { name },
    onSubmit: (values) => onSave(values.name),
  });
  return (
    <FormDialog form={form} title={t`Rename`} submit={<Trans>Save</Trans>} onClose={onClose}>
      <TextField {...form.field("name")} label={t`Name`} maxLength={128} />
    </FormDialog>
  );
}
