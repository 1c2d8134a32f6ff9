import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { getUser, listUsers, searchUsers, updateUser } from "@tollgate/contract/user-admin.ts";
import type { User } from "@tollgate/contract/users.ts";
import { api } from "../../api.ts";
import { FormLoading } from "../../pieces/form-loading.tsx";
import { updateUser as updateSignedIn, useSession } from "../../session.ts";
import { Alert } from "../../ui/alert.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { UserForm } from "./user-form.tsx";
import { toChange, toForm } from "./user-form-values.ts";
import { isUnlimited, permitsOf } from "./user-rules.ts";
import { reasons } from "./user-words.ts";

export function UserEditPage() {
  const { t } = useLingui();
  const { id = "" } = useParams({ strict: false });
  // Always the newest, and the one that was read when the form opened: what is typed belongs to that version.
  const user = useQuery({ ...api.query(getUser, { params: { id } }), gcTime: 0, refetchOnReconnect: false });
  return (
    <Page title={t`Edit User`} subtitle={t`Update account settings`}>
      {user.data === undefined || user.error !== null ? (
        <FormLoading
          source={user}
          words={t`Loading user...`}
          fields={6}
          list={{ to: "/users", word: t`Back to users` }}
        />
      ) : (
        <EditForm key={user.dataUpdatedAt} user={user.data.data} onReload={() => void user.refetch()} />
      )}
    </Page>
  );
}

function EditForm({ user, onReload }: { user: User; onReload: () => void }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const { user: actor } = useSession();
  const update = useMutation(api.mutation(updateUser, { refreshes: [listUsers, searchUsers] }));
  const permits = actor === null ? undefined : permitsOf(actor, user);
  const isOwn = permits?.reason === "yourself";
  if (isOwn && !permits?.edit) return <ToOwnSettings />;
  return (
    <UserForm
      initial={toForm(user)}
      isOwn={isOwn}
      isUnlimited={isUnlimited(user)}
      submit={<Trans>Update User</Trans>}
      submitting={<Trans>Updating...</Trans>}
      onReload={onReload}
      onSubmit={async (values) => {
        await update.mutateAsync({ body: toChange(values, user) });
        if (isOwn) updateSignedIn({ username: values.username, display_name: values.display_name });
        await navigate({ to: "/users", state: { message: t`User updated successfully` } });
      }}
    />
  );
}

function ToOwnSettings() {
  const { t } = useLingui();
  return (
    <Alert tone="info" title={t(reasons.yourself)}>
      <ButtonLink to="/settings" size="sm" className="mt-2">
        <Trans>Personal settings</Trans>
      </ButtonLink>
    </Alert>
  );
}
