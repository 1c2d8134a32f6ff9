import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { readReason } from "../api-error.ts";
import { isPasskeyRefusal, proveByPasskey } from "../components/sign-in/passkey-browser.ts";
import { Button } from "../ui/button.tsx";

/**
 * Confirms the user's identity with a passkey. `onProved` resolves to the reason of a refusal, or
 * to null.
 */
export function PasskeyProof({ onProved }: { onProved: () => Promise<string | null> }) {
  const { t } = useLingui();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const prove = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await proveByPasskey();
      setProblem((await onProved()) ?? undefined);
    } catch (error) {
      setProblem(isPasskeyRefusal(error) ? t`No passkey was used.` : readReason(error, ""));
    }
    setBusy(false);
  };
  return (
    <div className="flex flex-col gap-1.5">
      <Button busy={busy} onClick={() => void prove()}>
        <Trans>Use a passkey</Trans>
      </Button>
      {problem !== undefined && (
        <p role="alert" className="text-bad text-sm">
          {problem}
        </p>
      )}
    </div>
  );
}
