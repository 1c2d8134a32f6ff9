import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { resetPassword } from "@tollgate/contract/registration.ts";
import { useEffect } from "react";
import * as z from "zod/mini";
import { call } from "../../api-call.ts";
import { NewPasswordFields, usePasswordMessages } from "../../components/new-password-fields.tsx";
import { type NewPasswordValues, passwordPair, samePasswords } from "../../components/new-password-schema.ts";
import { CheckboxField } from "../../ui/field-choice.tsx";
import { useContractForm } from "../../ui/form-contract.ts";
import { VisitorForm } from "./visitor-form.tsx";
import { VisitorFrame, VisitorLink } from "./visitor-frame.tsx";

export function NewPasswordPage() {
  const { t } = useLingui();
  const navigate = useNavigate();
  const { email, token }: Record<string, string> = useSearch({ strict: false });
  const isComplete = Boolean(email && token);
  useEffect(() => {
    if (isComplete) return;
    const message = t`Invalid or missing reset parameters`;
    void navigate({ to: "/login", replace: true, state: { message, tone: "bad" } });
  }, [isComplete, navigate, t]);
  return email && token ? <NewPassword email={email} token={token} /> : null;
}

function NewPassword({ email, token }: { email: string; token: string }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const messages = usePasswordMessages();
  const form = useContractForm({
    schema: z.object({ ...passwordPair(messages), disable_tokens: z.boolean() }).check(samePasswords(messages)),
    initial: { password: "", password2: "", disable_tokens: false },
    failure: t`Password reset failed`,
    onSubmit: async ({ password, disable_tokens }: NewPasswordValues & { disable_tokens: boolean }) => {
      await call(resetPassword, { body: { email, token, password, ...(disable_tokens && { disable_tokens }) } });
      const message = t`Password reset successful! Please login with your new password.`;
      // `replace`, because the link in the URL is used up.
      await navigate({ to: "/login", replace: true, state: { message } });
    },
  });
  return (
    <VisitorFrame title={t`Set New Password`} subtitle={email}>
      <VisitorForm form={form} label={t`Set New Password`} first="password" submit={<Trans>Update Password</Trans>}>
        <NewPasswordFields />
        <CheckboxField
          name="disable_tokens"
          label={t`Also disable all my API keys`}
          help={t`If another person had access to your account, that person may know your keys or have created some.`}
        />
      </VisitorForm>
      <p className="flex flex-wrap justify-between gap-x-4 text-sm">
        <VisitorLink to="/login">
          <Trans>Back to Login</Trans>
        </VisitorLink>
        <VisitorLink to="/reset">
          <Trans>Request a new link</Trans>
        </VisitorLink>
      </p>
    </VisitorFrame>
  );
}
