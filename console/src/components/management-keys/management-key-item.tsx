import { Trans, useLingui } from "@lingui/react/macro";
import {
  deleteManagementKey,
  disableManagementKey,
  enableManagementKey,
  listManagementKeys,
  type ManagementKey,
} from "@tollgate/contract/accounts/management-keys.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { hasFeature, useSession } from "../../session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { Time } from "../../ui/time.tsx";
import { ItemRow, ItemText, ItemTitle } from "../lists/item-row.tsx";
import { ItemVerbs } from "../lists/item-verbs.tsx";
import { ScopeSentences, type WithReauth } from "./management-key-form.tsx";

const TryKeyDialog = buildLazyPart(async () => (await import("./try-key-dialog.tsx")).TryKeyDialog);

type ManagementKeyItemProps = { row: ManagementKey; isOwn: boolean; withReauth: WithReauth };

/** A management key with its rights in words, to be tried, stopped, started and deleted. */
export function ManagementKeyItem({ row, isOwn, withReauth }: ManagementKeyItemProps) {
  const { t } = useLingui();
  const { status } = useSession();
  const [isTrying, setTrying] = useState(false);
  const { name, username, hint, subnet, team } = row;
  const params = { id: row.uuid };
  const toggle = (enables: boolean): Promise<unknown> =>
    enables
      ? withReauth((proof) =>
          api.change(enableManagementKey, [listManagementKeys], { params, body: { ...proof } }),
        )
      : api.change(disableManagementKey, [listManagementKeys], { params });
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
          {row.team_id !== null && <p>{t`For the team ${team} alone`}</p>}
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
      <ItemVerbs
        name={name}
        primary={
          hasFeature(status, "dry_run") && (
            <Button size="sm" aria-label={t`Try ${name}`} onClick={() => setTrying(true)}>
              <Trans>Try</Trans>
            </Button>
          )
        }
        toggle={
          isOwn || !row.disabled
            ? // Enabling may ask for a proof.
              { isEnabled: !row.disabled, canUndo: false, onToggle: toggle }
            : undefined
        }
        removal={{
          question: <Trans>Programs that use this key stop working at once.</Trans>,
          onDelete: () => api.change(deleteManagementKey, [listManagementKeys], { params }),
        }}
      />
      {isTrying && <TryKeyDialog row={row} onClose={() => setTrying(false)} />}
    </ItemRow>
  );
}
