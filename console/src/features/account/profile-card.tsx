import { Trans, useLingui } from "@lingui/react/macro";
import { getSelf, updateSelf } from "@tollgate/contract/accounts/sessions.ts";
import type { User } from "@tollgate/contract/accounts/users.ts";
import { useState } from "react";
import { readCode } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { updateUser } from "../../session.ts";
import { useReauth } from "../../shell/use-reauth.tsx";
import { TextField } from "../../ui/form/field-text.tsx";
import { FormCard } from "../../ui/form/form-card.tsx";
import { unfinished, useContractForm, useFieldValue } from "../../ui/form/form-contract.ts";
import { toast } from "../../ui/toast.tsx";
import { defineProfileSchema, type ProfileValues } from "./profile-schema.ts";

/**
 * Name and mail address. A server that verifies addresses refuses the first call for a new one and
 * mails a code to it; the form then asks for the code, and the second call carries it.
 */
export function ProfileCard({ user }: { user: User }) {
  const { t } = useLingui();
  const { withReauth, dialog } = useReauth();
  /** The address to which the server mailed a code. */
  const [codeSentTo, setCodeSentTo] = useState<string>();
  const form = useContractForm({
    schema: defineProfileSchema({
      usernameMissing: t`Username is required`,
      usernameTooShort: t`Username must be at least 3 characters`,
    }),
    initial: {
      username: user.username,
      display_name: user.display_name,
      email: user.email,
      verification_code: "",
    },
    failure: t`Update failed`,
    onSubmit: async ({ username, display_name, email, verification_code }: ProfileValues) => {
      // An unchanged address is not sent: sending one requires reauthentication.
      const address = email === user.email ? {} : { email };
      const code =
        email === codeSentTo && verification_code !== ""
          ? { email_verification_code: verification_code }
          : {};
      const change = { username, display_name, ...address, ...code };
      try {
        await withReauth((credentials) =>
          api.call(updateSelf, { body: { ...change, ...credentials } }),
        );
      } catch (error) {
        if (readCode(error) !== "email_code_required") throw error;
        setCodeSentTo(email);
        return unfinished;
      }
      form.set("verification_code", "");
      updateUser({ username, display_name });
      await api.refresh(getSelf);
      toast(t`Profile updated`);
    },
  });
  const asksForCode = useFieldValue(form, "email").trim() === codeSentTo;
  return (
    <>
      <FormCard
        form={form}
        title={<Trans>Profile</Trans>}
        submit={<Trans>Update profile</Trans>}
        submitting={<Trans>Updating...</Trans>}
      >
        <TextField
          {...form.field("username")}
          label={t`Username`}
          autoComplete="username"
          maxLength={30}
          required
        />
        <TextField
          {...form.field("display_name")}
          label={t`Display name`}
          autoComplete="nickname"
          maxLength={20}
        />
        <TextField
          {...form.field("email")}
          label={t`Email`}
          type="email"
          autoComplete="email"
          maxLength={50}
        />
        {asksForCode && (
          <TextField
            {...form.field("verification_code")}
            label={t`Verification Code`}
            help={t`A code is on its way to the new address, if we can send one. It works for 10 minutes; you can ask for another.`}
            autoComplete="one-time-code"
            maxLength={20}
            autoFocus
          />
        )}
      </FormCard>
      {dialog}
    </>
  );
}
