import { Plural, Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { getTotpStatus, setupTotp, setupTotpByGet } from "@tollgate/contract/accounts/totp.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { CardLoading } from "../../components/forms/form-loading.tsx";
import { toastError } from "../../components/toast-failure.ts";
import { useReauth } from "../../shell/use-reauth.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { SecondFactorDisable } from "./second-factor-disable.tsx";
import { SecondFactorEnrol, type TotpSetup } from "./second-factor-enrol.tsx";

export function SecondFactorCard() {
  const status = useQuery(api.query(getTotpStatus));
  return (
    <Card
      title={<Trans>Second factor</Trans>}
      note={
        <Trans>A code from an authenticator app, needed with the password at every sign-in.</Trans>
      }
    >
      {status.data === undefined || status.error !== null ? (
        <CardLoading source={status} />
      ) : status.data.data.totp_enabled ? (
        <SecondFactorOn codesLeft={status.data.data.recovery_codes_left} />
      ) : (
        <SecondFactorOff />
      )}
    </Card>
  );
}

function SecondFactorOff() {
  const { withReauth, dialog } = useReauth({ byCode: false });
  const [setup, setSetup] = useState<TotpSetup>();
  const [busy, setBusy] = useState(false);
  const startSetup = async () => {
    setBusy(true);
    try {
      const { data } = await withReauth((credentials) =>
        credentials === undefined
          ? api.call(setupTotpByGet)
          : api.call(setupTotp, { body: credentials }),
      );
      setSetup(data);
    } catch (error) {
      toastError(error);
    }
    setBusy(false);
  };
  return (
    <>
      <Button busy={busy} onClick={() => void startSetup()}>
        <Trans>Set up second factor</Trans>
      </Button>
      <SecondFactorEnrol setup={setup} onClose={() => setSetup(undefined)} />
      {dialog}
    </>
  );
}

function SecondFactorOn({ codesLeft }: { codesLeft: number }) {
  const [isTurningOff, setTurningOff] = useState(false);
  return (
    <div className="flex flex-col items-start gap-3">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge tone="good">
          <Trans>On</Trans>
        </Badge>
        {!Number.isNaN(codesLeft) && (
          <span className="text-muted text-sm">
            <Plural
              value={codesLeft}
              _0="No recovery codes left"
              one="# recovery code left"
              other="# recovery codes left"
            />
          </span>
        )}
      </p>
      {codesLeft <= 2 && (
        <p className="text-sm">
          <Trans>Setting the second factor up again creates new recovery codes.</Trans>
        </p>
      )}
      <Button onClick={() => setTurningOff(true)}>
        <Trans>Turn off second factor</Trans>
      </Button>
      <SecondFactorDisable open={isTurningOff} onClose={() => setTurningOff(false)} />
    </div>
  );
}
