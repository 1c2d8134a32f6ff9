import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import {
  deleteManagementKey,
  disableManagementKey,
  enableManagementKey,
  listManagementKeys,
  type ManagementKey,
} from "@tollgate/contract/accounts/management-keys.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { ShownOnce } from "../../components/keys/shown-once.tsx";
import { ItemDelete } from "../../components/lists/item-delete.tsx";
import {
  ItemActions,
  ItemList,
  ItemRow,
  ItemText,
  ItemTitle,
} from "../../components/lists/item-row.tsx";
import { toastError } from "../../components/toast-failure.ts";
import { hasFeature, useSession } from "../../session.ts";
import { useReauth } from "../../shell/use-reauth.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { Page } from "../../ui/page.tsx";
import { Time } from "../../ui/time.tsx";
import { ManagementKeyForm, ScopeSentences } from "./management-key-form.tsx";

const TryKeyDialog = buildLazyPart(async () => (await import("./try-key-dialog.tsx")).TryKeyDialog);

/** The newest; only root over all users comes near. */
const shownMax = 100;

export function ManagementKeysPage() {
  const { t } = useLingui();
  const { user } = useSession();
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<string>();
  const keys = useQuery(api.query(listManagementKeys, { query: { size: shownMax } }));
  const rows = keys.data?.data ?? [];
  return (
    <Page
      title={t`Management keys`}
      subtitle={t`For programs that manage this gateway: each may do a part of what you may, and ends`}
      action={
        !isMaking && (
          <Button variant="primary" onClick={() => setMaking(true)}>
            <Trans>New key</Trans>
          </Button>
        )
      }
    >
      {made !== undefined && <ShownOnce secret={made} copyLabel={t`Copy management key`} />}
      {isMaking && (
        <ManagementKeyForm
          role={user?.role ?? 0}
          onCancel={() => setMaking(false)}
          onCreated={(key) => {
            setMade(key);
            setMaking(false);
          }}
        />
      )}
      <Card title={<Trans>Keys</Trans>}>
        <ItemList source={keys} rows={rows} empty={<Trans>No management keys yet.</Trans>}>
          {(row) => (
            <ManagementKeyItem key={row.id} row={row} isOwn={row.username === user?.username} />
          )}
        </ItemList>
      </Card>
    </Page>
  );
}

function ManagementKeyItem({ row, isOwn }: { row: ManagementKey; isOwn: boolean }) {
  const { t } = useLingui();
  const { status } = useSession();
  const [isBusy, setBusy] = useState(false);
  const [isTrying, setTrying] = useState(false);
  const { withReauth, dialog } = useReauth();
  const { name, username, hint, subnet } = row;
  const params = { id: row.uuid };
  const toggle = async () => {
    setBusy(true);
    try {
      if (row.disabled)
        await withReauth((proof) =>
          api.change(enableManagementKey, [listManagementKeys], { params, body: { ...proof } }),
        );
      else await api.change(disableManagementKey, [listManagementKeys], { params });
    } catch (error) {
      toastError(error);
    }
    setBusy(false);
  };
  return (
    <ItemRow>
      <ItemText>
        <ItemTitle>
          <span dir="auto" className="font-medium [overflow-wrap:anywhere]">
            {name}
          </span>
          <code className="font-mono text-muted text-sm">tgm-…{hint}</code>
          {row.disabled && (
            <Badge>
              <Trans>Disabled</Trans>
            </Badge>
          )}
          {row.expires_at <= Date.now() && (
            <Badge tone="warn">
              <Trans>Expired</Trans>
            </Badge>
          )}
        </ItemTitle>
        <div className="text-muted text-sm [overflow-wrap:anywhere]">
          {!isOwn && <p>{t`Made by ${username}`}</p>}
          <p>
            <Trans>Ends</Trans> <Time seconds={Math.floor(row.expires_at / 1000)} /> ·{" "}
            {row.used_at === null ? (
              <Trans>never used</Trans>
            ) : (
              <>
                <Trans>last used</Trans> <Time seconds={Math.floor(row.used_at / 1000)} />
              </>
            )}
          </p>
          {subnet !== "" && <p>{t`Only from ${subnet}`}</p>}
          <details>
            <summary className="py-0.5">{row.scopes.join(", ")}</summary>
            <ScopeSentences scopes={row.scopes} />
          </details>
        </div>
      </ItemText>
      <ItemActions>
        {hasFeature(status, "dry_run") && (
          <Button size="sm" aria-label={t`Try ${name}`} onClick={() => setTrying(true)}>
            <Trans>Try</Trans>
          </Button>
        )}
        {(isOwn || !row.disabled) && (
          <Button
            size="sm"
            busy={isBusy}
            aria-label={row.disabled ? t`Enable ${name}` : t`Disable ${name}`}
            onClick={() => void toggle()}
          >
            {row.disabled ? <Trans>Enable</Trans> : <Trans>Disable</Trans>}
          </Button>
        )}
        <ItemDelete
          name={name}
          question={<Trans>Programs that use this key stop working at once.</Trans>}
          onDelete={() => api.change(deleteManagementKey, [listManagementKeys], { params })}
        />
      </ItemActions>
      {dialog}
      {isTrying && <TryKeyDialog row={row} onClose={() => setTrying(false)} />}
    </ItemRow>
  );
}
