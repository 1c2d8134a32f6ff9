import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { resetPassword } from "@tollgate/contract/registration.ts";
import { useEffect } from "react";
import { call } from "../../api-call.ts";
import { NewPasswordFields, usePasswordMessages } from "../../components/new-password-fields.tsx";
import { type NewPasswordValues, newPasswordSchema } from "../../components/new-password-schema.ts";
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
  const form = useContractForm({
    schema: newPasswordSchema(usePasswordMessages()),
    initial: { password: "", password2: "" },
    failure: t`Password reset failed`,
    onSubmit: async ({ password }: NewPasswordValues) => {
      await call(resetPassword, { body: { email, token, password } });
      const message = t`Password reset successful! Please login with your new password.`;
      // `replace`, because the link in the URL is used up.
      await navigate({ to: "/login", replace: true, state: { message } });
    },
  });
  return (
    <VisitorFrame title={t`Set New Password`} subtitle={email}>
      <VisitorForm form={form} label={t`Set New Password`} first="password" submit={<Trans>Update Password</Trans>}>
        <NewPasswordFields />
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
