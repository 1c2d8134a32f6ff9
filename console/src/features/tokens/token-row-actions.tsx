import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import { isMaskedKey } from "@tollgate/contract/accounts/mask-key.ts";
import {
  deleteToken,
  listTokens,
  searchTokens,
  type Token,
  tokenStatus,
  updateTokenStatus,
} from "@tollgate/contract/accounts/tokens.ts";
import type { Endpoint } from "@tollgate/contract/api/endpoint.ts";
import { KeyRound, Route, Terminal } from "lucide-react";
import { type ComponentProps, type ReactNode, useState } from "react";
import { api } from "../../api-queries.ts";
import { buildEntityIds, readEntityRef, readShortEntityRef } from "../../compat/entity-ids.ts";
import { RowActions, RowMenu } from "../../components/lists/row-actions.tsx";
import { useRowRemoval } from "../../components/lists/row-removal.tsx";
import { useStatusToggle } from "../../components/lists/row-status.tsx";
import { UseKeyDialog } from "../../components/use-key/lazy-use-key-dialog.ts";
import { hasFeature, useSession } from "../../session.ts";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { MenuItem } from "../../ui/menu/menu.tsx";
import { RowLink } from "../../ui/table/row-link.tsx";
import { usePauseVerb } from "./pause-verb.tsx";

const TokenLoss = buildLazyPart(async () => (await import("./token-loss.tsx")).TokenLoss);
const RotateKeyDialog = buildLazyPart(
  async () => (await import("./rotate-key-dialog.tsx")).RotateKeyDialog,
);
const UseProvedKeyDialog = buildLazyPart(
  async () => (await import("./proved-key.tsx")).UseProvedKeyDialog,
);
const refreshes = [listTokens, searchTokens];

export const formatTokenName = (token: Pick<Token, "id" | "uuid" | "name">): string =>
  token.name || `ID ${readShortEntityRef(token)}`;

export function TokenRowActions({ token }: { token: Token }) {
  return (
    <TokenRowFrame token={token}>
      <TokenVerbs token={token} />
    </TokenRowFrame>
  );
}

type RowToken = Pick<Token, "id" | "uuid" | "name" | "status">;

/** The actions of a row with one of the user's own tokens: editing is one press away. */
export function TokenRowFrame({ token, children }: { token: RowToken; children: ReactNode }) {
  return (
    <RowActions
      name={formatTokenName(token)}
      primary={
        <RowLink to="/tokens/edit/$id" id={readEntityRef(token)}>
          <Trans>Edit</Trans>
        </RowLink>
      }
    >
      {children}
    </RowActions>
  );
}

/** Enabling and disabling one of the user's own tokens. */
export const useTokenToggle = (token: RowToken, refreshed: readonly Endpoint[]) =>
  useStatusToggle({
    endpoint: updateTokenStatus,
    refreshes: refreshed,
    name: formatTokenName(token),
    status: token.status,
    input: (status) => ({
      query: { status_only: "1" },
      body: { ...buildEntityIds(token), status },
    }),
  });

/** The menu item that gives a token a new key, and its dialog. */
export function useKeyRotation(token: ComponentProps<typeof RotateKeyDialog>["token"]) {
  const [isRotating, setRotating] = useState(false);
  const item = (
    <MenuItem icon={<KeyRound />} onSelect={() => setRotating(true)}>
      <Trans>Rotate key</Trans>
    </MenuItem>
  );
  const dialog = isRotating && <RotateKeyDialog token={token} onClose={() => setRotating(false)} />;
  return { item, dialog };
}

function TokenVerbs({ token }: { token: Token }) {
  const { t } = useLingui();
  const name = formatTokenName(token);
  const [isInUse, setInUse] = useState(false);
  const isMasked = isMaskedKey(token.key);
  const { status } = useSession();
  const navigate = useNavigate();
  const toggle = useTokenToggle(token, refreshes);
  const rotation = useKeyRotation(token);
  const pausing = usePauseVerb({
    token,
    name,
    act: async ({ paused, pause_reason }) => {
      const state = paused
        ? { status: tokenStatus.paused, pause_reason }
        : { status: tokenStatus.enabled };
      const body = { ...buildEntityIds(token), ...state };
      await api.change(updateTokenStatus, refreshes, { query: { status_only: "1" }, body });
    },
  });
  const removal = useRowRemoval({
    endpoint: deleteToken,
    refreshes,
    row: token,
    name,
    question: t`Are you sure you want to delete token "${name}"?`,
    loss: () => <TokenLoss token={token} />,
  });
  return (
    <>
      <RowMenu>
        {token.key !== "" && (!isMasked || status.proves_key_owner === true) && (
          <MenuItem icon={<Terminal />} onSelect={() => setInUse(true)}>
            <Trans>Use this key</Trans>
          </MenuItem>
        )}
        {hasFeature(status, "call_check") && (
          <MenuItem
            icon={<Route />}
            onSelect={() =>
              void navigate({
                to: "/tokens/check",
                search: { token: readEntityRef(token) } as never,
              })
            }
          >
            <Trans>Would a call work?</Trans>
          </MenuItem>
        )}
        {hasFeature(status, "token_rotation") && rotation.item}
        {pausing.item}
        {!pausing.isPaused && toggle.item()}
        {removal.item}
      </RowMenu>
      {removal.dialog}
      {rotation.dialog}
      {pausing.dialog}
      {isInUse && !isMasked && <UseKeyDialog token={token} onClose={() => setInUse(false)} />}
      {isInUse && isMasked && <UseProvedKeyDialog token={token} onClose={() => setInUse(false)} />}
    </>
  );
}
