import { Trans, useLingui } from "@lingui/react/macro";
import { type FormEvent, useId, useState } from "react";
import { useLogout } from "../../shell/logout.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Input } from "../../ui/input.tsx";
import type { Proof } from "./use-proof.tsx";

/** What this account can prove with. An account of an external sign-in may have neither. */
export type Ways = { password: boolean; code: boolean };

type ProofDialogProps = {
  ways: Ways;
  /** Answers what is wrong with the proof; nothing when the dialog is done. */
  onProve: (proof: Proof) => Promise<string | null>;
  onGiveUp: (reason: string) => void;
};

export function ProofDialog({ ways, onProve, onGiveUp }: ProofDialogProps) {
  const { t } = useLingui();
  const [busy, setBusy] = useState(false);
  const prove = async (proof: Proof) => {
    setBusy(true);
    const trouble = await onProve(proof);
    setBusy(false);
    return trouble;
  };
  return (
    <Dialog
      open
      locked={busy}
      onClose={() => onGiveUp(t`Nothing was changed: it was not confirmed that it is you.`)}
      title={<Trans>Confirm it is you</Trans>}
    >
      {ways.password || ways.code ? <ProofForm ways={ways} busy={busy} onProve={prove} /> : <SignInAgain />}
    </Dialog>
  );
}

function ProofForm({ ways, busy, onProve }: Pick<ProofDialogProps, "ways" | "onProve"> & { busy: boolean }) {
  const id = useId();
  const [isCode, setIsCode] = useState(!ways.password);
  const [text, setText] = useState("");
  const [trouble, setTrouble] = useState<string | null>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (text === "" || busy) return;
    setTrouble(await onProve(isCode ? { totp_code: text } : { current_password: text }));
  };
  const takeOther = () => {
    setIsCode(!isCode);
    setText("");
    setTrouble(null);
  };
  return (
    <form onSubmit={(event) => void submit(event)} noValidate className="flex flex-col gap-4">
      <p>
        {isCode ? (
          <Trans>You signed in a while ago. Changing this needs a code of your authenticator app.</Trans>
        ) : (
          <Trans>You signed in a while ago. Changing this needs your current password.</Trans>
        )}
      </p>
      <div className="flex flex-col gap-1.5">
        <label htmlFor={id} className="font-medium">
          {isCode ? <Trans>TOTP Code</Trans> : <Trans>Current Password</Trans>}
        </label>
        <Input
          id={id}
          {...(isCode
            ? { autoComplete: "one-time-code", inputMode: "numeric", maxLength: 6, className: "font-mono text-sm!" }
            : { autoComplete: "current-password", type: "password" })}
          value={text}
          onChange={(event) => setText(event.target.value)}
          aria-invalid={trouble === null ? undefined : true}
          aria-describedby={trouble === null ? undefined : `${id}-trouble`}
        />
        {trouble !== null && (
          <p id={`${id}-trouble`} role="alert" className="text-bad text-sm">
            {trouble}
          </p>
        )}
      </div>
      <Button type="submit" variant="primary" busy={busy} disabled={text === ""}>
        <Trans>Confirm</Trans>
      </Button>
      {ways.password && ways.code && (
        <Button variant="ghost" onClick={takeOther} disabled={busy}>
          {isCode ? <Trans>Use the password instead</Trans> : <Trans>Use a code instead</Trans>}
        </Button>
      )}
    </form>
  );
}

/** Neither a password nor a second factor: only the provider can say who it is. */
function SignInAgain() {
  const { t } = useLingui();
  const logout = useLogout();
  const message = t`Sign in again with your provider, then make the change within ten minutes.`;
  return (
    <div className="flex flex-col gap-4">
      <p>
        <Trans>
          You signed in a while ago. This account has no password, so changing this needs a new sign-in with your
          provider.
        </Trans>
      </p>
      <Button variant="primary" onClick={() => void logout({ message, backTo: location.pathname })}>
        <Trans>Sign in again</Trans>
      </Button>
    </div>
  );
}
