import { Trans, useLingui } from "@lingui/react/macro";
import { finishExternalLink } from "@tollgate/contract/accounts/external-sign-in.ts";
import { type ReactNode, useId, useState } from "react";
import { call } from "../../api-call.ts";
import { findRequestId, readReason } from "../../api-error.ts";
import { requiresTotp } from "../../compat/sign-in-compat.ts";
import type { SessionUser } from "../../session.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/form/input.tsx";
import { LoginField } from "./login-field.tsx";
import { useSignInCode } from "./use-sign-in-code.ts";

const codeLength = 6;

type ExternalLinkFormProps = {
  state: string;
  email: string;
  onEnter: (user: SessionUser) => void;
  onTotp: () => void;
};

/** The mailed code that connects a first sign-in with the account that has its address. */
export function ExternalLinkForm({ state, email, onEnter, onTotp }: ExternalLinkFormProps) {
  const { t } = useLingui();
  const [endsSignIns, setEndsSignIns] = useState(true);
  const [disablesKeys, setDisablesKeys] = useState(false);
  const choices = {
    ...(!endsSignIns && { keep_sign_ins: true }),
    ...(disablesKeys && { disable_tokens: true }),
  };
  const { code, setCode, busy, failure, submit } = useSignInCode({
    send: (verification_code) =>
      call(finishExternalLink, { body: { state, verification_code, ...choices } }),
    onEnter,
    takeOver(error) {
      const isForTotp = requiresTotp(error);
      if (isForTotp) onTotp();
      return isForTotp;
    },
  });

  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Alert
        tone={failure === null ? "info" : "bad"}
        title={t`Enter the code that was mailed to ${email}`}
        requestId={findRequestId(failure)}
      >
        {failure === null
          ? t`An account here has this address. The code connects it with your sign-in.`
          : readReason(failure, t`Login failed`)}
      </Alert>
      <LoginField
        label={t`Verification Code`}
        name="verification_code"
        value={code}
        onChange={setCode}
        inputMode="numeric"
        maxLength={codeLength}
        autoComplete="one-time-code"
        autoFocus
      />
      <Choice
        checked={endsSignIns}
        onChange={setEndsSignIns}
        label={<Trans>End every other way to sign in to this account</Trans>}
        help={
          <Trans>
            Its password, sessions, passkeys and other sign-in accounts. Keep them only if you made
            this account yourself.
          </Trans>
        }
      />
      <Choice
        checked={disablesKeys}
        onChange={setDisablesKeys}
        label={<Trans>Also disable all my API keys</Trans>}
        help={
          <Trans>
            If another person had access to your account, that person may know your keys or have
            created some.
          </Trans>
        }
      />
      <Button type="submit" variant="primary" busy={busy} disabled={code.length !== codeLength}>
        <Trans>Connect and sign in</Trans>
      </Button>
      <ButtonLink to="/login" variant="ghost">
        <Trans>Back to Login</Trans>
      </ButtonLink>
    </form>
  );
}

type ChoiceProps = {
  checked: boolean;
  onChange: (checked: boolean) => void;
  label: ReactNode;
  help: ReactNode;
};

/** A box of the sign-in page, which loads without the form library. */
function Choice({ checked, onChange, label, help }: ChoiceProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="flex items-center gap-2 self-start font-medium">
        <Checkbox
          id={id}
          checked={checked}
          onChange={(event) => onChange(event.target.checked)}
          aria-describedby={`${id}-help`}
        />
        {label}
      </label>
      <p id={`${id}-help`} className="text-muted text-sm">
        {help}
      </p>
    </div>
  );
}
