import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import {
  listUsers,
  searchUsers,
  updateUserStatus,
} from "@tollgate/contract/accounts/user-admin.ts";
import type { User } from "@tollgate/contract/accounts/users.ts";
import { CircleDollarSign, Route, ShieldMinus, ShieldPlus, ShieldX, Trash } from "lucide-react";
import { useState } from "react";
import { buildEntityIds, readEntityRef } from "../../compat/entity-ids.ts";
import { DisabledAction } from "../../components/disabled-action.tsx";
import { RowActions, RowMenu } from "../../components/lists/row-actions.tsx";
import { useStatusToggle } from "../../components/lists/row-status.tsx";
import { hasFeature, useSession } from "../../session.ts";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { MenuHeading, MenuItem } from "../../ui/menu/menu.tsx";
import { RowLink } from "../../ui/table/row-link.tsx";
import type { UserConfirmKind } from "./user-confirm-dialog.tsx";
import { refusalReasons } from "./user-labels.ts";
import { buildPermissions, type UserPermissions } from "./user-screen-rules.ts";

const refreshes = [listUsers, searchUsers];

const UserConfirmDialog = buildLazyPart(
  async () => (await import("./user-confirm-dialog.tsx")).UserConfirmDialog,
);

type UserRowProps = { user: User; onTopUp: () => void };

/**
 * `onTopUp` opens the form outside of the row, so that typed values survive a refetch of the rows.
 */
export function UserRowActions({ user, onTopUp }: UserRowProps) {
  const { user: actor } = useSession();
  if (actor === null) return null;
  const permissions = buildPermissions(actor, user);
  return (
    <RowActions name={user.username} primary={<UserEditLink user={user} permits={permissions} />}>
      <UserVerbs user={user} onTopUp={onTopUp} permissions={permissions} />
    </RowActions>
  );
}

function UserVerbs({
  user,
  onTopUp,
  permissions,
}: UserRowProps & { permissions: UserPermissions }) {
  const { t } = useLingui();
  const { status } = useSession();
  const navigate = useNavigate();
  const [confirming, setConfirming] = useState<UserConfirmKind>();
  const toggle = useStatusToggle({
    endpoint: updateUserStatus,
    refreshes,
    name: user.username,
    status: user.status,
    // It ends the sign-ins and the access token for good.
    canUndo: false,
    input: (status) => ({
      query: { status_only: "true" },
      body: { ...buildEntityIds(user), status },
    }),
  });
  return (
    <>
      <RowMenu isBusy={toggle.isPending}>
        {permissions.reason !== undefined && (
          <MenuHeading>{t(refusalReasons[permissions.reason])}</MenuHeading>
        )}
        <MenuItem icon={<CircleDollarSign />} disabled={!permissions.edit} onSelect={onTopUp}>
          <Trans>Top up</Trans>
        </MenuItem>
        {hasFeature(status, "call_check") && (
          <MenuItem
            icon={<Route />}
            onSelect={() =>
              void navigate({ to: "/tokens/check", search: { user: readEntityRef(user) } as never })
            }
          >
            <Trans>Would a call work?</Trans>
          </MenuItem>
        )}
        {toggle.item(!permissions.manage)}
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
        <MenuItem
          icon={<ShieldX />}
          disabled={!permissions.manage}
          onSelect={() => setConfirming("secondFactor")}
        >
          <Trans>Reset second factor</Trans>
        </MenuItem>
        <MenuItem
          icon={<Trash />}
          tone="bad"
          disabled={!permissions.manage}
          onSelect={() => setConfirming("delete")}
        >
          <Trans>Delete</Trans>
        </MenuItem>
      </RowMenu>
      {confirming !== undefined && (
        <UserConfirmDialog kind={confirming} user={user} onClose={() => setConfirming(undefined)} />
      )}
    </>
  );
}

/**
 * Links to the user form, or for the own account to the personal settings. Disabled with the reason
 * otherwise.
 */
function UserEditLink({ user, permits: permissions }: { user: User; permits: UserPermissions }) {
  const { t } = useLingui();
  if (permissions.edit) {
    return (
      <RowLink to="/users/edit/$id" id={readEntityRef(user)}>
        <Trans>Edit</Trans>
      </RowLink>
    );
  }
  if (permissions.reason === "yourself") {
    return (
      <RowLink to="/settings">
        <Trans>Edit</Trans>
      </RowLink>
    );
  }
  return (
    <DisabledAction reason={t(refusalReasons.outOfReach)}>
      <Trans>Edit</Trans>
    </DisabledAction>
  );
}
