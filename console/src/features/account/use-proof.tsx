import { Trans, useLingui } from "@lingui/react/macro";
import { type FormEvent, useId, useRef, useState } from "react";
import { codeOf, reasonOf } from "../../api-error.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Input } from "../../ui/input.tsx";

export type Proof = { current_password?: string };
type Asking = { prove: (proof: Proof) => Promise<void>; failed: (error: unknown) => void };

const needsProof = (error: unknown): boolean => ["reauth_required", "current_password_wrong"].includes(codeOf(error));

/** Makes a call; where the server wants to know the password again, asks for it and makes the call with it. */
export function useProof() {
  const [trouble, setTrouble] = useState<string | null>(null);
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const asking = useRef<Asking | null>(null);

  const proved = async <T,>(call: (proof: Proof) => Promise<T>): Promise<T> => {
    try {
      return await call({});
    } catch (error) {
      if (!needsProof(error)) throw error;
      setTrouble(null);
      setOpen(true);
      return await new Promise<T>((done, failed) => {
        asking.current = { prove: async (proof) => done(await call(proof)), failed };
      });
    }
  };

  const prove = async (current_password: string) => {
    const asked = asking.current;
    if (asked === null) return;
    setBusy(true);
    try {
      await asked.prove({ current_password });
      setOpen(false);
    } catch (error) {
      if (needsProof(error)) {
        setTrouble(reasonOf(error, ""));
      } else {
        setOpen(false);
        asked.failed(error);
      }
    }
    setBusy(false);
  };

  const giveUp = (reason: string) => {
    setOpen(false);
    asking.current?.failed(new Error(reason));
  };

  return {
    proved,
    dialog: (
      <ProofDialog
        open={open}
        busy={busy}
        trouble={trouble}
        onProve={(password) => void prove(password)}
        onGiveUp={giveUp}
      />
    ),
  };
}
type ProofDialogProps = {
  open: boolean;
  busy: boolean;
  trouble: string | null;
  onProve: (password: string) => void;
  onGiveUp: (reason: string) => void;
};

function ProofDialog({ open, busy, trouble, onProve, onGiveUp }: ProofDialogProps) {
  const { t } = useLingui();
  return (
    <Dialog
      open={open}
      locked={busy}
      onClose={() => onGiveUp(t`Nothing was changed: the current password was not confirmed.`)}
      title={<Trans>Confirm it is you</Trans>}
    >
      <ProofForm busy={busy} trouble={trouble} onProve={onProve} />
    </Dialog>
  );
}

function ProofForm({ busy, trouble, onProve }: Pick<ProofDialogProps, "busy" | "trouble" | "onProve">) {
  const id = useId();
  const [password, setPassword] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (password !== "" && !busy) onProve(password);
  };
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <p>
        <Trans>You signed in a while ago. Changing this needs your current password.</Trans>
      </p>
      <div className="flex flex-col gap-1.5">
        <label htmlFor={id} className="font-medium">
          <Trans>Current Password</Trans>
        </label>
        <Input
          id={id}
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          aria-invalid={trouble === null ? undefined : true}
          aria-describedby={trouble === null ? undefined : `${id}-trouble`}
        />
        {trouble !== null && (
          <p id={`${id}-trouble`} role="alert" className="text-bad text-sm">
            {trouble}
          </p>
        )}
      </div>
      <Button type="submit" variant="primary" busy={busy} disabled={password === ""}>
        <Trans>Confirm</Trans>
      </Button>
    </form>
  );
}
