import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import { isMaskedKey } from "@tollgate/contract/mask-key.ts";
import { deleteToken, listTokens, searchTokens, type Token, updateTokenStatus } from "@tollgate/contract/tokens.ts";
import { KeyRound, Route, Terminal } from "lucide-react";
import { useState } from "react";
import { entityIds, entityRef, shortEntityRef } from "../../compat/entity-ids.ts";
import { lazyDialog } from "../../components/lazy-dialog.tsx";
import { RowActions } from "../../components/row-actions.tsx";
import { useRowRemoval } from "../../components/row-removal.tsx";
import { useStatusToggle } from "../../components/row-status.tsx";
import { UseKeyDialog } from "../../components/use-key/lazy-use-key-dialog.ts";
import { hasFeature, useSession } from "../../session.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { MenuItem } from "../../ui/menu.tsx";

const RotateKeyDialog = lazyDialog(async () => (await import("./rotate-key-dialog.tsx")).RotateKeyDialog);
const refreshes = [listTokens, searchTokens];

export const tokenName = (token: Token): string => token.name || `ID ${shortEntityRef(token)}`;

export function TokenRowActions({ token }: { token: Token }) {
  const { t } = useLingui();
  const name = tokenName(token);
  const [isInUse, setInUse] = useState(false);
  const [isRotating, setRotating] = useState(false);
  const { status } = useSession();
  const navigate = useNavigate();
  const toggle = useStatusToggle({
    endpoint: updateTokenStatus,
    refreshes,
    name,
    status: token.status,
    input: (status) => ({ query: { status_only: "1" }, body: { ...entityIds(token), status } }),
  });
  const removal = useRowRemoval({
    endpoint: deleteToken,
    refreshes,
    row: token,
    name,
    question: t`Are you sure you want to delete token "${name}"?`,
  });
  return (
    <>
      <RowActions
        name={name}
        primary={
          <ButtonLink size="sm" variant="ghost" to="/tokens/edit/$id" params={{ id: entityRef(token) }}>
            <Trans>Edit</Trans>
          </ButtonLink>
        }
      >
        {token.key !== "" && !isMaskedKey(token.key) && (
          <MenuItem icon={<Terminal />} onSelect={() => setInUse(true)}>
            <Trans>Use this key</Trans>
          </MenuItem>
        )}
        {hasFeature(status, "call_check") && (
          <MenuItem
            icon={<Route />}
            onSelect={() => void navigate({ to: "/tokens/check", search: { token: entityRef(token) } as never })}
          >
            <Trans>Would a call work?</Trans>
          </MenuItem>
        )}
        {hasFeature(status, "token_rotation") && (
          <MenuItem icon={<KeyRound />} onSelect={() => setRotating(true)}>
            <Trans>Rotate key</Trans>
          </MenuItem>
        )}
        {toggle.item()}
        {removal.item}
      </RowActions>
      {removal.dialog}
      {isRotating && <RotateKeyDialog token={token} onClose={() => setRotating(false)} />}
      {isInUse && <UseKeyDialog name={token.name} apiKey={token.key} onClose={() => setInUse(false)} />}
    </>
  );
}
