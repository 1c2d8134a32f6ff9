import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { deleteToken, listTokens, searchTokens, type Token, updateTokenStatus } from "@tollgate/contract/tokens.ts";
import { Ban, CircleCheck, Trash2 } from "lucide-react";
import { useState } from "react";
import { api } from "../../api.ts";
import { RowActions } from "../../pieces/row-actions.tsx";
import { toastFailure } from "../../pieces/toast-failure.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { MenuItem } from "../../ui/menu.tsx";
import { toast } from "../../ui/toast.tsx";
import { bothIds, refOf, shortRefOf } from "../../wire.ts";
import { toggledStatus } from "./token-rules.ts";

const refreshes = [listTokens, searchTokens];

export const nameOf = (token: Token): string => token.name || `ID ${shortRefOf(token)}`;

export function TokenRowActions({ token }: { token: Token }) {
  const { t } = useLingui();
  const [isAsking, setAsking] = useState(false);
  const toggle = useMutation(api.mutation(updateTokenStatus, { refreshes }));
  const remove = useMutation(api.mutation(deleteToken, { refreshes }));
  const name = nameOf(token);
  const next = toggledStatus(token.status);
  const changeStatus = () =>
    toggle.mutate(
      { query: { status_only: "1" }, body: { ...bothIds(token), status: next } },
      {
        onSuccess: () => toast(next === 1 ? t`${name} is enabled` : t`${name} is disabled`),
        onError: toastFailure,
      },
    );
  return (
    <>
      <RowActions
        name={name}
        verb={
          <ButtonLink size="sm" variant="ghost" to="/tokens/edit/$id" params={{ id: refOf(token) }}>
            <Trans>Edit</Trans>
          </ButtonLink>
        }
      >
        <MenuItem icon={next === 1 ? <CircleCheck /> : <Ban />} disabled={toggle.isPending} onSelect={changeStatus}>
          {next === 1 ? <Trans>Enable</Trans> : <Trans>Disable</Trans>}
        </MenuItem>
        <MenuItem icon={<Trash2 />} tone="bad" onSelect={() => setAsking(true)}>
          <Trans>Delete</Trans>
        </MenuItem>
      </RowActions>
      {isAsking && (
        <Confirm
          open
          onClose={() => setAsking(false)}
          title={t`Delete ${name}`}
          question={t`Are you sure you want to delete token "${name}"?`}
          verb={<Trans>Delete</Trans>}
          onConfirm={async () => {
            await remove.mutateAsync({ params: { id: refOf(token) } });
            toast(t`${name} is deleted`);
          }}
        />
      )}
    </>
  );
}
