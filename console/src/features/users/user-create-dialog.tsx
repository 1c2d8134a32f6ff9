import { Trans, useLingui } from "@lingui/react/macro";
import { listQuotaRequests } from "@tollgate/contract/accounts/quota-requests.ts";
import { createUser, listUsers, searchUsers } from "@tollgate/contract/accounts/user-admin.ts";
import { useCreation } from "../../components/forms/use-creation.ts";
import { PasswordField, TextField } from "../../ui/form/field-text.tsx";
import { useContractForm } from "../../ui/form/form-contract.ts";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { toast } from "../../ui/toast.tsx";
import type { HandedAccount } from "./handed-account.ts";
import { useUserFormMessages } from "./user-form-messages.ts";
import { defineQuickUserSchema, type QuickUserForm } from "./user-form-values.ts";

const displayNameMax = 20;

/** Creates an account from three fields, with defaults for the others. */
export function UserCreateDialog({ onClose }: { onClose: (created?: HandedAccount) => void }) {
  const { t } = useLingui();
  const create = useCreation(createUser, [listUsers, searchUsers, listQuotaRequests]);
  const messages = useUserFormMessages();
  const form = useContractForm({
    schema: defineQuickUserSchema(messages),
    initial: { username: "", password: "", display_name: "" },
    onSubmit: async ({ display_name, ...body }: QuickUserForm) => {
      // Not every server of the family takes the username for a missing name.
      await create({
        ...body,
        display_name: display_name || body.username.slice(0, displayNameMax),
      });
      toast(t`User created successfully`);
      onClose({ username: body.username, password: body.password, email: "" });
    },
  });
  return (
    <FormDialog
      form={form}
      title={<Trans>Create User</Trans>}
      submit={<Trans>Create User</Trans>}
      onClose={() => onClose()}
    >
      <TextField {...form.field("username")} label={t`Username`} maxLength={30} required />
      <PasswordField
        {...form.field("password")}
        label={t`Password`}
        help={messages.passwordHelp}
        autoComplete="new-password"
        required
      />
      <TextField
        {...form.field("display_name")}
        label={t`Display name`}
        help={t`Leave empty to use the username.`}
        maxLength={20}
      />
    </FormDialog>
  );
}
