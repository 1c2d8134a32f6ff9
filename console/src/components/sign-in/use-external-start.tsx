import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { findRequestId, readReason } from "../../api-error.ts";
import { Alert } from "../../ui/alert.tsx";
import { type SignInProvider, startExternalSignIn } from "./external-sign-in-start.ts";

/**
 * State of the buttons that start an external sign-in, and the alert shown when it cannot start.
 */
export function useExternalSignInStart(redirectTo?: string) {
  const { t } = useLingui();
  const [leavingFor, setLeavingFor] = useState<SignInProvider | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const start = async (provider: SignInProvider) => {
    setLeavingFor(provider);
    setFailure(null);
    try {
      await startExternalSignIn(provider, { redirectTo });
    } catch (error) {
      setFailure(error);
      setLeavingFor(null);
    }
  };
  const alert = failure !== null && (
    <Alert title={t`Failed to acquire OAuth state`} requestId={findRequestId(failure)}>
      {readReason(failure, "") || undefined}
    </Alert>
  );
  return { start, leavingFor, alert };
}
