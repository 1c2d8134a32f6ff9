import { Trans, useLingui } from "@lingui/react/macro";
import { listSessions, updateSelf } from "@tollgate/contract/sessions.ts";
import { api } from "../../api.ts";
import { PasswordField } from "../../ui/field-text.tsx";
import { FormCard } from "../../ui/form-card.tsx";
import { useContractForm } from "../../ui/form-contract.ts";
import { toast } from "../../ui/toast.tsx";
import { usePasswordWords } from "./password-words.ts";
import { type NewPasswordValues, newPasswordSchema } from "./profile-schema.ts";
import { useProof } from "./use-proof.tsx";

export function PasswordCard() {
  const { t } = useLingui();
  const { proved, dialog } = useProof();
  const form = useContractForm({
    schema: newPasswordSchema(usePasswordWords()),
    initial: { password: "", password2: "" },
    failure: t`Update failed`,
    onSubmit: async ({ password }: NewPasswordValues) => {
      await proved((proof) => api.call(updateSelf, { body: { password, ...proof } }));
      form.methods.reset({ password: "", password2: "" });
      await api.refresh(listSessions);
      toast(t`Password changed`);
    },
  });
  return (
    <>
      <FormCard
        form={form}
        title={<Trans>Password</Trans>}
        note={<Trans>A new one signs out all your other sessions.</Trans>}
        submit={<Trans>Change Password</Trans>}
        submitting={<Trans>Updating...</Trans>}
      >
        <PasswordField
          {...form.field("password")}
          label={t`New Password`}
          help={t`8 to 128 characters`}
          autoComplete="new-password"
          required
        />
        <PasswordField
          {...form.field("password2")}
          label={t`Confirm New Password`}
          autoComplete="new-password"
          required
        />
      </FormCard>
      {dialog}
    </>
  );
}
