import { Trans, useLingui } from "@lingui/react/macro";
import { requestResetByGet } from "@tollgate/contract/accounts/registration.ts";
import { useEffect, useRef, useState } from "react";
import { call } from "../../api-call.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { TextField } from "../../ui/form/field-text.tsx";
import { useContractForm } from "../../ui/form/form-contract.ts";
import { defineEmailSchema } from "./registration-schema.ts";
import { VisitorForm } from "./visitor-form.tsx";
import { VisitorFrame, VisitorLink } from "./visitor-frame.tsx";

export function ResetRequestPage() {
  const [sentTo, setSentTo] = useState<string | null>(null);
  return sentTo === null ? <ResetRequest onSent={setSentTo} /> : <CheckYourEmail email={sentTo} />;
}

function ResetRequest({ onSent }: { onSent: (email: string) => void }) {
  const { t } = useLingui();
  const form = useContractForm({
    schema: defineEmailSchema(t`Valid email is required`),
    initial: { email: "" },
    failure: t`Failed to send reset email`,
    onSubmit: async ({ email }: { email: string }) => {
      await call(requestResetByGet, { query: { email } });
      onSent(email);
    },
  });
  return (
    <VisitorFrame title={t`Reset Password`} subtitle={t`Enter the mail address of your account.`}>
      <VisitorForm
        form={form}
        label={t`Reset Password`}
        first="email"
        submit={<Trans>Send Reset Link</Trans>}
      >
        <TextField
          {...form.field("email")}
          label={t`Email`}
          type="email"
          autoComplete="email"
          maxLength={50}
          required
        />
      </VisitorForm>
      <p className="text-sm">
        <VisitorLink to="/login">
          <Trans>Back to Login</Trans>
        </VisitorLink>
      </p>
    </VisitorFrame>
  );
}

function CheckYourEmail({ email }: { email: string }) {
  const { t } = useLingui();
  const sentence = useRef<HTMLDivElement>(null);
  // The focused form is gone: moving the focus makes screen readers announce the new text.
  useEffect(() => sentence.current?.focus(), []);
  return (
    <VisitorFrame title={t`Check Your Email`}>
      <div ref={sentence} tabIndex={-1} className="flex flex-col gap-2 outline-none">
        <p>
          <Trans>We've sent a password reset link to your email address</Trans>
        </p>
        <p className="text-muted text-sm [overflow-wrap:anywhere]">
          <Trans>
            If {email} has an account, a link is on its way. The link works once and for 10 minutes.
          </Trans>
        </p>
      </div>
      <ButtonLink to="/login" variant="primary">
        <Trans>Back to Login</Trans>
      </ButtonLink>
    </VisitorFrame>
  );
}
