import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { getSelf } from "@tollgate/contract/accounts/sessions.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { toastError } from "../../components/toast-failure.ts";
import { updateUser } from "../../session.ts";
import { redirectTarget } from "../../shell/redirect-target.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { PasskeysCard } from "./passkeys-card.tsx";
import { SecondFactorCard } from "./second-factor-card.tsx";

/** Sets up what the operator demands of the user's role. The user can only do this or sign out. */
export function ForcedSecondFactor() {
  const { t } = useLingui();
  const navigate = useNavigate();
  const search: Record<string, string> = useSearch({ strict: false });
  const [busy, setBusy] = useState(false);
  const [isMissing, setMissing] = useState(false);
  const goOn = async () => {
    setBusy(true);
    try {
      const { data } = await api.call(getSelf);
      setMissing(data.must_add_second_factor === true);
      if (data.must_add_second_factor !== true) {
        updateUser(data);
        await navigate({
          to: redirectTarget(search.redirect_to, location.origin) ?? "/dashboard",
          replace: true,
        });
      }
    } catch (error) {
      toastError(error);
    }
    setBusy(false);
  };
  return (
    <div className="flex w-full max-w-xl flex-col gap-4">
      <Alert tone="warn" title={t`Your role needs a second factor`}>
        <Trans>
          Set up one of these to continue. If you already have a passkey, sign out and sign in with
          it.
        </Trans>
      </Alert>
      <PasskeysCard />
      <SecondFactorCard />
      {isMissing && <Alert title={t`Neither is set up yet`} />}
      <div>
        <Button variant="primary" busy={busy} onClick={() => void goOn()}>
          <Trans>Continue</Trans>
        </Button>
      </div>
    </div>
  );
}
