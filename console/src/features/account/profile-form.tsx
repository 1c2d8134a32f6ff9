import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import { getSelf } from "@tollgate/contract/sessions.ts";
import type { User } from "@tollgate/contract/users.ts";
import { api } from "../../api.ts";
import { updateUser } from "../../session.ts";
import { PasswordField, TextField } from "../../ui/field-text.tsx";
import { Form } from "../../ui/form.tsx";
import { useContractForm } from "../../ui/form-contract.ts";
import { toast } from "../../ui/toast.tsx";
import { usePasswordWords } from "./password-words.ts";
import { type ProfileValues, profileSchema } from "./profile-schema.ts";
import { useProof } from "./use-proof.tsx";

export function ProfileForm({ user }: { user: User }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const { save, dialog } = useProof();
  const passwordWords = usePasswordWords();
  const schema = profileSchema({
    ...passwordWords,
    usernameMissing: t`Username is required`,
    usernameTooShort: t`Username must be at least 3 characters`,
  });
  const initial = {
    username: user.username,
    display_name: user.display_name,
    email: user.email,
    password: "",
    password2: "",
  };
  const form = useContractForm({
    schema,
    initial,
    onSubmit: async ({ username, display_name, email, password }: ProfileValues) => {
      // An address that did not change is not sent: changing one needs proof.
      await save({
        username,
        display_name,
        ...(email === user.email ? {} : { email }),
        ...(password === "" ? {} : { password }),
      });
      updateUser({ username, display_name });
      await api.refresh(getSelf);
      toast(t`Profile updated`);
      await navigate({ to: "/dashboard" });
    },
  });
  return (
    <>
      <Form
        form={form}
        submit={<Trans>Update Profile</Trans>}
        submitting={<Trans>Updating...</Trans>}
        cancelTo="/dashboard"
      >
        <TextField {...form.field("username")} label={t`Username`} autoComplete="username" maxLength={30} required />
        <TextField {...form.field("display_name")} label={t`Display Name`} autoComplete="nickname" maxLength={20} />
        <TextField {...form.field("email")} label={t`Email`} type="email" autoComplete="email" maxLength={50} />
        <PasswordField
          {...form.field("password")}
          label={t`New Password`}
          help={t`Empty keeps the current one. A new one signs out all your other sessions.`}
          autoComplete="new-password"
        />
        <PasswordField {...form.field("password2")} label={t`Confirm New Password`} autoComplete="new-password" />
      </Form>
      {dialog}
    </>
  );
}
