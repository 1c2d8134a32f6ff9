import { Trans, useLingui } from "@lingui/react/macro";
import { sendVerificationByGet } from "@tollgate/contract/accounts/registration.ts";
import { useState } from "react";
import { call } from "../../api-call.ts";
import { findRequestId, readReason } from "../../api-error.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import type { FieldOf } from "../../ui/form/form-contract.ts";
import { FieldFrame, useField } from "../../ui/form/form-field.tsx";
import { Input } from "../../ui/form/input.tsx";
import { looksLikeEmail } from "./registration-schema.ts";

type CodeSendOutcome = {
  email: string;
  failure?: { reason: string; requestId: string | undefined };
};

/** A mail address with a button that sends a code to it. */
export function EmailCodeField({ name }: FieldOf<string>) {
  const { t } = useLingui();
  const [outcome, setOutcome] = useState<CodeSendOutcome | null>(null);
  const [busy, setBusy] = useState(false);
  const help = (
    <EmailHelp name={name} sentTo={outcome?.failure === undefined ? outcome?.email : undefined} />
  );
  const { id, field, error, aria } = useField<string>(name, { help, required: true });
  const email = field.value.trim();
  const isSent = outcome?.email === email && outcome.failure === undefined;

  const send = async () => {
    setBusy(true);
    setOutcome(null);
    try {
      await call(sendVerificationByGet, { query: { email } });
      setOutcome({ email });
    } catch (failed) {
      const reason = readReason(failed, t`Failed to send verification code`);
      setOutcome({ email, failure: { reason, requestId: findRequestId(failed) } });
    }
    setBusy(false);
  };

  return (
    <>
      <FieldFrame id={id} label={t`Email`} help={help} error={error}>
        <div className="flex gap-2">
          <Input
            {...field}
            {...aria}
            type="email"
            autoComplete="email"
            maxLength={50}
            spellCheck={false}
          />
          <Button onClick={() => void send()} busy={busy} disabled={!looksLikeEmail(email)}>
            {isSent ? <Trans>Sent</Trans> : <Trans>Send Code</Trans>}
          </Button>
        </div>
      </FieldFrame>
      {outcome?.failure !== undefined && (
        <Alert title={outcome.failure.reason} requestId={outcome.failure.requestId} />
      )}
    </>
  );
}

/**
 * Explains why the button is disabled. After sending it does not reveal whether the address is
 * registered.
 */
function EmailHelp({ name, sentTo }: { name: string; sentTo: string | undefined }) {
  const { field } = useField<string>(name, { required: true });
  const email = field.value.trim();
  if (email !== "" && !looksLikeEmail(email))
    return <Trans>Please enter a valid email address</Trans>;
  return (
    <span role="status">
      {sentTo === email && sentTo !== "" && (
        <Trans>
          If we can send a code to this address, it is on its way. It works for 10 minutes.
        </Trans>
      )}
    </span>
  );
}
