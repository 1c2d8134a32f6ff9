import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { deleteToken, listTokens, searchTokens, type Token, updateTokenStatus } from "@tollgate/contract/tokens.ts";
import { Ban, CircleCheck, Trash2 } from "lucide-react";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { entityIds, entityRef, shortEntityRef } from "../../compat/reply-envelope.ts";
import { RowActions } from "../../components/row-actions.tsx";
import { toastError } from "../../components/toast-failure.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { MenuItem } from "../../ui/menu.tsx";
import { toast } from "../../ui/toast.tsx";
import { toggledStatus } from "./token-screen-rules.ts";

const refreshes = [listTokens, searchTokens];

export const tokenName = (token: Token): string => token.name || `ID ${shortEntityRef(token)}`;

export function TokenRowActions({ token }: { token: Token }) {
  const { t } = useLingui();
  const [isDeleting, setDeleting] = useState(false);
  const toggle = useMutation(api.mutation(updateTokenStatus, { refreshes }));
  const remove = useMutation(api.mutation(deleteToken, { refreshes }));
  const name = tokenName(token);
  const nextStatus = toggledStatus(token.status);
  const changeStatus = () =>
    toggle.mutate(
      { query: { status_only: "1" }, body: { ...entityIds(token), status: nextStatus } },
      {
        onSuccess: () => toast(nextStatus === 1 ? t`${name} is enabled` : t`${name} is disabled`),
        onError: toastError,
      },
    );
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
        <MenuItem
          icon={nextStatus === 1 ? <CircleCheck /> : <Ban />}
          disabled={toggle.isPending}
          onSelect={changeStatus}
        >
          {nextStatus === 1 ? <Trans>Enable</Trans> : <Trans>Disable</Trans>}
        </MenuItem>
        <MenuItem icon={<Trash2 />} tone="bad" onSelect={() => setDeleting(true)}>
          <Trans>Delete</Trans>
        </MenuItem>
      </RowActions>
      {isDeleting && (
        <Confirm
          open
          onClose={() => setDeleting(false)}
          title={t`Delete ${name}`}
          question={t`Are you sure you want to delete token "${name}"?`}
          confirmLabel={<Trans>Delete</Trans>}
          onConfirm={async () => {
            await remove.mutateAsync({ params: { id: entityRef(token) } });
            toast(t`${name} is deleted`);
          }}
        />
      )}
    </>
  );
}
