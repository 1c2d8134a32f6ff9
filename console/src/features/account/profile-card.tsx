import { Trans, useLingui } from "@lingui/react/macro";
import { getSelf, updateSelf } from "@tollgate/contract/sessions.ts";
import type { User } from "@tollgate/contract/users.ts";
import { api } from "../../api-queries.ts";
import { updateUser, useSession } from "../../session.ts";
import { TextField } from "../../ui/field-text.tsx";
import { FormCard } from "../../ui/form-card.tsx";
import { useContractForm } from "../../ui/form-contract.ts";
import { toast } from "../../ui/toast.tsx";
import { type ProfileValues, profileSchema } from "./profile-schema.ts";
import { useReauth } from "./use-reauth.tsx";

/** Name and mail address. When addresses must be verified, `EmailCard` changes them instead. */
export function ProfileCard({ user }: { user: User }) {
  const { t } = useLingui();
  const { status } = useSession();
  const { withReauth, dialog } = useReauth();
  const form = useContractForm({
    schema: profileSchema({
      usernameMissing: t`Username is required`,
      usernameTooShort: t`Username must be at least 3 characters`,
    }),
    initial: { username: user.username, display_name: user.display_name, email: user.email },
    failure: t`Update failed`,
    onSubmit: async ({ username, display_name, email }: ProfileValues) => {
      // An unchanged address is not sent: sending one requires reauthentication.
      const change = { username, display_name, ...(email === user.email ? {} : { email }) };
      await withReauth((credentials) => api.call(updateSelf, { body: { ...change, ...credentials } }));
      updateUser({ username, display_name });
      await api.refresh(getSelf);
      toast(t`Profile updated`);
    },
  });
  return (
    <>
      <FormCard
        form={form}
        title={<Trans>Profile</Trans>}
        submit={<Trans>Update Profile</Trans>}
        submitting={<Trans>Updating...</Trans>}
      >
        <TextField {...form.field("username")} label={t`Username`} autoComplete="username" maxLength={30} required />
        <TextField {...form.field("display_name")} label={t`Display Name`} autoComplete="nickname" maxLength={20} />
        {status.email_verification !== true && (
          <TextField {...form.field("email")} label={t`Email`} type="email" autoComplete="email" maxLength={50} />
        )}
      </FormCard>
      {dialog}
    </>
  );
}
