import { Trans, useLingui } from "@lingui/react/macro";
import { type FormEvent, lazy, Suspense, useEffect, useId, useRef, useState } from "react";
import { readPagePath } from "../site-path.ts";
import { Button } from "../ui/button.tsx";
import { Input } from "../ui/form/input.tsx";
import { Dialog } from "../ui/menu/dialog.tsx";
import { useLogout } from "./logout.ts";

/** Loaded on demand: few accounts have passkeys. */
const PasskeyProof = lazy(async () => ({
  default: (await import("./passkey-proof.tsx")).PasskeyProof,
}));

export type ReauthCredentials = { current_password?: string; totp_code?: string };

/** The methods this account can reauthenticate. An account of an external sign-in may have none. */
export type ReauthMethods = { password: boolean; code: boolean; passkey: boolean };

type ReauthDialogProps = {
  methods: ReauthMethods;
  /** Resolves to the reason why the credentials were refused, or to null. */
  onConfirm: (credentials: ReauthCredentials) => Promise<string | null>;
  onCancel: (reason: string) => void;
};

export function ReauthDialog({ methods, onConfirm, onCancel }: ReauthDialogProps) {
  const { t } = useLingui();
  const [busy, setBusy] = useState(false);
  const content = useRef<HTMLDivElement>(null);
  useEffect(() => content.current?.querySelector("input")?.focus(), []);
  const confirm = async (credentials: ReauthCredentials) => {
    setBusy(true);
    const problem = await onConfirm(credentials);
    setBusy(false);
    return problem;
  };
  return (
    <Dialog
      open
      locked={busy}
      onClose={() => onCancel(t`Nothing was changed, because your identity was not confirmed.`)}
      title={<Trans>Confirm it is you</Trans>}
    >
      <div ref={content} className="flex flex-col gap-4">
        {methods.password || methods.code ? (
          <ReauthForm methods={methods} busy={busy} onConfirm={confirm} />
        ) : (
          !methods.passkey && <SignInAgain />
        )}
        {methods.passkey && (
          <Suspense>
            <PasskeyProof onProved={() => confirm({})} />
          </Suspense>
        )}
      </div>
    </Dialog>
  );
}

function ReauthForm({
  methods,
  busy,
  onConfirm,
}: Pick<ReauthDialogProps, "methods" | "onConfirm"> & { busy: boolean }) {
  const id = useId();
  const [isCode, setIsCode] = useState(!methods.password);
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (text === "" || busy) return;
    setProblem(await onConfirm(isCode ? { totp_code: text } : { current_password: text }));
  };
  const switchMethod = () => {
    setIsCode(!isCode);
    setText("");
    setProblem(null);
  };
  return (
    <form onSubmit={(event) => void submit(event)} noValidate className="flex flex-col gap-4">
      <p>
        {isCode ? (
          <Trans>You signed in a while ago. This needs a code of your authenticator app.</Trans>
        ) : (
          <Trans>You signed in a while ago. This needs your current password.</Trans>
        )}
      </p>
      <div className="flex flex-col gap-1.5">
        <label htmlFor={id} className="font-medium">
          {isCode ? <Trans>TOTP Code</Trans> : <Trans>Current password</Trans>}
        </label>
        <Input
          id={id}
          {...(isCode
            ? {
                autoComplete: "one-time-code",
                inputMode: "numeric",
                maxLength: 6,
                className: "font-mono text-sm!",
              }
            : { autoComplete: "current-password", type: "password" })}
          value={text}
          onChange={(event) => setText(event.target.value)}
          aria-invalid={problem === null ? undefined : true}
          aria-describedby={problem === null ? undefined : `${id}-error`}
        />
        {problem !== null && (
          <p id={`${id}-error`} role="alert" className="text-bad text-sm">
            {problem}
          </p>
        )}
      </div>
      <Button type="submit" variant="primary" busy={busy} disabled={text === ""}>
        <Trans>Confirm</Trans>
      </Button>
      {methods.password && methods.code && (
        <Button variant="ghost" onClick={switchMethod} disabled={busy}>
          {isCode ? <Trans>Use the password instead</Trans> : <Trans>Use a code instead</Trans>}
        </Button>
      )}
    </form>
  );
}

/**
 * `SignInAgain` is for an account without a password, a second factor and a passkey: only a new
 * sign-in with the provider reauthenticates.
 */
function SignInAgain() {
  const { t } = useLingui();
  const logout = useLogout();
  const message = t`Sign in again with your provider, then try again within ten minutes.`;
  return (
    <div className="flex flex-col gap-4">
      <p>
        <Trans>
          You signed in a while ago. This account has no password, so this needs a new sign-in with
          your provider.
        </Trans>
      </p>
      <Button variant="primary" onClick={() => void logout({ message, backTo: readPagePath() })}>
        <Trans>Sign in again</Trans>
      </Button>
    </div>
  );
}
