import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { resetTotp } from "@tollgate/contract/accounts/totp.ts";
import {
  deleteUser,
  listUsers,
  manageUser,
  searchUsers,
} from "@tollgate/contract/accounts/user-admin.ts";
import type { User } from "@tollgate/contract/accounts/users.ts";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { Quota } from "../../components/quota.tsx";
import { Confirm } from "../../ui/menu/confirm.tsx";
import { toast } from "../../ui/toast.tsx";

const refreshes = [listUsers, searchUsers];

export type UserConfirmKind = "promote" | "demote" | "secondFactor" | "delete";

type UserConfirmDialogProps = { kind: UserConfirmKind; user: User; onClose: () => void };

/** Confirms an action that affects the owner of the account. */
export function UserConfirmDialog({ kind, user, onClose }: UserConfirmDialogProps) {
  const { t } = useLingui();
  const manage = useMutation(api.mutation(manageUser, { refreshes }));
  const reset = useMutation(api.mutation(resetTotp));
  const remove = useMutation(api.mutation(deleteUser, { refreshes }));
  const { username } = user;
  const params = { id: readEntityRef(user) };
  const messages = {
    promote: {
      title: t`Make ${username} an administrator`,
      question: t`Are you sure? Administrators manage users, channels and codes, and see all logs.`,
      verb: t`Make administrator`,
      done: t`${username} is an administrator`,
    },
    demote: {
      title: t`Make ${username} an ordinary user`,
      question: t`Are you sure you want to take the administrator role from "${username}"?`,
      verb: t`Make ordinary user`,
      done: t`${username} is an ordinary user`,
    },
    secondFactor: {
      title: t`Reset the second factor of ${username}`,
      question: t`Are you sure? "${username}" is signed out everywhere and signs in with the password alone until a new second factor is set up.`,
      verb: t`Reset`,
      done: t`The second factor of ${username} is removed`,
    },
    delete: {
      title: t`Delete ${username}`,
      question: t`Are you sure you want to delete user "${username}"? The account is signed out and its tokens stop working at once. Its logs stay.`,
      verb: t`Delete`,
      done: t`${username} is deleted`,
    },
  }[kind];
  const run = () => {
    if (kind === "delete") return remove.mutateAsync({ params });
    if (kind === "secondFactor") return reset.mutateAsync({ params });
    return manage.mutateAsync({ body: { username, action: kind } });
  };
  return (
    <Confirm
      open
      onClose={onClose}
      title={messages.title}
      question={messages.question}
      loss={
        kind === "delete" &&
        user.quota > 0 && (
          <Trans>
            The balance of <Quota units={user.quota} /> is lost.
          </Trans>
        )
      }
      confirmLabel={messages.verb}
      onConfirm={async () => {
        await run();
        toast(messages.done);
      }}
    />
  );
}
