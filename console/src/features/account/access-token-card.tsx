import { Trans, useLingui } from "@lingui/react/macro";
import { newAccessToken, newAccessTokenByGet } from "@tollgate/contract/accounts.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { useReauth } from "./use-reauth.tsx";

export function AccessTokenCard() {
  const { t } = useLingui();
  const [isConfirming, setConfirming] = useState(false);
  const [token, setToken] = useState<string>();
  const { withReauth, dialog } = useReauth();
  const generate = async () => {
    const { data } = await withReauth((credentials) =>
      credentials === undefined ? api.call(newAccessTokenByGet) : api.call(newAccessToken, { body: credentials }),
    );
    setToken(data);
  };
  return (
    <Card
      title={<Trans>Access token</Trans>}
      note={
        <Trans>
          For programs that manage this account through the API: sent as Authorization, it may do what you may.
        </Trans>
      }
    >
      <div className="flex flex-col items-start gap-3">
        {token !== undefined && (
          <Alert tone="good" title={<Trans>Shown this once</Trans>} className="self-stretch">
            <p>
              <Trans>Keep it where only your program finds it.</Trans>
            </p>
            <p className="flex items-center gap-1">
              <code className="break-all font-mono">{token}</code>
              <CopyButton text={token} label={t`Copy access token`} />
            </p>
          </Alert>
        )}
        <Button onClick={() => setConfirming(true)}>
          <Trans>Generate Access Token</Trans>
        </Button>
      </div>
      <Confirm
        open={isConfirming}
        onClose={() => setConfirming(false)}
        title={<Trans>Generate Access Token</Trans>}
        question={<Trans>A new access token takes the place of the one before, which stops working at once.</Trans>}
        confirmLabel={<Trans>Generate</Trans>}
        onConfirm={generate}
      />
      {dialog}
    </Card>
  );
}
