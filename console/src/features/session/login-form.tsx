import { Trans, useLingui } from "@lingui/react/macro";
import { Link, useNavigate, useRouter } from "@tanstack/react-router";
import { type FormEvent, useRef, useState } from "react";
import { useSignInOptions } from "../../shell/use-sign-in-options.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { LoginField } from "./login-field.tsx";
import { type LoginFailure, readDestination, tryLogin } from "./try-login.ts";

const codeLength = 6;

type LoginFormProps = {
  redirectTo: string | undefined;
  /** The browser lists its passkeys in the field of the name. */
  suggestsPasskeys: boolean;
};

export function LoginForm({ redirectTo, suggestsPasskeys }: LoginFormProps) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const router = useRouter();
  const form = useRef<HTMLFormElement>(null);
  const [values, setValues] = useState({ username: "", password: "", code: "" });
  const [step, setStep] = useState<"credentials" | "totp">("credentials");
  const [isRecovering, setRecovering] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<LoginFailure | null>(null);
  const [missing, setMissing] = useState<{ username?: string; password?: string }>({});
  const inTotp = step === "totp";

  const change = (field: keyof typeof values) => (value: string) => {
    setValues((before) => ({ ...before, [field]: value }));
    if (field !== "code") setMissing((before) => ({ ...before, [field]: undefined }));
  };

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const required = {
      ...(values.username === "" ? { username: t`Username is required` } : {}),
      ...(values.password === "" ? { password: t`Password is required` } : {}),
    };
    setMissing(required);
    const first = Object.keys(required)[0];
    if (first !== undefined) {
      form.current?.querySelector<HTMLElement>(`[name="${first}"]`)?.focus();
      return;
    }
    setBusy(true);
    setFailure(null);
    const signInPage = router.latestLocation.pathname;
    const outcome = await tryLogin(
      values.username,
      values.password,
      inTotp ? values.code : "",
      t`Login failed`,
    );
    if (outcome.kind === "signed-in") {
      const destination = readDestination(outcome.user, values, redirectTo);
      // Data loaded for a visitor does not apply to the signed-in user.
      await router.invalidate();
      // The header shows the menus as soon as the session exists: a page that the user opened from
      // them stays.
      if (router.latestLocation.pathname === signInPage)
        await navigate({ to: destination, replace: true });
      return;
    }
    setBusy(false);
    if (outcome.kind === "totp-required") setStep("totp");
    setFailure(outcome.kind === "failed" ? outcome : null);
  };

  const backToLogin = () => {
    setStep("credentials");
    askFor(false);
  };

  const askFor = (recoveryCode: boolean) => {
    setRecovering(recoveryCode);
    setFailure(null);
    setValues((before) => ({ ...before, code: "" }));
  };

  return (
    <form
      ref={form}
      onSubmit={(event) => void submit(event)}
      noValidate
      className="flex flex-col gap-4"
      aria-label={t`Sign In`}
    >
      {inTotp ? (
        <Alert
          tone={failure === null ? "info" : "bad"}
          title={t`Please enter your TOTP code`}
          requestId={failure?.requestId}
        >
          {failure?.reason}
        </Alert>
      ) : (
        failure !== null && <Alert title={failure.reason} requestId={failure.requestId} />
      )}
      <LoginField
        label={t`Username`}
        name="username"
        value={values.username}
        onChange={change("username")}
        error={missing.username}
        autoComplete={suggestsPasskeys ? "username webauthn" : "username"}
        disabled={inTotp}
        autoFocus
      />
      <LoginField
        label={t`Password`}
        name="password"
        type="password"
        value={values.password}
        onChange={change("password")}
        error={missing.password}
        autoComplete="current-password"
        disabled={inTotp}
      />
      {inTotp && (
        <LoginField
          // A separate field: text typed into the other one is not a code of this kind.
          key={isRecovering ? "recovery" : "totp"}
          label={isRecovering ? t`Recovery code` : t`TOTP Code`}
          name={isRecovering ? "recovery_code" : "totp_code"}
          value={values.code}
          onChange={change("code")}
          {...(isRecovering ? {} : { inputMode: "numeric", maxLength: codeLength })}
          autoComplete="one-time-code"
          autoFocus
        />
      )}
      <Button
        type="submit"
        variant="primary"
        busy={busy}
        disabled={inTotp && (isRecovering ? values.code === "" : values.code.length !== codeLength)}
      >
        {inTotp ? <Trans>Verify TOTP</Trans> : <Trans>Sign In</Trans>}
      </Button>
      {inTotp && (
        <>
          <Button variant="ghost" onClick={() => askFor(!isRecovering)}>
            {isRecovering ? (
              <Trans>Use a code of the app</Trans>
            ) : (
              <Trans>Use a recovery code</Trans>
            )}
          </Button>
          <Button variant="ghost" onClick={backToLogin}>
            <Trans>Back to Login</Trans>
          </Button>
        </>
      )}
      <LoginLinks />
    </form>
  );
}

const linkStyle = "rounded-sm py-0.5 text-accent underline underline-offset-2";

function LoginLinks() {
  const { reset, register } = useSignInOptions();
  if (reset === undefined && register === undefined) return null;
  return (
    <div className="flex flex-wrap justify-between gap-x-4 gap-y-1 text-sm">
      {reset !== undefined && (
        <Link to={reset} className={linkStyle}>
          <Trans>Forgot your password?</Trans>
        </Link>
      )}
      {register !== undefined && (
        <Link to={register} className={linkStyle}>
          <Trans>Sign up</Trans>
        </Link>
      )}
    </div>
  );
}
