import { Trans, useLingui } from "@lingui/react/macro";
import { updateSelf } from "@tollgate/contract/accounts/sessions.ts";
import { api } from "../../api-queries.ts";
import {
  NewPasswordFields,
  usePasswordMessages,
} from "../../components/forms/new-password-fields.tsx";
import {
  definePasswordSchema,
  type NewPasswordValues,
} from "../../components/forms/new-password-schema.ts";
import { updateUser } from "../../session.ts";
import { useReauth } from "../../shell/use-reauth.tsx";
import { FormCard } from "../../ui/form/form-card.tsx";
import { useContractForm } from "../../ui/form/form-contract.ts";
import { toast } from "../../ui/toast.tsx";
import { waysIn } from "./ways-in.ts";

export function PasswordCard() {
  const { t } = useLingui();
  const { withReauth, dialog } = useReauth();
  const form = useContractForm({
    schema: definePasswordSchema(usePasswordMessages()),
    initial: { password: "", password2: "" },
    failure: t`Update failed`,
    onSubmit: async ({ password }: NewPasswordValues) => {
      await withReauth((credentials) =>
        api.change(updateSelf, waysIn, { body: { password, ...credentials } }),
      );
      updateUser({ has_default_password: false });
      form.methods.reset({ password: "", password2: "" });
      toast(t`Password changed`);
    },
  });
  return (
    <>
      <FormCard
        form={form}
        title={<Trans>Password</Trans>}
        note={<Trans>A new password signs out all your other sessions.</Trans>}
        submit={<Trans>Change password</Trans>}
        submitting={<Trans>Updating...</Trans>}
      >
        <NewPasswordFields />
      </FormCard>
      {dialog}
    </>
  );
}
