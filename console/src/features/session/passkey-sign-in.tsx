import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate, useRouter } from "@tanstack/react-router";
import { beginPasskeyLogin, finishPasskeyLogin } from "@tollgate/contract/accounts/passkeys.ts";
import { KeyRound } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { call } from "../../api-call.ts";
import { findRequestId, readReason } from "../../api-error.ts";
import { isPasskeyRefusal, presentPasskey } from "../../components/sign-in/passkey-browser.ts";
import { isHeldBack } from "../../session.ts";
import { chooseLandingPath, redirectTarget } from "../../shell/redirect-target.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { enterConsole } from "./try-login.ts";

/** A challenge lasts five minutes; the one behind the browser's suggestions is renewed before. */
const renewalMs = 4 * 60_000;

/**
 * Signs in with a passkey, by the button or by what the browser suggests in the field of the name.
 */
export function PasskeySignIn({ redirectTo }: { redirectTo: string | undefined }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const router = useRouter();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [round, setRound] = useState(0);
  const suggestions = useRef<AbortController>(undefined);

  const enter = async (how: Parameters<typeof presentPasskey>[1]) => {
    const { data } = await call(beginPasskeyLogin);
    const body = await presentPasskey(data.publicKey, how);
    setBusy(true);
    const user = await enterConsole((await call(finishPasskeyLogin, { body })).data);
    // Data loaded for a visitor does not apply to the signed-in user.
    await router.invalidate();
    const wanted = redirectTarget(redirectTo, location.origin) ?? "/dashboard";
    await navigate({ to: chooseLandingPath(wanted, isHeldBack(user)), replace: true });
  };
  const latestEnter = useRef(enter);
  latestEnter.current = enter;

  useEffect(() => {
    const controller = new AbortController();
    suggestions.current = controller;
    const renewal = setTimeout(() => setRound(round + 1), renewalMs);
    const suggest = async () => {
      if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
      await latestEnter.current({ mediation: "conditional", signal: controller.signal });
    };
    suggest().catch((error: unknown) => {
      // Without suggestions the button remains; what the server refused is told.
      if (controller.signal.aborted || error instanceof DOMException) return;
      setBusy(false);
      setFailure(error);
    });
    return () => {
      clearTimeout(renewal);
      controller.abort();
    };
  }, [round]);

  const press = async () => {
    // A browser shows one question for passkeys at a time.
    suggestions.current?.abort();
    setBusy(true);
    setFailure(null);
    try {
      await enter({});
    } catch (error) {
      setFailure(error);
      setBusy(false);
      setRound(round + 1);
    }
  };

  return (
    <>
      {failure !== null && (
        <Alert
          title={
            isPasskeyRefusal(failure)
              ? t`No passkey was used.`
              : readReason(failure, t`Login failed`)
          }
          requestId={findRequestId(failure)}
        />
      )}
      <Button busy={busy} icon={<KeyRound />} onClick={() => void press()}>
        <Trans>Passkey</Trans>
      </Button>
    </>
  );
}
