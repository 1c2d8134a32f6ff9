import { Trans, useLingui } from "@lingui/react/macro";
import {
  newAccessToken,
  newAccessTokenByGet,
  removeAccessToken,
} from "@tollgate/contract/accounts/accounts.ts";
import { getSelf } from "@tollgate/contract/accounts/sessions.ts";
import type { DataOf } from "@tollgate/contract/api/endpoint.ts";
import { useRef, useState } from "react";
import { api } from "../../api-queries.ts";
import { ShownOnce } from "../../components/keys/shown-once.tsx";
import { useReauth } from "../../shell/use-reauth.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Confirm } from "../../ui/menu/confirm.tsx";
import { Time } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";

type AccessTokenTimes = NonNullable<DataOf<typeof getSelf>["access_token"]>;

/** `known` is undefined on a compatible server, which does not say whether there is a token. */
export function AccessTokenCard({ known: told }: { known: AccessTokenTimes | null | undefined }) {
  const { t } = useLingui();
  const [isConfirming, setConfirming] = useState(false);
  const [token, setToken] = useState<string>();
  // Some servers of the family send the token itself, or nothing, in place of its times.
  const known = told && Number.isNaN(told.created_at) ? undefined : told;
  const wasKnown = useRef(false);
  if (token !== undefined && known) wasKnown.current = true;
  // It may have ended elsewhere since, as when all other sessions are signed out.
  const hasEnded = wasKnown.current && known === null;
  const { withReauth, dialog } = useReauth();
  const generate = async () => {
    const { data } = await withReauth((credentials) =>
      credentials === undefined
        ? api.call(newAccessTokenByGet)
        : api.call(newAccessToken, { body: credentials }),
    );
    setToken(data);
    await api.refresh(getSelf);
  };
  return (
    <Card
      title={<Trans>Access token</Trans>}
      note={
        <Trans>
          For scripts. It has all your rights and never expires. Prefer a management key.
        </Trans>
      }
      action={
        <Badge tone="warn">
          <Trans>Full rights</Trans>
        </Badge>
      }
    >
      <div className="flex flex-col items-start gap-3">
        {token !== undefined && !hasEnded && (
          <ShownOnce secret={token} copyLabel={t`Copy access token`} />
        )}
        {known === null && (
          <p className="text-muted text-sm">
            <Trans>No access token yet.</Trans>
          </p>
        )}
        {known && <TokenTimes times={known} />}
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => setConfirming(true)}>
            <Trans>Generate access token</Trans>
          </Button>
          {known && <RemoveAccessToken onRemoved={() => setToken(undefined)} />}
          {known !== undefined && (
            <ButtonLink to="/settings/keys" variant="ghost">
              <Trans>Use a management key with fewer rights</Trans>
            </ButtonLink>
          )}
        </div>
      </div>
      <Confirm
        open={isConfirming}
        onClose={() => setConfirming(false)}
        title={<Trans>Generate access token</Trans>}
        question={
          <Trans>A new access token replaces the old one, which stops working at once.</Trans>
        }
        confirmLabel={<Trans>Generate</Trans>}
        onConfirm={generate}
      />
      {dialog}
    </Card>
  );
}

function TokenTimes({ times }: { times: AccessTokenTimes }) {
  const { created_at, used_at } = times;
  return (
    <p className="text-muted text-sm">
      {created_at === null ? (
        <Trans>Created before its time was recorded</Trans>
      ) : (
        <>
          <Trans>Created</Trans> <Time seconds={Math.floor(created_at / 1000)} />
        </>
      )}
      {" · "}
      {used_at === null ? (
        <Trans>never used</Trans>
      ) : (
        <>
          <Trans>last used</Trans> <Time seconds={Math.floor(used_at / 1000)} />
        </>
      )}
    </p>
  );
}

function RemoveAccessToken({ onRemoved }: { onRemoved: () => void }) {
  const { t } = useLingui();
  const [isConfirming, setConfirming] = useState(false);
  return (
    <>
      <Button variant="ghost" onClick={() => setConfirming(true)}>
        <Trans>Remove access token</Trans>
      </Button>
      <Confirm
        open={isConfirming}
        onClose={() => setConfirming(false)}
        title={<Trans>Remove access token</Trans>}
        question={<Trans>Programs that use the access token stop working at once.</Trans>}
        confirmLabel={<Trans>Remove</Trans>}
        onConfirm={async () => {
          await api.change(removeAccessToken, [getSelf], {});
          onRemoved();
          toast(t`Access token removed`);
        }}
      />
    </>
  );
}
