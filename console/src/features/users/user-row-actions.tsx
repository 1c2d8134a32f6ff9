import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { listUsers, searchUsers, updateUserStatus } from "@tollgate/contract/user-admin.ts";
import type { User } from "@tollgate/contract/users.ts";
import { Ban, CircleCheck, CircleDollarSign, ShieldMinus, ShieldPlus, ShieldX, Trash2 } from "lucide-react";
import { useState } from "react";
import { api } from "../../api.ts";
import { lazyDialog } from "../../pieces/lazy-dialog.tsx";
import { RowActions } from "../../pieces/row-actions.tsx";
import { toastFailure } from "../../pieces/toast-failure.ts";
import { useSession } from "../../session.ts";
import { MenuHeading, MenuItem } from "../../ui/menu.tsx";
import { toast } from "../../ui/toast.tsx";
import { bothIds } from "../../wire.ts";
import { UserEditLink } from "./user-edit-link.tsx";
import type { UserQuestionKind } from "./user-question.tsx";
import { permitsOf, toggledStatus } from "./user-rules.ts";
import { reasons } from "./user-words.ts";

const refreshes = [listUsers, searchUsers];

const UserQuestion = lazyDialog(async () => (await import("./user-question.tsx")).UserQuestion);

/** `onTopUp`: the list opens that form itself, so that nothing typed is lost when its rows change. */
export function UserRowActions({ user, onTopUp }: { user: User; onTopUp: () => void }) {
  const { t } = useLingui();
  const { user: actor } = useSession();
  const [asking, setAsking] = useState<UserQuestionKind>();
  const toggle = useMutation(api.mutation(updateUserStatus, { refreshes }));
  if (actor === null) return null;
  const permits = permitsOf(actor, user);
  const { username } = user;
  const next = toggledStatus(user.status);
  const changeStatus = () =>
    toggle.mutate(
      { query: { status_only: "true" }, body: { ...bothIds(user), status: next } },
      {
        onSuccess: () => toast(next === 1 ? t`${username} is enabled` : t`${username} is disabled`),
        onError: toastFailure,
      },
    );
  return (
    <>
      <RowActions name={username} isBusy={toggle.isPending} verb={<UserEditLink user={user} permits={permits} />}>
        {permits.reason !== undefined && <MenuHeading>{t(reasons[permits.reason])}</MenuHeading>}
        <MenuItem icon={<CircleDollarSign />} disabled={!permits.edit} onSelect={onTopUp}>
          <Trans>Top up</Trans>
        </MenuItem>
        <MenuItem
          icon={next === 1 ? <CircleCheck /> : <Ban />}
          disabled={!permits.manage || toggle.isPending}
          onSelect={changeStatus}
        >
          {next === 1 ? <Trans>Enable</Trans> : <Trans>Disable</Trans>}
        </MenuItem>
        {permits.role === "promote" && (
          <MenuItem icon={<ShieldPlus />} onSelect={() => setAsking("promote")}>
            <Trans>Make administrator</Trans>
          </MenuItem>
        )}
        {permits.role === "demote" && (
          <MenuItem icon={<ShieldMinus />} onSelect={() => setAsking("demote")}>
            <Trans>Make ordinary user</Trans>
          </MenuItem>
        )}
        <MenuItem icon={<ShieldX />} disabled={!permits.manage} onSelect={() => setAsking("secondFactor")}>
          <Trans>Reset second factor</Trans>
        </MenuItem>
        <MenuItem icon={<Trash2 />} tone="bad" disabled={!permits.manage} onSelect={() => setAsking("delete")}>
          <Trans>Delete</Trans>
        </MenuItem>
      </RowActions>
      {asking !== undefined && <UserQuestion kind={asking} user={user} onClose={() => setAsking(undefined)} />}
    </>
  );
}
