import { Trans, useLingui } from "@lingui/react/macro";
import { finishExternalTotp } from "@tollgate/contract/accounts/external-sign-in.ts";
import { useState } from "react";
import { call } from "../../api-call.ts";
import { findRequestId, readReason } from "../../api-error.ts";
import type { SessionUser } from "../../session.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { LoginField } from "./login-field.tsx";
import { useSignInCode } from "./use-sign-in-code.ts";

const codeLength = 6;

type ExternalTotpFormProps = { state: string; onEnter: (user: SessionUser) => void };

/** The second factor of an external sign-in. */
export function ExternalTotpForm({ state, onEnter }: ExternalTotpFormProps) {
  const { t } = useLingui();
  const [isRecovering, setRecovering] = useState(false);
  const { code, setCode, busy, failure, clear, submit } = useSignInCode({
    send: (written) =>
      call(finishExternalTotp, {
        body: isRecovering ? { state, recovery_code: written } : { state, totp_code: written },
      }),
    onEnter,
  });
  const askFor = (recoveryCode: boolean) => {
    setRecovering(recoveryCode);
    clear();
  };

  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Alert
        tone={failure === null ? "info" : "bad"}
        title={t`Please enter your TOTP code`}
        requestId={findRequestId(failure)}
      >
        {failure === null ? undefined : readReason(failure, t`Login failed`)}
      </Alert>
      <LoginField
        // A separate field: text typed into the other one is not a code of this kind.
        key={isRecovering ? "recovery" : "totp"}
        label={isRecovering ? t`Recovery code` : t`TOTP Code`}
        name={isRecovering ? "recovery_code" : "totp_code"}
        value={code}
        onChange={setCode}
        {...(isRecovering ? {} : { inputMode: "numeric", maxLength: codeLength })}
        autoComplete="one-time-code"
        autoFocus
      />
      <Button
        type="submit"
        variant="primary"
        busy={busy}
        disabled={isRecovering ? code === "" : code.length !== codeLength}
      >
        <Trans>Verify TOTP</Trans>
      </Button>
      <Button variant="ghost" onClick={() => askFor(!isRecovering)}>
        {isRecovering ? <Trans>Use a code of the app</Trans> : <Trans>Use a recovery code</Trans>}
      </Button>
      <ButtonLink to="/login" variant="ghost">
        <Trans>Back to Login</Trans>
      </ButtonLink>
    </form>
  );
}
