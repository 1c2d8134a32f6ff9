import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import {
  listPasskeys,
  type Passkey,
  removePasskey,
  removePasskeyByPost,
  renamePasskey,
} from "@tollgate/contract/accounts/passkeys.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { ItemList } from "../../components/lists/item-row.tsx";
import { offersPasskeys } from "../../components/sign-in/offers-passkeys.ts";
import { createPasskey, isPasskeyRefusal } from "../../components/sign-in/passkey-browser.ts";
import { toastError } from "../../components/toast-failure.ts";
import { useSession } from "../../session.ts";
import { useReauth } from "../../shell/use-reauth.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Confirm } from "../../ui/menu/confirm.tsx";
import { Time } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { readBrowser } from "./browser-name.ts";
import { PasskeyNameDialog } from "./passkey-name-dialog.tsx";

/** Hidden where the server takes no passkeys at this address and the account has none. */
export function PasskeysCard() {
  const { status } = useSession();
  const canAdd = offersPasskeys(status);
  const passkeys = useQuery({
    ...api.query(listPasskeys),
    enabled: status.passkey_login !== undefined,
  });
  const rows = passkeys.data?.data ?? [];
  if (!canAdd && rows.length === 0) return null;
  return (
    <Card
      title={<Trans>Passkeys</Trans>}
      note={
        <Trans>
          Your device signs you in with a finger, a face or a PIN, without password and code.
        </Trans>
      }
      action={canAdd && <AddPasskey />}
    >
      <ItemList source={passkeys} rows={rows} empty={<Trans>No passkeys yet.</Trans>}>
        {(passkey) => <PasskeyRow key={passkey.uuid} passkey={passkey} />}
      </ItemList>
    </Card>
  );
}

function AddPasskey() {
  const { t } = useLingui();
  const { withReauth, dialog } = useReauth();
  const [busy, setBusy] = useState(false);
  const add = async () => {
    setBusy(true);
    try {
      await createPasskey(readBrowser(navigator.userAgent), withReauth);
      toast(t`Passkey added`);
      await api.refresh(listPasskeys);
    } catch (error) {
      if (!isPasskeyRefusal(error)) toastError(error);
    }
    setBusy(false);
  };
  return (
    <>
      <Button size="sm" busy={busy} onClick={() => void add()}>
        <Trans>Add passkey</Trans>
      </Button>
      {dialog}
    </>
  );
}

function PasskeyRow({ passkey }: { passkey: Passkey }) {
  const { t } = useLingui();
  const { withReauth, dialog } = useReauth();
  const [asking, setAsking] = useState<"name" | "removal">();
  const { uuid, credential_name: name, backed_up, created_at, used_at } = passkey;
  const close = () => setAsking(undefined);
  const remove = async () => {
    close();
    try {
      await withReauth((credentials) =>
        credentials === undefined
          ? api.change(removePasskey, [listPasskeys], { params: { id: uuid } })
          : api.change(removePasskeyByPost, [listPasskeys], {
              params: { id: uuid },
              body: credentials,
            }),
      );
      toast(t`Passkey removed`);
    } catch (error) {
      toastError(error);
    }
  };
  const rename = async (next: string) => {
    await api.change(renamePasskey, [listPasskeys], { params: { id: uuid }, body: { name: next } });
    close();
  };
  return (
    <li className="flex items-center justify-between gap-3 py-2 first:pt-0 last:pb-0">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2">
          <span dir="auto" className="truncate font-medium">
            {name}
          </span>
          {backed_up && (
            <Badge>
              <Trans>Synced</Trans>
            </Badge>
          )}
        </p>
        <p className="text-muted text-sm">
          {used_at === null ? (
            <>
              <Trans>added</Trans> <Time seconds={Math.floor(created_at / 1000)} />
            </>
          ) : (
            <>
              <Trans>used</Trans> <Time seconds={Math.floor(used_at / 1000)} />
            </>
          )}
        </p>
      </div>
      <div className="flex shrink-0 gap-1">
        <Button
          size="sm"
          variant="ghost"
          aria-label={t`Rename ${name}`}
          onClick={() => setAsking("name")}
        >
          <Trans>Rename</Trans>
        </Button>
        <Button
          size="sm"
          variant="ghost"
          aria-label={t`Remove ${name}`}
          onClick={() => setAsking("removal")}
        >
          <Trans>Remove</Trans>
        </Button>
      </div>
      {asking === "name" && <PasskeyNameDialog name={name} onSave={rename} onClose={close} />}
      <Confirm
        open={asking === "removal"}
        onClose={close}
        title={name}
        question={
          <Trans>
            Remove this passkey? It no longer signs you in. Delete it on your device as well.
          </Trans>
        }
        confirmLabel={<Trans>Remove</Trans>}
        onConfirm={remove}
      />
      {dialog}
    </li>
  );
}
