import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { listUsers, searchUsers, updateUserStatus } from "@tollgate/contract/user-admin.ts";
import type { User } from "@tollgate/contract/users.ts";
import { Ban, CircleCheck, CircleDollarSign, ShieldMinus, ShieldPlus, ShieldX, Trash2 } from "lucide-react";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { entityIds } from "../../compat/reply-envelope.ts";
import { lazyDialog } from "../../components/lazy-dialog.tsx";
import { RowActions } from "../../components/row-actions.tsx";
import { toastError } from "../../components/toast-failure.ts";
import { useSession } from "../../session.ts";
import { MenuHeading, MenuItem } from "../../ui/menu.tsx";
import { toast } from "../../ui/toast.tsx";
import type { UserConfirmKind } from "./user-confirm-dialog.tsx";
import { UserEditLink } from "./user-edit-link.tsx";
import { refusalReasons } from "./user-labels.ts";
import { permissionsFor, toggledStatus } from "./user-screen-rules.ts";

const refreshes = [listUsers, searchUsers];

const UserConfirmDialog = lazyDialog(async () => (await import("./user-confirm-dialog.tsx")).UserConfirmDialog);

/** `onTopUp`: the list opens that form itself, so that nothing typed is lost when its rows change. */
export function UserRowActions({ user, onTopUp }: { user: User; onTopUp: () => void }) {
  const { t } = useLingui();
  const { user: actor } = useSession();
  const [confirming, setConfirming] = useState<UserConfirmKind>();
  const toggle = useMutation(api.mutation(updateUserStatus, { refreshes }));
  if (actor === null) return null;
  const permissions = permissionsFor(actor, user);
  const { username } = user;
  const nextStatus = toggledStatus(user.status);
  const changeStatus = () =>
    toggle.mutate(
      { query: { status_only: "true" }, body: { ...entityIds(user), status: nextStatus } },
      {
        onSuccess: () => toast(nextStatus === 1 ? t`${username} is enabled` : t`${username} is disabled`),
        onError: toastError,
      },
    );
  return (
    <>
      <RowActions
        name={username}
        isBusy={toggle.isPending}
        primary={<UserEditLink user={user} permits={permissions} />}
      >
        {permissions.reason !== undefined && <MenuHeading>{t(refusalReasons[permissions.reason])}</MenuHeading>}
        <MenuItem icon={<CircleDollarSign />} disabled={!permissions.edit} onSelect={onTopUp}>
          <Trans>Top up</Trans>
        </MenuItem>
        <MenuItem
          icon={nextStatus === 1 ? <CircleCheck /> : <Ban />}
          disabled={!permissions.manage || toggle.isPending}
          onSelect={changeStatus}
        >
          {nextStatus === 1 ? <Trans>Enable</Trans> : <Trans>Disable</Trans>}
        </MenuItem>
        {permissions.role === "promote" && (
          <MenuItem icon={<ShieldPlus />} onSelect={() => setConfirming("promote")}>
            <Trans>Make administrator</Trans>
          </MenuItem>
        )}
        {permissions.role === "demote" && (
          <MenuItem icon={<ShieldMinus />} onSelect={() => setConfirming("demote")}>
            <Trans>Make ordinary user</Trans>
          </MenuItem>
        )}
        <MenuItem icon={<ShieldX />} disabled={!permissions.manage} onSelect={() => setConfirming("secondFactor")}>
          <Trans>Reset second factor</Trans>
        </MenuItem>
        <MenuItem icon={<Trash2 />} tone="bad" disabled={!permissions.manage} onSelect={() => setConfirming("delete")}>
          <Trans>Delete</Trans>
        </MenuItem>
      </RowActions>
      {confirming !== undefined && (
        <UserConfirmDialog kind={confirming} user={user} onClose={() => setConfirming(undefined)} />
      )}
    </>
  );
}
